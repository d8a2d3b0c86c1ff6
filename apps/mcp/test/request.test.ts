import {
  canBeDestructive,
  exampleCall,
  expectedSentinel,
  type InputOf,
  isDestructive,
  matchesSentinel,
  matchRoute,
  normalise,
  type RestOperation,
  readBody,
  readQuery,
} from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inputOf } from '#src/request.ts';
import { TOOL_SPECS } from '#src/tools.ts';
import { FarEnd, GUILD, sessionOf, USER } from './support.ts';

const never = new AbortController().signal;
const far = new FarEnd();

beforeAll(() => far.start());
afterAll(() => far.close());
beforeEach(() => far.reset());

const operations = [...new Set(TOOL_SPECS.map(({ operation }) => operation))];
const destructive = operations.filter(canBeDestructive);

/** The documented example of an operation: its request, and its input. */
function exampleOf(name: RestOperation) {
  const example = exampleCall(name, { origin: '', guildId: GUILD, token: 'x' });
  const url = new URL(example.url, 'http://bailiff.test');
  const route = matchRoute(example.method, url.pathname.replace('/api/public/v1', ''));
  if (route.kind !== 'operation') throw new Error(`${example.url} is no route.`);
  const read =
    example.method === 'GET'
      ? readQuery(name, route.params, url.searchParams)
      : readBody(name, route.params, example.body);
  if (!read.ok) throw new Error(`The example of ${name} is wrong.`);
  return { example, input: read.input as InputOf<RestOperation> };
}

test.each(operations)('%s is sent as its documented example is', async (operation) => {
  const { example, input } = exampleOf(operation);
  await sessionOf(far).send({ operation, guildId: GUILD, input }, never);
  const [request] = far.received;
  const sent = new URL(`/api/public/v1${request?.path}`, 'http://bailiff.test');
  const documented = new URL(example.url, 'http://bailiff.test');
  expect(request?.method).toBe(example.method);
  expect(sent.pathname).toBe(documented.pathname);
  // Defaults may be sent as well.
  expect(Object.fromEntries(sent.searchParams)).toMatchObject(Object.fromEntries(documented.searchParams));
  if (example.body !== undefined) expect(request?.body).toMatchObject(example.body);
  const key = request?.headers['idempotency-key'];
  if (example.method === 'GET') expect(key).toBeUndefined();
  else expect(key).toMatch(/^[0-9a-f-]{36}$/);
});

describe('the sentinel', () => {
  test.each(destructive)(
    '%s: is that of the validated input, and every change of a field changes what is sent',
    (operation) => {
      verifies('H18', 'mcp.sentinel.built');
      const { input } = exampleOf(operation);
      const sent = inputOf({ operation, guildId: GUILD, input });
      expect(sent).toMatchObject({ _confirmation: expectedSentinel(operation, GUILD, input).concrete });
      for (const [field, value] of Object.entries(input)) {
        const other = {
          ...input,
          [field]: typeof value === 'number' ? value + 1 : `${value}9`,
        } as typeof input;
        expect(inputOf({ operation, guildId: GUILD, input: other }), field).not.toEqual(sent);
      }
    },
  );

  test('a short mute has none, a long one has', () => {
    verifies('H18');
    const mute = (duration_minutes: number) =>
      inputOf({
        operation: 'mutes.add',
        guildId: GUILD,
        input: { user_id: USER, duration_minutes, reason: 'x' },
      });
    expect(mute(1440)).not.toHaveProperty('_confirmation');
    expect(mute(1441)).toMatchObject({
      _confirmation: `MUTE USER ${USER} IN GUILD ${GUILD} DURATION 1441`,
    });
  });

  test('no text gets into it, whatever it says', () => {
    verifies('H18', 'mcp.sentinel.not-an-argument', 'H19');
    const nasty = fc.constantFrom(
      'PERMANENT',
      `BAN USER 1 IN GUILD ${GUILD} PERMANENT`,
      'ß',
      'ı',
      '\u00a0',
      '{guildId}',
      '\u202e',
    );
    const reason = fc
      .array(fc.oneof(nasty, fc.string({ minLength: 1 })), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join(' '));
    const minutes = fc.option(fc.integer({ min: 1, max: 525_600 }), { nil: undefined });
    const snowflake = fc.bigInt({ min: 10n ** 17n, max: 10n ** 19n }).map(String);
    fc.assert(
      fc.property(snowflake, reason, minutes, (user_id, why, duration_minutes) => {
        const input = {
          user_id,
          reason: why,
          ...(duration_minutes === undefined ? {} : { duration_minutes }),
        };
        const sent = inputOf({ operation: 'bans.add', guildId: GUILD, input });
        const confirmation = '_confirmation' in sent ? String(sent._confirmation) : '';
        const length = duration_minutes === undefined ? 'PERMANENT' : `DURATION ${duration_minutes}`;
        expect(confirmation).toBe(`BAN USER ${user_id} IN GUILD ${GUILD} ${length}`);
        expect(matchesSentinel('bans.add', GUILD, input, confirmation)).toBe(true);
        expect(normalise(confirmation)).toBe(confirmation);
      }),
    );
  });

  test('an id with anything but digits in it is no argument', () => {
    verifies('H18', 'H19');
    const spec = TOOL_SPECS.find(({ tool }) => tool.name === 'ban_user');
    for (const user_id of [
      `${USER} PERMANENT`,
      `${USER}\n`,
      '１'.repeat(18),
      `${USER}ß`,
      '1',
      1e17,
      [USER],
    ]) {
      expect(spec?.input.safeParse({ user_id, reason: 'x' }).success, String(user_id)).toBe(false);
    }
  });
});

test('every destructive tool is one whose calls have a sentinel', () => {
  for (const { tool, operation } of TOOL_SPECS) {
    const isShortMute = tool.name === 'mute_user';
    expect(tool.annotations.destructiveHint, tool.name).toBe(canBeDestructive(operation) && !isShortMute);
  }
  expect(isDestructive('bans.add', { user_id: USER, reason: 'x' })).toBe(true);
});
