'use client';

import { useTranslations } from 'use-intl/react';

/** The verdict of a command policy, and the pattern that decided it. */
export interface Verdict {
  readonly allowed: boolean;
  readonly pattern: string | null;
}

/** The reason why a command is allowed or denied. */
export function VerdictText({ verdict: { allowed, pattern } }: { verdict: Verdict }) {
  const t = useTranslations('servers');
  if (pattern === null) return t(allowed ? 'nothingDenies' : 'nothingAllows');
  return t.rich('byPattern', {
    pattern: () => <code className="font-mono text-xs break-all">{pattern}</code>,
  });
}
