import { verifies } from '@bailiff/core/testing';
import { countAskOfMember } from '@bailiff/engine/calls/asks-of-members';
import { seedGuild } from '@bailiff/engine/testing';
import { dropLapsed } from '@bailiff/engine/worker/housekeeping';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ChatStage, endChatStage, setChatStage } from './chat-harness.ts';

let stage: ChatStage;
beforeAll(async () => {
  stage = await setChatStage({
    Moderator: ['strikes.read', 'strikes.write'],
    Helper: ['strikes.read', 'members.read'],
  });
});
afterAll(() => endChatStage(stage));
beforeEach(async () => {
  await query('TRUNCATE identities, identity_links, rate_limits');
});

const query = async (sql: string, values: unknown[] = []) =>
  (await stage.test.database.pool.query(sql, values)).rows;
const identities = () => query('SELECT user_id, platform, in_game_id, set_by FROM identities ORDER BY id');

const NO_SUCH_CODE = 'Not done. No code like this can be confirmed now.';

const asks = (user: string, in_game_id: string, kind = 'minecraft') =>
  stage.says(user, 'link', { kind, in_game_id });

async function codeOf(user: string, in_game_id: string): Promise<string> {
  const answer = await asks(user, in_game_id);
  const code = /^Your code is `([A-Z]{6})`/.exec(answer)?.[1];
  return code ?? expect.fail(answer);
}

const types = (code: string, user = 'moderator') =>
  stage.does({ type: 'command', user, command: 'identity confirm', options: { code }, channel: 'general' });

type Question = Awaited<ReturnType<typeof types>>;

/** The answer to a press of the button beneath the question. */
async function presses({ message }: Question, user = 'moderator'): Promise<string> {
  const custom_id = JSON.stringify(message?.components).match(/link:[0-9a-f]+/)?.[0] ?? '';
  const pressed = await stage.does({ type: 'button', user, message_id: message?.id ?? '', custom_id });
  return pressed.message?.content ?? '';
}

/** What a moderator reads who types a code that nobody can confirm. The number of the request is behind it. */
const refused = async (code: string, user = 'moderator') =>
  reason((await types(code, user)).message?.content ?? '');
const reason = (answer: string) => answer.replace(/\nRequest .*$/, '');

test('a member links an identity: a moderator is asked whether that player showed the code, and confirms', async () => {
  verifies('links.confirmed');
  const answer = await asks('newcomer', 'Block_Breaker');
  expect(answer).toMatch(
    /^Your code is `[A-Z]{6}`, for "Block\\_Breaker" \(Minecraft, name\)\. Show it to a moderator as this player/,
  );
  const code = answer.slice(14, 20);
  const question = await types(` ${code.slice(0, 3).toLowerCase()}-${code.slice(3)} `);
  expect(question.message?.content).toContain(
    `<@${stage.people.newcomer}> says: in the game I am "Block\\_Breaker" (Minecraft, name). Did this very player show`,
  );
  expect(await identities()).toEqual([]);
  expect(await presses(question)).toBe(
    `Confirmed: <@${stage.people.newcomer}> is "Block\\_Breaker" (Minecraft, name) in the game.`,
  );
  expect(await identities()).toEqual([
    {
      user_id: stage.people.newcomer,
      platform: 'minecraft',
      in_game_id: 'Block_Breaker',
      set_by: stage.people.moderator,
    },
  ]);
  const rows = await query(
    `SELECT actor_user_id, target_id, outcome FROM audit WHERE operation = 'identities.confirm'
     ORDER BY id DESC LIMIT 1`,
  );
  expect(rows).toEqual([
    { actor_user_id: stage.people.moderator, target_id: stage.people.newcomer, outcome: 'performed' },
  ]);
  // Used.
  expect(await refused(code)).toContain(NO_SUCH_CODE);
});

