'use client';

import type { TokenWire } from '@bailiff/engine';
import { useEffect, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/panel.tsx';
import { useCall } from '../use-call.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const SOFT_WARNING_DAYS = 90;

/** The tokens that the nightly job marked at 180 days; nothing but a rotation takes a name away (spec §3). */
export function RotationBanner({ tokens }: { tokens: readonly TokenWire[] }) {
  const required = tokens.filter(
    ({ state, rotation_required_at }) => state !== 'revoked' && rotation_required_at !== null,
  );
  if (required.length === 0) return null;
  return (
    <section className="mb-4" aria-label="Rotation required">
      <Notice tone="danger" title="Rotate these tokens now">
        {required.map(({ name }) => name).join(', ')}: the secret is older than 180 days.
      </Notice>
    </section>
  );
}

/** In the row of a token older than 90 days, a reminder that can be put away; reckoned here, by no job (spec §3). */
export function RotationReminder({ token }: { token: TokenWire }) {
  const { call, busy, failure } = useCall();
  const [now, setNow] = useState<number | null>(null);
  useEffect(() => setNow(Date.now()), []);
  const since = Date.parse(token.rotated_at ?? token.created_at);
  const isOld = now !== null && now - since >= SOFT_WARNING_DAYS * DAY_MS;
  const isTold = token.rotation_required_at !== null || token.rotation_warning_dismissed_at !== null;
  if (!isOld || isTold || token.state === 'revoked') return null;
  return (
    <span className="text-warn mt-1 flex flex-wrap items-center gap-1.5 text-xs">
      {failure?.message ?? `More than ${SOFT_WARNING_DAYS} days old: rotate it`}
      <Button
        size="small"
        disabled={busy}
        aria-label={`Snooze the reminder for ${token.name}`}
        onClick={() => void call('POST', `/api/api-tokens/${token.id}/snooze-warning`)}
      >
        Snooze
      </Button>
    </span>
  );
}
