import { acceptedLocale, DEFAULT_LOCALE, type Locale, localeOf } from '@bailiff/messages';
import { cookieOf } from './session.ts';

/** In which a browser keeps the language that was chosen in it. */
export const LOCALE_COOKIE = 'bailiff.locale';

/** The language of whoever sends a request: the one chosen in their browser, else the one it asks for, else English. */
export function localeOfRequest(headers: Headers): Locale {
  const chosen = localeOf(cookieOf(headers.get('Cookie'), LOCALE_COOKIE));
  return chosen ?? acceptedLocale(headers.get('Accept-Language')) ?? DEFAULT_LOCALE;
}
