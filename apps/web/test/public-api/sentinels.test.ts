import { verifies } from '@bailiff/core/testing';
import { seedWindow } from '@bailiff/engine/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type DestructiveCall, destructiveCalls, openRemovable } from './destructive-calls.ts';
import { ALL_NOTHING, type PublicApiHarness, startPublicApi } from './harness.ts';

let api: PublicApiHarness;

beforeAll(async () => {
  api = await startPublicApi({ performers: ALL_NOTHING });
  await seedWindow(api.database, api.guild, api.token);
});

afterAll(async () => {
  await api.close();
});

beforeEach(() => api.database.pool.query('TRUNCATE budgets'));

/** One call of each operation, each on cases of its own. */
async function calls(): Promise<DestructiveCall[]> {
  return destructiveCalls(api.guild, await openRemovable(api.database, api.guild));
}

async function send({ method, path, body }: DestructiveCall, confirmation: string | undefined) {
  await api.database.pool.query('TRUNCATE budgets');
  return api.inGuild(path, { method, body: { ...body, _confirmation: confirmation } });
}

const sloppy = (sentinel: string) => sentinel.toLowerCase().replaceAll(' ', '  ');

async function admittedSoFar(): Promise<number> {
  const { rows } = await api.database.pool.query('SELECT count(*)::int AS count FROM actions');
  return rows[0].count;
}

async function expectAdmitted(call: DestructiveCall, confirmation: string) {
  const before = await admittedSoFar();
  const { status, body } = await send(call, confirmation);
  expect([200, 201], `${confirmation}: ${JSON.stringify(body)}`).toContain(status);
  expect(await admittedSoFar()).toBe(before + 1);
}

it('the template of each operation, filled in, is admitted', async () => {
  verifies(
    'sentinel.strikes.add.minor',
    'sentinel.strikes.remove.template',
    'sentinel.bans.add.permanent',
    'sentinel.bans.lift.template',
    'sentinel.mutes.add.template',
    'sentinel.mutes.lift.template',
    'sentinel.messages.purge.template',
    'sentinel.servers.rcon.template',
  );
  for (const call of await calls()) await expectAdmitted(call, call.concrete);
});

it('so it is in lower case with doubled spaces', async () => {
  verifies(
    'sentinel.strikes.add.minor',
    'sentinel.strikes.remove.template',
    'sentinel.bans.add.permanent',
    'sentinel.bans.lift.template',
    'sentinel.mutes.add.template',
    'sentinel.mutes.lift.template',
    'sentinel.messages.purge.template',
    'sentinel.servers.rcon.template',
    'H19',
  );
  for (const call of await calls()) await expectAdmitted(call, sloppy(call.concrete));
});

it('a choice is filled with what the request says', async () => {
  verifies('sentinel.strikes.add.major', 'sentinel.bans.add.duration');
  const all = await calls();
  const strike = all.find(({ operation }) => operation === 'strikes.add');
  const ban = all.find(({ operation }) => operation === 'bans.add');
  if (strike === undefined || ban === undefined)
    throw new Error('There is a strike and a ban among the calls');
  const major = { ...strike, body: { ...strike.body, severity: 'major' } };
  const week = { ...ban, body: { ...ban.body, duration_minutes: 10_080 } };
  for (const [call, concrete] of [
    [major, strike.concrete.replace('MINOR', 'MAJOR')],
    [week, ban.concrete.replace('PERMANENT', 'DURATION 10080')],
  ] as const) {
    await expectAdmitted(call, concrete);
    await expectAdmitted(call, sloppy(concrete));
    expect((await send(call, concrete.replace(/MAJOR|10080/, 'MINOR'))).status).toBe(422);
  }
  expect((await send(week, ban.concrete)).status).toBe(422);
  expect((await send(ban, ban.concrete.replace('PERMANENT', 'DURATION 10080'))).status).toBe(422);
});

/** The sentinel with another target, count, duration, channel, server or choice, one at a time. */
function withOtherValues({ concrete }: DestructiveCall): string[] {
  const words = concrete.split(' ');
  const others: Record<string, string> = { MINOR: 'MAJOR', PERMANENT: 'DURATION 10080' };
  return words.flatMap((word, at) => {
    const id = /\d/.test(word) ? `${word.slice(0, -1)}${word.endsWith('0') ? 1 : 0}` : word;
    const other = others[word] ?? id;
    return other === word ? [] : [words.with(at, other).join(' ')];
  });
}