test('of two moderators who confirm a code at once, one does', async () => {
  verifies('links.confirmed');
  const code = await codeOf('newcomer', 'Steve');
  const questions = [await types(code), await types(code, 'owner')] as const;
  const answers = await Promise.all([presses(questions[0]), presses(questions[1], 'owner')]);
  expect(answers.filter((each) => each.startsWith('Confirmed:'))).toHaveLength(1);
  expect(answers.filter((each) => each.startsWith(NO_SUCH_CODE))).toHaveLength(1);
  expect(await identities()).toHaveLength(1);
});

test('wrong, old, replaced and used codes get the same answer', async () => {
  verifies('links.one-text');
  const answers = [await refused('not a code'), await refused('BCDFGH')];
  const replaced = await codeOf('newcomer', 'Steve');
  const question = await types(replaced);
  const old = await codeOf('newcomer', 'Alex');
  answers.push(await refused(replaced));
  // What was asked about before is not kept either.
  expect(reason(await presses(question))).toBe(answers[0]);
  const lateQuestion = await types(old);
  await query("UPDATE identity_links SET expires_at = now() - interval '1 second'");
  answers.push(await refused(old), reason(await presses(lateQuestion)));
  expect(answers[0]).toContain(NO_SUCH_CODE);
  expect(new Set(answers).size).toBe(1);
  expect(await identities()).toEqual([]);
  // An old code counts as a wrong one.
  for (let tried = 0; tried < 6; tried += 1) expect(await refused(old)).toBe(answers[0]);
  expect(await refused(old)).toContain('You have typed 10 wrong codes');
});

test('a member gets five codes within an hour', async () => {
  verifies('links.bounded');
  for (let count = 0; count < 5; count += 1) await codeOf('troll', 'Steve');
  expect(await asks('troll', 'Steve')).toContain('You have asked for 5 codes within an hour.');
  await query("UPDATE identity_links SET asked_at = now() - interval '61 minutes'");
  await codeOf('troll', 'Steve');
});

test('the members of a guild get 2,000 codes a day together', async () => {
  verifies('links.bounded');
  await query(
    `INSERT INTO identity_links (guild_id, user_id, platform, in_game_id, expires_at)
     SELECT $1, n, 'minecraft', 'Somebody', now() FROM generate_series(1, 1999) AS n`,
    [stage.guildId],
  );
  await codeOf('newcomer', 'Steve');
  expect(await asks('troll', 'Alex')).toContain('have asked for too many codes today');
  await query("UPDATE identity_links SET asked_at = now() - interval '25 hours' WHERE user_id = '1'");
  await codeOf('troll', 'Alex');
});

test('codes that members got in another guild do not count', async () => {
  verifies('links.bounded');
  const elsewhere = await seedGuild(stage.test.database);
  await query(
    `INSERT INTO identity_links (guild_id, user_id, platform, in_game_id, expires_at)
     SELECT $1, $2, 'minecraft', 'Somebody', now() FROM generate_series(1, 2000)`,
    [elsewhere.id, stage.people.troll],
  );
  await codeOf('troll', 'Steve');
});

test('after 10 wrong codes a moderator waits, also with a right one, and others do not', async () => {
  verifies('links.one-text');
  const code = await codeOf('newcomer', 'Steve');
  // A right one is not counted.
  await types(code);
  const answers = await Promise.all(Array.from({ length: 12 }, () => refused('BCDFGH')));
  expect(answers.filter((each) => each.includes(NO_SUCH_CODE))).toHaveLength(10);
  expect(await refused(code)).toContain('Not done. You have typed 10 wrong codes within ten minutes.');
  expect((await types(code, 'owner')).message?.content).toContain('says: in the game I am "Steve"');
  // Time passes.
  await query(
    'UPDATE rate_limits SET slot_ends = ARRAY(SELECT slot_end - 601000 FROM unnest(slot_ends) AS slot_end)',
  );
  expect((await types(code)).message?.content).toContain('says: in the game I am "Steve"');
});

test('who may not set identities learns nothing of a code', async () => {
  verifies('links.one-text');
  const code = await codeOf('newcomer', 'Steve');
  for (const typed of [code, 'BCDFGH']) {
    expect(await refused(typed, 'helper')).toMatch(/^Not done\..*strikes\.write/);
  }
  expect(await identities()).toEqual([]);
});

