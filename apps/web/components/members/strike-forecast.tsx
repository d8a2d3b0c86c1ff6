'use client';

import type { Severity } from '@bailiff/core';
import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { CallFailure } from '#components/call-api.ts';
import { useRendering } from '#components/rendering.tsx';
import { useFormatDuration } from '#components/ui/use-format-duration.ts';
import { useApi } from '#components/use-call.ts';

/** What one more strike would lead to, as the dashboard's API sends it. */
export interface Forecast {
  readonly points_before: number;
  readonly points_after: number;
  readonly step: {
    readonly points: number;
    readonly sanction: 'mute' | 'ban';
    readonly duration_minutes: number | null;
  } | null;
  /** Whether a sanction as long as the step's is in force already. */
  readonly superseded: boolean;
}

/**
 * What one more strike of this severity would lead to; null until the API has answered. It is asked again whenever the
 * page is brought up to date, and after a refusal, which may say that it leads to something else by now.
 */
export function useStrikeForecast(
  guildId: string,
  userId: string,
  severity: Severity,
  open: boolean,
  refusal: CallFailure | null,
): Forecast | null {
  const api = useApi();
  const rendering = useRendering();
  const [known, setKnown] = useState<{ severity: Severity; forecast: Forecast } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it looks again after a refusal, and at each rendering
  useEffect(() => {
    if (!open) return;
    let isOutdated = false;
    const path = `/api/guilds/${guildId}/members/${userId}/escalation?severity=${severity}`;
    void api<Forecast>('GET', path).then((forecast) => {
      // Without an answer the form shows no forecast. The strike can still be added.
      if (!isOutdated) setKnown(forecast instanceof CallFailure ? null : { severity, forecast });
    });
    return () => {
      isOutdated = true;
    };
  }, [api, guildId, userId, severity, open, refusal, rendering]);
  return known?.severity === severity ? known.forecast : null;
}

/** Shows the points after a strike, and the sanction that follows from them. */
export function StrikeForecast({ forecast }: { forecast: Forecast | null }) {
  const t = useTranslations('cases');
  const formatDuration = useFormatDuration();
  if (forecast === null) return <p aria-live="polite" className="text-ink-soft min-h-10" />;
  const { points_before: before, points_after: after, step, superseded } = forecast;
  return (
    <p
      aria-live="polite"
      className={step === null || superseded ? 'text-ink-soft min-h-10' : 'text-warn min-h-10'}
    >
      {t('forecast', { before, after })}{' '}
      {step === null
        ? t('forecastNothing')
        : superseded
          ? t('forecastSuperseded', { sanction: step.sanction })
          : step.sanction === 'mute'
            ? t('forecastMute', { length: formatDuration(step.duration_minutes) })
            : t('forecastBan', {
                permanent: step.duration_minutes === null ? 'yes' : 'no',
                length: formatDuration(step.duration_minutes),
              })}
    </p>
  );
}
