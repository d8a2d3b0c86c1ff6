'use client';

import type { TokenWire } from '@bailiff/engine';
import { useEffect, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/panel.tsx';
import { useCall } from '../use-call.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const SOFT_WARNING_DAYS = 90;

/**
 * Reminders to rotate (spec §3): from 180 days a banner that stays, marked by the nightly job; from 90 days one that can
 * be put away, computed here.
 */
export function RotationWarnings({ tokens }: { tokens: readonly TokenWire[] }) {
  const [now, setNow] = useState<number | null>(null);
  useEffect(() => setNow(Date.now()), []);
  const live = tokens.filter(({ state }) => state !== 'revoked');
  const required = live.filter(({ rotation_required_at }) => rotation_required_at !== null);
  const old = live.filter(
    (token) =>
      now !== null &&
      token.rotation_required_at === null &&
      token.rotation_warning_dismissed_at === null &&
      now - Date.parse(token.rotated_at ?? token.created_at) >= SOFT_WARNING_DAYS * DAY_MS,
  );
  if (required.length + old.length === 0) return null;
  return (
    <div className="mb-4 grid gap-2">
      {required.length === 0 ? null : (
        <Notice tone="danger" title="Rotate these tokens now">
          {required.map(({ name }) => name).join(', ')}: the secret is older than 180 days.
        </Notice>
      )}
      {old.map((token) => (
        <SoftWarning key={token.id} token={token} />
      ))}
    </div>
  );
}

function SoftWarning({ token }: { token: TokenWire }) {
  const { call, busy, failure } = useCall();
  return (
    <Notice
      tone="warn"
      title={`${token.name} is more than ${SOFT_WARNING_DAYS} days old`}
      action={
        <Button
          size="small"
          disabled={busy}
          onClick={() => void call('POST', `/api/api-tokens/${token.id}/snooze-warning`)}
        >
          Snooze
        </Button>
      }
    >
      {failure?.message ?? 'Rotate it when you have a moment.'}
    </Notice>
  );
}