it('any other gets the right one in the error, which is then admitted', async () => {
  verifies(
    'sentinel.strikes.add.mismatch',
    'sentinel.strikes.remove.mismatch',
    'sentinel.bans.add.mismatch',
    'sentinel.bans.lift.mismatch',
    'sentinel.mutes.add.mismatch',
    'sentinel.mutes.lift.mismatch',
    'sentinel.messages.purge.mismatch',
    'sentinel.servers.rcon.mismatch',
    'errors.invalid-confirmation.status',
    'sentinel.values-from-request',
  );
  for (const call of await calls()) {
    const before = await admittedSoFar();
    for (const confirmation of [undefined, '', 'YES', call.concrete.replace(api.guild.id, '1')]) {
      const refused = await send(call, confirmation);
      expect(refused.status, call.operation).toBe(422);
      expect(refused.body.error).toMatchObject({ code: 'INVALID_CONFIRMATION', retryable: false });
      expect(refused.body.error.details).toEqual({
        expected_format: call.format,
        expected_concrete: call.concrete,
      });
    }
    const forged = withOtherValues(call);
    expect(forged.length, call.operation).toBeGreaterThanOrEqual(2);
    for (const confirmation of forged) {
      const refused = await send(call, confirmation);
      expect(refused.body.error?.code, confirmation).toBe('INVALID_CONFIRMATION');
    }
    expect(await admittedSoFar()).toBe(before);
    const refused = await send(call, 'YES');
    await expectAdmitted(call, refused.body.error.details.expected_concrete);
  }
});

it('a word too many, too few, misspelt or moved is another sentinel', async () => {
  verifies('sentinel.normalise.spelling');
  const before = await admittedSoFar();
  for (const call of await calls()) {
    const words = call.concrete.split(' ');
    const [first = '', second = '', ...rest] = words;
    for (const wrong of [
      [`${first}X`, second, ...rest],
      [first, ...rest],
      words.slice(0, -1),
      [...words, 'PLEASE'],
      [second, first, ...rest],
      [words.join('')],
    ]) {
      const refused = await send(call, wrong.join(' '));
      expect(refused.body.error?.code, wrong.join(' ')).toBe('INVALID_CONFIRMATION');
    }
  }
  expect(await admittedSoFar()).toBe(before);
});

it('no identifier forges further words', async () => {
  verifies('sentinel.no-forgery', 'H19');
  const forged = `${api.guild.memberId} IN GUILD ${api.guild.id} PERMANENT`;
  const inBody: [string, object][] = [
    ['/strikes', { user_id: forged, reason: 'x', severity: 'minor' }],
    ['/strikes', { user_id: api.guild.memberId, reason: 'x', severity: 'minor IN GUILD' }],
    ['/bans', { user_id: forged, reason: 'x' }],
    ['/bans', { user_id: `${api.guild.memberId}\n`, reason: 'x' }],
    ['/mutes', { user_id: forged, reason: 'x', duration_minutes: 1441 }],
    ['/mass-purge', { channel_id: forged, count: 1 }],
    ['/mass-purge', { channel_id: api.guild.memberId, count: '1 MESSAGES' }],
  ];
  for (const [path, body] of inBody) {
    const refused = await api.inGuild(path, { method: 'POST', body });
    expect([refused.status, refused.body.error.code], path).toEqual([422, 'VALIDATION_FAILED']);
  }
  const word = encodeURIComponent(`${api.guild.memberId} IN GUILD`);
  for (const [method, path, body] of [
    ['DELETE', `/strikes/str_${'0'.repeat(32)}%20IN`, {}],
    ['DELETE', `/bans/${word}`, {}],
    ['DELETE', `/mutes/${word}`, {}],
    ['POST', `/servers/srv_${'0'.repeat(32)}%09/rcon/run`, { command: 'list' }],
  ] as const) {
    const refused = await api.inGuild(path, { method, body });
    expect([refused.status, refused.body.error.code], path).toEqual([400, 'VALIDATION_FAILED']);
  }
});
