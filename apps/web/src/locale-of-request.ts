import { acceptedLocale, DEFAULT_LOCALE, type Locale, localeOf } from '@bailiff/messages';
import { cookieOf } from './session.ts';

/** The cookie with the language that was chosen in this browser. */
export const LOCALE_COOKIE = 'bailiff.locale';

/** The language for a request: the one chosen in the browser, else the one it accepts, else English. */
export function localeOfRequest(headers: Headers): Locale {
  const chosen = localeOf(cookieOf(headers.get('Cookie'), LOCALE_COOKIE));
  return chosen ?? acceptedLocale(headers.get('Accept-Language')) ?? DEFAULT_LOCALE;
}
