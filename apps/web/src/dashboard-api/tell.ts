import { ApiError, plainMessage } from '@bailiff/core';
import { DEFAULT_LOCALE, sayError, sayIssue, translator } from '@bailiff/messages';
import type { z } from 'zod';
import { localeOfRequest } from '#src/locale-of-request.ts';

/** What says what is wrong with a field, in the language of the page that asks; for `safeParse`'s `error`. */
export function issueWords(headers: Headers): (issue: z.core.$ZodRawIssue) => string {
  const locale = localeOfRequest(headers);
  if (locale === DEFAULT_LOCALE) return plainMessage;
  const t = translator(locale, 'errors');
  return (issue) => sayIssue(t, issue);
}

/** An error in the language of the page that asks. An English one stays as it is: it knows more than the catalogue. */
export function toldTo(headers: Headers, error: ApiError): ApiError {
  const locale = localeOfRequest(headers);
  if (locale === DEFAULT_LOCALE) return error;
  const { code, status, details } = error;
  const message = sayError(translator(locale, 'errors'), error);
  return new ApiError(code, message, { status, ...(details === undefined ? {} : { details }) });
}
