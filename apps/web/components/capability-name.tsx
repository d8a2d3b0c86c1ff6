'use client';

import type { Capability } from '@bailiff/core';
import { useTranslations } from 'use-intl/react';

/** What a capability lets people do, with its name in calls beside. */
export function CapabilityName({ name }: { name: Capability }) {
  const say = useTranslations('capabilities');
  return (
    <span className="min-w-0">
      {say(`names.${name}`)} <span className="text-ink-soft font-mono text-xs wrap-anywhere">{name}</span>
    </span>
  );
}
