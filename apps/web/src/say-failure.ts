import { DEFAULT_LOCALE, type Locale, sayError, type ToldError, translator } from '@bailiff/messages';

/** The error message in a language. English stays as it is: it has more detail. */
export function sayFailure(locale: Locale, error: ToldError): string {
  if (locale === DEFAULT_LOCALE) return error.message;
  const t = translator(locale, 'errors');
  return error.code === 'NOT_FOUND' ? t('notFound') : sayError(t, error);
}