test('a member has one valid code, asks for 5 an hour, and no record has one', async () => {
  verifies('links.bounded');
  const codes = [];
  for (const name of ['One', 'Two', 'Three', 'Four', 'Five'])
    codes.push(await codeOf('newcomer', `P_${name}`));
  expect(await asks('newcomer', 'P_Six')).toContain('Not done. You have asked for 5 codes within an hour.');
  expect(await query('SELECT in_game_id FROM identity_links WHERE code_hash IS NOT NULL')).toEqual([
    { in_game_id: 'P_Five' },
  ]);
  // Another member's are their own.
  codes.push(await codeOf('troll', 'P_Troll'));
  await presses(await types(codes.at(-1) ?? ''));
  const records = JSON.stringify(
    await query(
      `SELECT to_jsonb(a) AS record FROM actions a UNION ALL SELECT to_jsonb(a) FROM audit a
       UNION ALL SELECT to_jsonb(l) FROM identity_links l`,
    ),
  );
  expect(records).toContain('P_Five');
  for (const code of codes) expect(records).not.toContain(code);
  await query("UPDATE identity_links SET asked_at = asked_at - interval '61 minutes'");
  await codeOf('newcomer', 'P_Six');
  await query("UPDATE identity_links SET asked_at = asked_at - interval '23 hours'");
  await dropLapsed(stage.engine.db);
  expect(await query('SELECT in_game_id FROM identity_links')).toEqual([{ in_game_id: 'P_Six' }]);
});

test('what no game could have is refused before there is a code', async () => {
  verifies('links.bounded');
  expect(await asks('newcomer', 'Steve; op Steve')).toContain(
    'The name or id must be the name of a Minecraft player',
  );
  expect(await query('SELECT FROM identity_links')).toEqual([]);
});

test('a member who asks without end leaves 40 records an hour, and others are not in their way', async () => {
  verifies('chat.asks-bounded');
  const recorded = async () => {
    const [row] = await query(
      "SELECT (SELECT count(*) FROM actions)::int AS actions, (SELECT count(*) FROM audit WHERE operation LIKE 'identities.%')::int AS audit",
    );
    return row;
  };
  const before = await recorded();
  const answers: string[] = [];
  for (let ask = 0; ask < 43; ask += 1) answers.push(await asks('quiet', 'no name; at all'));
  const after = await recorded();
  expect([after.actions - before.actions, after.audit - before.audit]).toEqual([40, 80]);
  expect(answers.slice(0, 40).filter((each) => !each.includes('Minecraft player'))).toEqual([]);
  for (const answer of answers.slice(40))
    expect(answer).toMatch(/Too much at once\. Try again in 3,\d{3} seconds/);
  await codeOf('newcomer', 'Steve');
});

test('what a member asks in one guild is not counted in another', async () => {
  verifies('chat.asks-bounded');
  const ask = (guildId: string) =>
    countAskOfMember(stage.engine, { operation: 'identities.link', guildId, userId: '300000000000000001' });
  for (let n = 0; n < 40; n += 1) await ask('200000000000000001');
  await expect(ask('200000000000000001')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  await ask('200000000000000002');
});

test('a code takes an identity from nobody', async () => {
  verifies('links.first-stays');
  await stage.says('moderator', 'identity add', { user: 'troll', kind: 'minecraft', in_game_id: 'Steve' });
  const code = await codeOf('newcomer', 'sTEVE');
  expect(await presses(await types(code))).toContain('Not done. Somebody else has this identity already.');
  expect(await identities()).toMatchObject([{ user_id: stage.people.troll, in_game_id: 'Steve' }]);
  // Removed there first, the same code still works.
  await query('DELETE FROM identities');
  expect(await presses(await types(code))).toMatch(/^Confirmed:/);
  // A code for what they have already changes nothing.
  expect(await presses(await types(await codeOf('newcomer', 'steve')))).toMatch(/^Confirmed:/);
  expect(await identities()).toMatchObject([{ user_id: stage.people.newcomer, in_game_id: 'sTEVE' }]);
});
