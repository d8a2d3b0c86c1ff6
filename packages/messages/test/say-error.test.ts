// What people read about an error, and about a field that is wrong.
import { wordedParams } from '@bailiff/core';
import { SERVER_PROBLEMS } from '@bailiff/core/server-problems';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { CATALOGUES, LOCALES, sayError, sayIssue, sayServerProblem, translator } from '#src/index.ts';
import { byKey } from '#src/make.ts';

const errors = translator('en', 'errors');
const say = (details: object) => sayError(errors, { code: 'FORBIDDEN', message: 'as it came', details });

test.each([
  [{ reason: 'TARGET_IS_OWNER' }, 'The guild owner cannot be the target.'],
  [{ reason: 'TARGET_IS_BOT' }, 'The bot cannot be the target.'],
  [{ reason: 'TARGET_IS_SELF' }, 'You cannot do this to yourself.'],
  [{ reason: 'TICKET_NOT_CLOSED' }, errors('forbidden.ticketNotClosed')],
  [{ reason: 'NOT_CLAIMER' }, errors('forbidden.notClaimer')],
  [{ reason: 'PREVIEW_LAPSED' }, errors('forbidden.previewLapsed')],
  [{ reason: 'COUNT_DIFFERS' }, errors('forbidden.countDiffers')],
  [{ reason: 'NO_SUCH_REASON' }, 'as it came'],
] as const)('of %j people read: %s', (details, text) => {
  expect(say(details)).toBe(text);
});

test.each([
  [{}, "Give the bot's role the permission Ban Members."],
  [{ channel_id: '1' }, "Give the bot's role the permission Ban Members in the channel."],
  [
    { channel_id: '1', channel_name: 'mod-log' },
    "Give the bot's role the permission Ban Members in #mod-log.",
  ],
] as const)('a permission that the bot lacks is told with its place: %j', (where, text) => {
  const details = { reason: 'BOT_MISSING_PERMISSION', permissions: ['Ban Members'], ...where };
  expect(say(details)).toBe(text);
});

test('a permission is told in the language of who reads it, and one that nobody here knows by its title', () => {
  const german = translator('de', 'errors');
  const details = { reason: 'BOT_MISSING_PERMISSION', permissions: ['Ban Members', 'Fly Planes'] };
  const told = sayError(german, { code: 'FORBIDDEN', message: 'as it came', details });
  expect(told).toContain(`${german('permissions.BanMembers')}, Fly Planes`);
});

test.each(Object.keys(CATALOGUES.en.errors.forbidden))('the reason %s is told in its own words', (key) => {
  const reason = key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
  // The library's types ask for the arguments of each message by itself; all of them are given here.
  const told = errors as unknown as (key: string, values: object) => string;
  const values = { count: 1, permissions: 'Ban Members', where: 'guild', channel: '' };
  expect(say({ reason, permissions: ['Ban Members'], limit: 7, platform: 'minecraft' })).toBe(
    told(`forbidden.${key}`, { ...values, limit: 7, platform: 'minecraft' }),
  );
});

test('that somebody else has a ticket is told in the language of who reads it', () => {
  const german = translator('de', 'errors');
  const told = sayError(german, { code: 'ALREADY_CLAIMED', message: 'as it came', details: {} });
  expect(told).toBe(german('alreadyClaimed'));
});

test.each([
  [{ guild_state: 'disconnected' }, errors('guildState.disconnected')],
  [{ guild_state: 'comparing' }, errors('guildState.comparing')],
  [{ guild_state: 'waiting' }, errors('guildState.waiting')],
  [{ guild_state: 'refused' }, errors('guildState.refused')],
  [{ guild_state: 'left' }, errors('guildState.left')],
  ...(['not_performed', 'unknown'] as const).flatMap((outcome) =>
    (
      [
        ['database', 'unavailable.database'],
        ['bot', 'unavailable.bot'],
        ['discord', 'unavailable.discord'],
        ['game_server', 'unavailable.gameServer'],
      ] as const
    ).map(([upstream, key]) => [{ upstream, outcome }, byKey(errors)(key, { outcome })] as const),
  ),
] as const)('what is away is named: %j', (details, text) => {
  const told = sayError(errors, { code: 'UPSTREAM_UNAVAILABLE', message: 'as it came', details });
  expect(told).toBe(text);
});

test('who is too quick reads for how long to wait', () => {
  const details = { scope: 'ip', retry_after_seconds: 42 };
  const told = sayError(errors, { code: 'RATE_LIMITED', message: 'as it came', details });
  expect(told).toBe(errors('rateLimited', { seconds: 42 }));
});

test.each([
  [{ outcome: 'unknown' }, 'it is not known yet whether this happened'],
  [{ outcome: 'not_performed', permanent: true }, 'would not accept it again'],
  [{ outcome: 'not_performed' }, 'try again'],
] as const)(
  'of what Discord did not do, people read whether it may have happened and may be tried again: %j',
  (said, words) => {
    const details = { upstream: 'discord', ...said };
    const told = sayError(errors, { code: 'UPSTREAM_UNAVAILABLE', message: 'as it came', details });
    expect(told).toContain(words);
  },
);

test.each(LOCALES)(
  'why a game server was not used is said in the language %s, and that nothing was run',
  (locale) => {
    const t = translator(locale, 'errors');
    const failed = (details: object) =>
      sayError(t, { code: 'UPSTREAM_UNAVAILABLE', message: 'as it came', details });
    for (const server_problem of SERVER_PROBLEMS) {
      const problem = sayServerProblem(t, server_problem);
      expect(problem).toBe(t(`gameServer.${server_problem}`));
      const details = { upstream: 'game_server', outcome: 'not_performed', server_problem };
      expect(failed(details)).toBe(t('unavailable.server', { problem: problem ?? '' }));
    }
    expect(failed({ upstream: 'game_server', outcome: 'not_performed' })).not.toBe('as it came');
    expect(sayServerProblem(t, null)).toBeNull();
    // A release before this one noted sentences.
    expect(sayServerProblem(t, 'The game server refused the password.')).toBe(
      'The game server refused the password.',
    );
  },
);

test.each(LOCALES)('what a schema itself says of a value is said in the language %s', (locale) => {
  const t = translator(locale, 'errors');
  const say = { key: 'patternTwice', values: { line: '2', same: '1' } } as const;
  const check = (params: object) =>
    z
      .string()
      .refine(() => false, params)
      .safeParse('x', { error: (issue) => sayIssue(t, issue) }).error?.issues[0]?.message;
  expect(check(wordedParams({ message: 'line 2 says the same as line 1', say }))).toBe(
    t('issues.own.patternTwice', say.values),
  );
  expect(check({})).toBe(t('issues.invalid'));
});

test('what is wrong with a field is told with its bound', () => {
  const problem = (schema: z.ZodType, value: unknown) =>
    schema.safeParse(value, { error: (issue) => sayIssue(errors, issue) }).error?.issues[0]?.message;
  expect([
    problem(z.string().max(512), 'x'.repeat(513)),
    problem(z.string().min(3), 'x'),
    problem(z.int().max(90), 91),
    problem(z.int().min(1), 0),
    problem(z.string(), undefined),
    problem(z.enum(['minor', 'major']), 'small'),
    problem(z.int(), 1.5),
  ]).toEqual([
    'must have at most 512 characters',
    'must have at least 3 characters',
    'must be at most 90',
    'must be at least 1',
    'is required',
    'must be one of minor, major',
    errors('issues.wholeNumber'),
  ]);
});
