import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import {
  AuditRow,
  entryOf,
  id,
  Moment,
  OPERATION_NAMES,
  Server,
  Snowflake,
  Strike,
  Ticket,
  Timestamp,
  text,
} from '#src/index.ts';
import { anyCharacter, SAMPLES } from '#src/testing-samples.ts';

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;

test.each([
  ['12345678901234567', true],
  ['12345678901234567890', true],
  ['1234567890123456', false],
  ['123456789012345678901', false],
  ['123456789012345678\n', false],
  [' 123456789012345678', false],
  ['１２３４５６７８９０１２３４５６７８', false],
  [123456789012345680, false],
])('Discord id %j: %s', (value, right) => {
  expect(accepts(Snowflake, value)).toBe(right);
});

test.each([
  ['str_0190b7c44a3c7d3a9c3f2f6f0e8a1b2c', true],
  ['STR_0190b7c44a3c7d3a9c3f2f6f0e8a1b2c', false],
  ['ban_0190b7c44a3c7d3a9c3f2f6f0e8a1b2c', false],
  ['str_0190b7c44a3c7d3a9c3f2f6f0e8a1b2C', false],
  ['str_0190b7c44a3c7d3a9c3f2f6f0e8a1b2c ', false],
  ['str_', false],
])('strike id %j: %s', (value, right) => {
  expect(accepts(id('strike'), value)).toBe(right);
});

test.each([
  ['2026-01-31T12:00:00Z', true],
  ['2026-01-31T12:00:00.123Z', true],
  ['2026-02-30T12:00:00Z', false],
  ['2026-01-31T12:00:00+02:00', false],
  ['0000-01-01T00:00:00Z', false],
  ['2014-12-31T23:59:59Z', false],
  ['2100-01-01T00:00:00Z', false],
  [`2026-01-31T12:00:00.${'1'.repeat(200)}Z`, false],
  ['2026-01-31', false],
  ['yesterday', false],
])('moment %j: %s', (value, right) => {
  expect(accepts(Moment, value)).toBe(right);
});

test('every time a caller may give is one that Date reads', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('2015-01-01'), max: new Date('2099-12-31'), noInvalidDate: true }),
      (date) => {
        expect(accepts(Moment, date.toISOString())).toBe(true);
        expect(accepts(Timestamp, date.toISOString())).toBe(true);
      },
    ),
  );
});

test('text is refused where PostgreSQL would not keep it as sent, and only there', () => {
  expect(accepts(text(10), 'a\u0000b')).toBe(false);
  expect(accepts(text(10), 'a\ud800b')).toBe(false);
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 20, unit: anyCharacter }), (value) => {
      const right = [...value].length <= 20 && !value.includes('\u0000') && value.isWellFormed();
      expect(accepts(text(20), value)).toBe(right);
    }),
  );
});

test('an RCON command is one line of 1 to 1446 bytes', () => {
  const runs = (command: string) =>
    accepts(entryOf('servers.rcon').input, { ...SAMPLES['servers.rcon'], command });
  expect(['a', 'a'.repeat(1446), 'é'.repeat(723), 'say\ttab'].filter((command) => !runs(command))).toEqual(
    [],
  );
  const wrong = [
    '',
    'a'.repeat(1447),
    `${'é'.repeat(723)}a`,
    'say a\nop b',
    'say a\rop b',
    'say a\u2028op b',
    'a\u0000',
  ];
  expect(wrong.filter(runs)).toEqual([]);
});

const BOUNDS: readonly (readonly [
  Parameters<typeof entryOf>[0],
  string,
  readonly unknown[],
  readonly unknown[],
])[] = [
  ['mutes.add', 'duration_minutes', [1, 525_600], [0, 525_601, 1.5, '60', null, undefined]],
  ['bans.add', 'duration_minutes', [1, 525_600, undefined], [0, 525_601, null]],
  ['bans.add', 'delete_message_seconds', [0, 604_800, undefined], [-1, 604_801]],
  ['bans.add', 'reason', ['x', 'x'.repeat(512)], ['', 'x'.repeat(513), undefined, 1]],
  ['strikes.add', 'severity', ['minor', 'major'], ['MINOR', 'severe', '', undefined]],
  ['strikes.add', 'player_name', ['x'.repeat(64), undefined], ['', 'x'.repeat(65), null]],
  ['messages.purge', 'count', [1, 1000], [0, 1001, undefined]],
  ['messages.purge', 'before', ['123456789012345678', '2026-01-31T12:00:00Z'], ['soon', 5]],
  ['bans.preview', 'users', ['x\n'.repeat(10_000)], ['x\n'.repeat(10_001)]],
  ['strikes.list', 'limit', [1, 100, undefined], [0, 101, 2.5]],
  ['tickets.list', 'status', ['open', 'claimed', 'closed', undefined], ['Open', '']],
  ['audit.list', 'action', ['bans.add', 'token.rotate'], ['Bans', "a'b", '']],
  ['audit.list', 'target', ['123456789012345678', 'str_0190'], ['a b', '']],
];

test.each(BOUNDS)('%s: bounds of %s', (name, field, right, wrong) => {
  for (const value of right)
    expect([value, accepts(entryOf(name).input, { ...SAMPLES[name], [field]: value })]).toEqual([
      value,
      true,
    ]);
  for (const value of wrong)
    expect([value, accepts(entryOf(name).input, { ...SAMPLES[name], [field]: value })]).toEqual([
      value,
      false,
    ]);
});

test('answers carry the decided fields', () => {
  expect(Object.keys(Strike.shape)).toEqual(
    expect.arrayContaining([
      'id',
      'user_id',
      'severity',
      'issued_at',
      'case_number',
      'player_name',
      'in_game_id',
      'category',
      'reason',
      'issued_by',
      'removed_by',
      'removed_at',
      'active',
    ]),
  );
  expect(Object.keys(Ticket.shape)).toEqual([
    'id',
    'number',
    'subject',
    'status',
    'opened_by',
    'channel_id',
    'opened_at',
    'claimed_by',
    'claimed_at',
    'assigned_by',
    'closed_by',
    'closed_at',
    'close_reason',
    'reopened_at',
    'reopened_by',
    'close_asked_by',
    'closes_at',
    'category',
    'answers',
  ]);
  expect(Object.keys(AuditRow.shape)).toEqual(
    expect.arrayContaining([
      'actor_source',
      'token_id',
      'token_name',
      'action',
      'target_id',
      'request_id',
      'address',
      'digest',
    ]),
  );
});

test('no answer has a field for a password or a secret', () => {
  expect(Object.keys(Server.shape).join()).not.toMatch(/password|secret/);
});

test('wire names are snake_case but for the path parameters', () => {
  for (const name of OPERATION_NAMES) {
    const { input, http } = entryOf(name);
    for (const field of Object.keys(input.shape)) {
      if (!http?.path.includes(`{${field}}`)) expect(field).toMatch(/^[a-z]+(_[a-z]+)*$/);
    }
  }
});

test('who sends text that cannot be kept reads which character is wrong', () => {
  const flawsOf = (value: string) =>
    text(10)
      .safeParse(value)
      .error?.issues.map(({ message }) => message);
  expect(flawsOf('a\u0000')).toEqual(['must not contain the character U+0000']);
  expect(flawsOf('a\udc00')).toEqual(['must not contain a lone surrogate']);
});
