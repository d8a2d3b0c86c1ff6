import { ApiError, type Issue, plainMessage } from '@bailiff/core';
import type { WordedIssue } from '@bailiff/core/issue-words';
import { DEFAULT_LOCALE, type Locale, sayIssue, sayIssueWords, translator } from '@bailiff/messages';
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
  const { code, status, details } = error;
  if (details !== undefined && 'issues' in details) {
    const issues = details.issues.map((issue) => inLanguage(locale, issue));
    // The error says what the first issue says, with or without the name of the field.
    const message = error.message.replace(details.issues[0]?.message ?? '', () => issues[0]?.message ?? '');
    return new ApiError('VALIDATION_FAILED', message, { status, details: { issues } });
  }
  if (locale === DEFAULT_LOCALE) return error;
  return new ApiError(code, sayFailure(locale, error), {
    status,
    ...(details === undefined ? {} : { details }),
  });
}

/** An issue of the engine says in words what it means. What a schema says was written in the language already. */
function inLanguage(locale: Locale, issue: Issue | (Issue & WordedIssue)): Issue {
  if (!('say' in issue)) return issue;
  return { path: issue.path, message: sayIssueWords(translator(locale, 'errors'), issue.say) };
}
