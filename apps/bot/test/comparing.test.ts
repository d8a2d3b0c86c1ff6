import { verifies } from '@bailiff/core/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Bot } from '#src/bot.ts';
import { createLog } from '#src/log.ts';
import { bot, newMember, personOf, type Stage, setStage } from './harness.ts';

let stage: Stage;
let later: Bot | undefined;
beforeEach(async () => {
  stage = await setStage();
});
afterEach(async () => {
  await later?.stop();
  later = undefined;
  await stage.close();
});

const STATE = 'SELECT mirror_fresh AS fresh, mirror_problem AS problem FROM live_guilds WHERE id = $1';
interface State {
  readonly fresh: boolean;
  readonly problem: string | null;
}
const untilState = (fits: (state: State) => boolean) => stage.row<State>(STATE, [stage.guildId], fits);
const members = () => `/guilds/${stage.guildId}/members`;

/** The pages of the guild's member list that Discord was asked for, by the id after which they begin. */
function pages(): { after: string; status: number | null }[] {
  return stage.sandbox.requests
    .filter(({ path }) => path === members())
    .map(({ query, status }) => ({ after: new URLSearchParams(query).get('after') ?? '', status }));
}

test('a page of the member list that fails is read again, and not those before it', async () => {
  verifies('bot.ready-compares');
  for (let count = 0; count < 2_100; count += 1) newMember(stage.sandbox);
  await stage.bot.stop();
  const before = pages().length;
  const { sandbox } = stage;
  // The third page fails until the problem has been seen.
  sandbox.control.addFault({ route: members(), method: 'GET', delay_ms: 1, times: 2 });
  sandbox.control.addFault({ route: members(), method: 'GET', status: 500, times: null });
  later = await bot(stage.config);
  await untilState(({ problem }) => problem === 'no_answer');
  sandbox.control.clearFaults();
  await later.settled;
  expect(await untilState(({ fresh }) => fresh)).toEqual({ fresh: true, problem: null });
  const read = pages().slice(before);
  expect(read.filter(({ status }) => status === 500)).not.toEqual([]);
  const answered = read.filter(({ status }) => status === 200).map(({ after }) => after);
  expect(answered).toHaveLength(3);
  expect(new Set(answered).size, 'each page was answered once').toBe(3);
});

test('a guild that cannot be compared is read again after half a minute at most, and where it is forbidden after ten', async () => {
  const { control } = stage.sandbox;
  await stage.bot.stop();
  const pauses: number[] = [];
  const log = createLog('debug', [], (line) => {
    const { msg, pause_ms } = JSON.parse(line) as { msg: string; pause_ms?: number };
    if (/guild (could not|still cannot) be compared/.test(msg) && pause_ms !== undefined)
      pauses.push(pause_ms);
  });
  let changes = 0;
  /** The longest pause that follows so many failures. A change of the guild ends each pause early. */
  const longestAfter = async (failures: number) => {
    const before = pauses.length;
    await expect
      .poll(() => {
        changes += 1;
        control.guilds({ action: 'update', name: `Change ${changes}` });
        return pauses.length - before;
      })
      .toBeGreaterThan(failures);
    return Math.max(...pauses.slice(before + 1));
  };
  control.addFault({ route: members(), method: 'GET', status: 500, times: null });
  later = await bot(stage.config, log);
  expect(await longestAfter(12)).toBe(30_000);
  control.clearFaults();
  const body = { message: 'Missing Access', code: 50_001 };
  control.addFault({ route: members(), method: 'GET', status: 403, times: null, body });
  expect(await longestAfter(2)).toBe(600_000);
  control.clearFaults();
});

test('a guild whose members Discord limits the bot to read waits, and says why', async () => {
  stage.sandbox.control.addFault({ route: members(), method: 'GET', rate_limit: { retry_after: 30 } });
  await stage.test.database.pool.query(
    "SELECT graphile_worker.add_job('mirror_guild', json_build_object('guild_id', $1::text))",
    [stage.guildId],
  );
  expect((await untilState(({ problem }) => problem !== null)).problem).toBe('rate_limited');
});

