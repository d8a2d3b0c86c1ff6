'use client';

import type { TokenWire } from '@bailiff/engine/tokens/token-view';
import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { Failure } from '#components/ui/failure.tsx';
import { Callout } from '#components/ui/panel.tsx';
import { useCall } from '#components/use-call.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const SOFT_WARNING_DAYS = 90;
const BANNER_DAYS = 180;

/**
 * The tokens that need a rotation reminder (spec §3). The browser computes them from its clock, so the first rendering
 * has none.
 */
function useAging(tokens: readonly TokenWire[]): readonly TokenWire[] {
  const [now, setNow] = useState<number | null>(null);
  useEffect(() => setNow(Date.now()), []);
  if (now === null) return [];
  return tokens.filter((token) => {
    const since = Date.parse(token.rotated_at ?? token.created_at);
    const isHandled = token.rotation_required_at !== null || token.rotation_warning_dismissed_at !== null;
    return now - since >= SOFT_WARNING_DAYS * DAY_MS && !isHandled && token.state !== 'revoked';
  });
}

/** Banners that name old tokens: from 180 days until they are rotated, from 90 days until the banner is dismissed. */
export function RotationBanners({ tokens }: { tokens: readonly TokenWire[] }) {
  const t = useTranslations('tokens');
  const { call, busy, failure } = useCall();
  const required = tokens.filter(
    ({ state, rotation_required_at }) => state !== 'revoked' && rotation_required_at !== null,
  );
  const aging = useAging(tokens);
  const namesOf = (those: readonly TokenWire[]) => those.map(({ name }) => name).join(', ');
  const dismiss = async () => {
    for (const { id } of aging)
      if ((await call('POST', `/api/api-tokens/${id}/snooze-warning`)) === null) return;
  };
  return (
    <>
      {required.length === 0 ? null : (
        <section className="mb-4" aria-label={t('rotationRequired')}>
          <Callout tone="danger" title={t('rotateNow')}>
            {t('olderThan', { names: namesOf(required), days: BANNER_DAYS })}
          </Callout>
        </section>
      )}
      {aging.length === 0 ? null : (
        <section className="mb-4" aria-label={t('reminder')}>
          <Callout
            tone="warn"
            title={t('rotateSoon')}
            action={
              <Button disabled={busy} onClick={() => void dismiss()}>
                {t('dismissAll')}
              </Button>
            }
          >
            {t('olderThan', { names: namesOf(aging), days: SOFT_WARNING_DAYS })}
            <Failure failure={failure} />
          </Callout>
        </section>
      )}
    </>
  );
}

/** The reminder in the row of a token older than 90 days. It can be dismissed (spec §3). */
export function RotationReminder({ token }: { token: TokenWire }) {
  const t = useTranslations('tokens');
  const { call, busy, failure } = useCall();
  if (useAging([token]).length === 0) return null;
  return (
    <span className="text-warn mt-1 flex flex-wrap items-center gap-1.5 text-xs">
      {failure?.message ?? t('rowReminder', { days: SOFT_WARNING_DAYS })}
      <Button
        size="small"
        disabled={busy}
        aria-label={t('snoozeFor', { name: token.name })}
        onClick={() => void call('POST', `/api/api-tokens/${token.id}/snooze-warning`)}
      >
        {t('snooze')}
      </Button>
    </span>
  );
}
