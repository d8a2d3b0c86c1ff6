'use client';

import type { Severity } from '@bailiff/core';
import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { CallFailure } from '#components/call-api.ts';
import { useLength } from '#components/settings/use-length.ts';
import { useApi } from '#components/use-call.ts';

/** What one more strike would lead to, as the dashboard's API tells it. */
export interface Foreseen {
  readonly points_before: number;
  readonly points_after: number;
  readonly step: {
    readonly points: number;
    readonly sanction: 'mute' | 'ban';
    readonly duration_minutes: number | null;
  } | null;
}

/** Asks what a strike of this severity would lead to; null until it is known. */
export function useForesight(
  guildId: string,
  userId: string,
  severity: Severity,
  open: boolean,
): Foreseen | null {
  const api = useApi();
  const [known, setKnown] = useState<{ severity: Severity; foreseen: Foreseen } | null>(null);
  useEffect(() => {
    if (!open) return;
    let isOutdated = false;
    const path = `/api/guilds/${guildId}/members/${userId}/escalation?severity=${severity}`;
    void api<Foreseen>('GET', path).then((foreseen) => {
      // Where it cannot be known nothing is promised, and the strike can be given all the same.
      if (!isOutdated) setKnown(foreseen instanceof CallFailure ? null : { severity, foreseen });
    });
    return () => {
      isOutdated = true;
    };
  }, [api, guildId, userId, severity, open]);
  return known?.severity === severity ? known.foreseen : null;
}

/** Says what would follow, before it does. */
export function Foresight({ foreseen }: { foreseen: Foreseen | null }) {
  const t = useTranslations('cases');
  const length = useLength();
  if (foreseen === null) return <p aria-live="polite" className="text-ink-soft min-h-10" />;
  const { points_before: before, points_after: after, step } = foreseen;
  return (
    <p aria-live="polite" className={step === null ? 'text-ink-soft min-h-10' : 'text-warn min-h-10'}>
      {t('foresight', { before, after })}{' '}
      {step === null
        ? t('foresightNothing')
        : step.sanction === 'mute'
          ? t('foresightMute', { length: length(step.duration_minutes) })
          : t('foresightBan', {
              permanent: step.duration_minutes === null ? 'yes' : 'no',
              length: length(step.duration_minutes),
            })}
    </p>
  );
}
