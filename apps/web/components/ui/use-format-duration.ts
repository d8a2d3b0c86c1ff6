'use client';

import type { Locale } from '@bailiff/messages';
import { lengthIn } from '@bailiff/messages/lengths';
import { useLocale, useTranslations } from 'use-intl/react';

/** A function that writes a duration in minutes in the language of the page. It takes null for a permanent one. */
export function useFormatDuration(): (minutes: number | null) => string {
  const locale = useLocale() as Locale;
  const t = useTranslations('common');
  return (minutes) => (minutes === null ? t('permanent') : lengthIn(locale, minutes * 60));
}
