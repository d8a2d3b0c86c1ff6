// What the dashboard's API says of a call that the engine refuses, in the language of the page.
import { ApiError, type Issue } from '@bailiff/core';
import type { WordedIssue } from '@bailiff/core/issue-words';
import { translator } from '@bailiff/messages';
import { expect, test } from 'vitest';
import { translateError } from '#src/dashboard-api/translate-errors.ts';

const MESSAGE = 'another preset of this kind has this name';
const taken = { path: 'name', message: MESSAGE, say: { key: 'presetName' } } satisfies Issue & WordedIssue;
const german = translator('de', 'errors');

const inLanguage = (language: string, error: ApiError) =>
  translateError(new Headers({ 'Accept-Language': language }), error).envelope('req_1').error;

test.each([
  ['en', MESSAGE],
  ['de', german('issues.own.presetName')],
])(
  'in the language %s an issue of the engine says: %s, and nothing but its field and its text is sent',
  (language, message) => {
    const error = new ApiError('VALIDATION_FAILED', `name: ${MESSAGE}.`, { details: { issues: [taken] } });
    expect(inLanguage(language, error)).toMatchObject({
      code: 'VALIDATION_FAILED',
      message: `name: ${message}.`,
      details: { issues: [{ path: 'name', message }] },
    });
    expect(JSON.stringify(inLanguage(language, error))).not.toContain('presetName');
  },
);

test('what a schema said is in the language already, and any other error is said in it', () => {
  const said = { path: 'host', message: german('issues.own.host') };
  const error = new ApiError('VALIDATION_FAILED', 'host: x.', { status: 413, details: { issues: [said] } });
  expect(inLanguage('de', error).details).toEqual({ issues: [said] });
  expect(translateError(new Headers({ 'Accept-Language': 'de' }), error).status).toBe(413);
  const details = { reason: 'OWNER_ONLY' } as const;
  const refused = new ApiError('FORBIDDEN', 'Only the owner can do this.', { details });
  expect(inLanguage('de', refused)).toMatchObject({ message: german('forbidden.ownerOnly'), details });
  expect(inLanguage('en', refused).message).toBe('Only the owner can do this.');
});

test('what does not exist, or is not theirs to see, is said in the language of the page', () => {
  const absent = new ApiError('NOT_FOUND', 'There is no case with this number.');
  expect(inLanguage('de', absent).message).toBe(german('notFound'));
});