test('a new name of a guild asks Discord for no list of members, and a new owner only for the owner', async () => {
  const before = pages().length;
  stage.sandbox.control.guilds({ action: 'update', name: 'Boosted', owner: 'member2' });
  await stage.row('SELECT FROM members WHERE guild_id = $1 AND user_id = $2', [
    stage.guildId,
    personOf(stage.sandbox, 'member2'),
  ]);
  await stage.row('SELECT FROM guilds WHERE name = $1', ['Boosted']);
  expect(pages().length).toBe(before);
});

test('a guild whose roles change faster than its list can be read is trusted, and knows the latest roles', async () => {
  verifies('bot.ready-compares');
  const { control } = stage.sandbox;
  await stage.bot.stop();
  control.addFault({ route: members(), method: 'GET', delay_ms: 500, times: null });
  const { roles = [] } = stage.sandbox.getState().guilds[0] ?? {};
  const role = roles.find(({ name }) => name.startsWith('Artist'))?.id ?? '';
  let renamed = 0;
  const changing = setInterval(() => {
    renamed += 1;
    control.roles({ action: 'update', role, name: `Artist ${renamed}` });
  }, 200);
  try {
    later = await bot(stage.config);
    await untilState(({ fresh }) => fresh);
    expect(renamed).toBeGreaterThan(2);
  } finally {
    clearInterval(changing);
  }
  await stage.row('SELECT FROM roles WHERE guild_id = $1 AND name = $2', [
    stage.guildId,
    `Artist ${renamed}`,
  ]);
});

test('a guild that Discord does not show the bot is refused, and the bot is ready without it', async () => {
  verifies('bot.ready-serving');
  const { control } = stage.sandbox;
  await stage.bot.stop();
  const body = { message: 'Missing Access', code: 50_001 };
  control.addFault({ route: members(), method: 'GET', status: 403, times: null, body });
  later = await bot(stage.config);
  await untilState(({ fresh, problem }) => !fresh && problem === 'no_access');
  const call = stage.act('bans.add', 'owner', { user_id: newMember(stage.sandbox), reason: 'Spam' });
  await expect(call).rejects.toMatchObject({ status: 503, details: { guild_state: 'refused' } });
  await later.ready;
  control.clearFaults();
  // Somebody changes something about the guild: the bot need not wait for its next try.
  control.guilds({ action: 'update', name: 'Open again' });
  await untilState(({ fresh }) => fresh);
});

test('after a new session, guilds whose tokens are in use are compared before the others', async () => {
  verifies('bot.ready-compares');
  const large = await setStage({ validate: false, large: { guilds: 60, members: 200 } });
  try {
    const { pool } = large.test.database;
    const { rows } = await pool.query<{ guild_id: string }>(
      `INSERT INTO tokens (guild_id, issuer_id, name, kind, secret_hash, secret_last_four, capabilities, last_used_at)
       SELECT id, owner_id, 'test', 'rest', '\\x00', 'abcd', '{bans.write}', now() FROM guilds
       WHERE name LIKE 'Guild %' ORDER BY id DESC LIMIT 1
       RETURNING guild_id`,
    );
    const { identifies } = large.sandbox.getState().gateway;
    // One of them is not compared until it has been seen that they are anew.
    const list = { route: `/guilds/${large.guildId}/members`, method: 'GET' };
    large.sandbox.control.addFault({ ...list, held: true, times: null });
    large.sandbox.control.gateway({ action: 'invalidate' });
    await large.sandbox.until(({ gateway }) => gateway.identifies > identifies, 60_000, 'a new session');
    await large.row('SELECT FROM guilds WHERE mirrored_at IS NULL');
    large.sandbox.control.clearFaults();
    await large.row<{ all: boolean }>(
      'SELECT bool_and(mirror_fresh) AS all FROM live_guilds',
      [],
      ({ all }) => all,
    );
    const order = await pool.query<{ id: string }>('SELECT id FROM guilds ORDER BY mirrored_at');
    const place = order.rows.findIndex(({ id }) => id === rows[0]?.guild_id);
    expect(place, `its place among ${order.rows.length}`).toBeLessThan(25);
  } finally {
    await large.close();
  }
});
