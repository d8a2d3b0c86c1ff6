'use client';

import type { Locale } from '@bailiff/messages';
import { lengthIn } from '@bailiff/messages/lengths';
import { useLocale, useTranslations } from 'use-intl/react';

/** What tells a length of time in the language of the page; null is for good. */
export function useLength(): (minutes: number | null) => string {
  const locale = useLocale() as Locale;
  const t = useTranslations('common');
  return (minutes) => (minutes === null ? t('forGood') : lengthIn(locale, minutes * 60));
}
