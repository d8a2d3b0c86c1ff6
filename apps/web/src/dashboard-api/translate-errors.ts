import { ApiError, plainMessage } from '@bailiff/core';
import { DEFAULT_LOCALE, sayIssue, translator } from '@bailiff/messages';
import type { z } from 'zod';
import { localeOfRequest } from '#src/locale-of-request.ts';
import { sayFailure } from '#src/say-failure.ts';

/** A function for `safeParse`'s `error` that writes an issue in the language of the page that sent the request. */
export function issueMessages(headers: Headers): (issue: z.core.$ZodRawIssue) => string {
  const locale = localeOfRequest(headers);
  if (locale === DEFAULT_LOCALE) return plainMessage;
  const t = translator(locale, 'errors');
  return (issue) => sayIssue(t, issue);
}

/** The error in the language of the page that sent the request. */
export function translateError(headers: Headers, error: ApiError): ApiError {
  const locale = localeOfRequest(headers);
  if (locale === DEFAULT_LOCALE) return error;
  const { code, status, details } = error;
  return new ApiError(code, sayFailure(locale, error), {
    status,
    ...(details === undefined ? {} : { details }),
  });
}
