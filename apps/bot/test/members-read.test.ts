// What GET /members/{userId} says of people whom the mirror does not hold: what Discord says, through the bot.
import { CAPABILITIES } from '@bailiff/core';
import { untilShown, verifies } from '@bailiff/core/testing';
import { authorize } from '@bailiff/engine/calls/authorize';
import { isRead, performRead } from '@bailiff/engine/calls/read-call';
import { askPeople, tellPeople } from '@bailiff/engine/guilds/ask-people';
import { FROM_THE_START, peopleInGuild } from '@bailiff/engine/guilds/people-pages';
import { searchPeople } from '@bailiff/engine/guilds/people-search';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mint, newMember, personOf, refusalOf, type Stage, setStage, TOKEN_ADDRESS } from './harness.ts';

let stage: Stage;
let secret: string;
beforeAll(async () => {
  stage = await setStage();
  ({ secret } = await mint(stage, 'reader'));
});
afterAll(() => stage.close());

/** What is answered, asked again where the bot of a busy machine did not answer in time. */
async function heard<Answer>(
  ask: () => Promise<Answer>,
  wasNot: (answer: Answer) => boolean,
): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await ask();
    if (!wasNot(answer) || tries === 5) return answer;
  }
}

let count = 0;

/** The answer to GET /members/{userId} over a token. */
async function read(userId: string): Promise<object> {
  count += 1;
  const requestId = `req_${count}`;
  const { token, call } = await authorize(
    stage.engine,
    {
      operation: 'members.get',
      params: { guildId: stage.guildId, userId },
      guildId: stage.guildId,
      authorization: `Bearer ${secret}`,
      address: TOKEN_ADDRESS,
      requestId,
      readInput: async () => ({ ok: true, input: { userId } }),
    },
    () => {},
  );
  if (!isRead(call)) throw new Error('This is a read.');
  return performRead(stage.engine, { ...call, token, requestId, address: TOKEN_ADDRESS }, () => {});
}

/** The answer to it once the bot knows whether they are a member. */
const readHeard = (userId: string) =>
  heard(
    () => read(userId),
    (answer) => 'in_guild' in answer && answer.in_guild === null,
  );

const recorded = async () => {
  const { rows } = await stage.test.database.pool.query(
    'SELECT outcome, code FROM audit WHERE is_read AND request_id = $1',
    [`req_${count}`],
  );
  return rows;
};

test('an ordinary member without a record is in the guild, with the name, roles and time that Discord says', async () => {
  verifies('members.in-guild');
  const user = newMember(stage.sandbox, 'Ordinary');
  const answer = await readHeard(user);
  expect(answer).toMatchObject({
    user_id: user,
    display_name: 'Ordinary',
    in_guild: true,
    role_ids: [],
    counts: { strikes: 0, bans: 0, mutes: 0, tickets: 0 },
  });
  const { joined_at } = answer as { joined_at: string };
  expect(Math.abs(Date.parse(joined_at) - Date.now())).toBeLessThan(60_000);
  expect(await recorded()).toEqual([{ outcome: 'performed', code: null }]);
});

test('who left is not in the guild, and who has no record either is NOT_FOUND', async () => {
  verifies('members.in-guild', 'audit.read-404');
  const user = newMember(stage.sandbox);
  await stage.act('bans.add', 'owner', { user_id: user, reason: 'Spam' });
  expect(await readHeard(user)).toMatchObject({ in_guild: false, joined_at: null, counts: { bans: 1 } });
  expect(await recorded()).toEqual([{ outcome: 'performed', code: null }]);
  expect(await refusalOf(read(personOf(stage.sandbox, 'outsider')))).toMatchObject({ code: 'NOT_FOUND' });
  expect(await recorded()).toEqual([{ outcome: 'refused', code: 'NOT_FOUND' }]);
});

test('of two people who are asked about at once, each answer says what Discord says of that one', async () => {
  verifies('members.in-guild');
  const [stays, left] = [newMember(stage.sandbox, 'Here'), newMember(stage.sandbox)];
  await stage.act('bans.add', 'owner', { user_id: left, reason: 'Spam' });
  const answers = await Promise.all([stays, left].map(readHeard));
  expect(answers).toMatchObject([
    { user_id: stays, in_guild: true },
    { user_id: left, in_guild: false },
  ]);
});

test('a member of the mirror joined when Discord says, and Discord is not asked', async () => {
  verifies('members.in-guild');
  const moderator = personOf(stage.sandbox, 'moderator');
  const before = stage.sandbox.requests.length;
  const answer = await read(moderator);
  expect(answer).toMatchObject({ in_guild: true, joined_at: expect.stringMatching(/^\d{4}-/) });
  expect(stage.sandbox.requests.slice(before).filter(({ path }) => path.includes(moderator))).toEqual([]);
});

test('while Discord does not answer, nobody knows, and the answer says so in time', async () => {
  verifies('members.in-guild');
  const user = newMember(stage.sandbox);
  await stage.act('bans.add', 'owner', { user_id: user, reason: 'Spam' });
  stage.sandbox.control.addFault({
    route: '/guilds/*/members/*',
    method: 'GET',
    times: null,
    socket: 'hang',
  });
  expect(await read(user)).toMatchObject({ in_guild: null, joined_at: null, counts: { bans: 1 } });
  stage.sandbox.control.clearFaults();
});

/** People whom a search in the dashboard finds, with Discord. */
async function search(text: string, mayAsk = true) {
  const viewer = { id: stage.guildId, isOwner: true, capabilities: CAPABILITIES };
  const { waiters, db } = stage.engine;
  const asking = { waiters, requestId: `req_search_${text}`, mayAsk: async () => mayAsk };
  const { people, discord } = await searchPeople(db, viewer, text, asking);
  return { people: people.map(({ displayName, inGuild }) => ({ displayName, inGuild })), discord };
}

const searchHeard = (text: string) =>
  heard(
    () => search(text),
    ({ discord }) => discord === 'no_answer',
  );

const searches = () => stage.sandbox.requests.filter(({ path }) => path.includes('/members/search'));

test('a member without a record is found by the beginning of their name, by id and by mention', async () => {
  verifies('people.search.discord');
  const user = newMember(stage.sandbox, 'Quirin Vidal');
  const quirin = { displayName: 'Quirin Vidal', inGuild: true };
  expect(await searchHeard('qui')).toEqual({ people: [quirin], discord: 'answered' });
  expect(await searchHeard(user)).toEqual({ people: [quirin], discord: 'answered' });
  expect(await searchHeard(`<@${user}>`)).toEqual({ people: [quirin], discord: 'answered' });
  const outsider = personOf(stage.sandbox, 'outsider');
  expect(await searchHeard(outsider)).toMatchObject({ people: [{ inGuild: false }], discord: 'answered' });
});

test('a member whom Discord finds is shown by a name in which there is something to see', async () => {
  verifies('names.seen');
  const user = newMember(stage.sandbox, 'Rosa\u202e Lima');
  const rosa = [{ displayName: 'Rosa Lima', inGuild: true }];
  expect((await searchHeard('rosa')).people).toEqual(rosa);
  expect((await searchHeard(user)).people).toEqual(rosa);
});

test('people who search for the same at once share one question to Discord', async () => {
  verifies('people.search.discord');
  let tries = 0;
  // On a busy machine the bot may answer too late, so each attempt is about somebody else.
  const { answers, asks, name } = await untilShown(async () => {
    tries += 1;
    const [name, word] = [`Xen${tries} Prado`, `xen${tries}`];
    newMember(stage.sandbox, name);
    const answers = await Promise.all([word, word.toUpperCase(), word].map((text) => search(text)));
    const asks = searches().filter(({ query }) => query.includes(word)).length;
    return answers.some(({ discord }) => discord === 'no_answer') ? null : { answers, asks, name };
  });
  for (const { people } of answers) expect(people).toEqual([{ displayName: name, inGuild: true }]);
  expect(asks).toBe(1);
  const asked = ['xen', 'XEN'].map((query) => askPeople(stage.engine, { guildId: stage.guildId, query }));
  expect(asked[1]).toBe(asked[0]);
  await Promise.all(asked);
});

test('Discord is not asked what nobody waits for any more', async () => {
  verifies('people.search.discord');
  const target = newMember(stage.sandbox);
  const looks = () =>
    stage.sandbox.requests.filter(({ path }) => path.endsWith(`/members/${target}`)).length +
    searches().length;
  const before = looks();
  for (const [query, seconds] of [
    ['late', 6],
    // The bot of a busy machine comes to it later.
    ['now', -60],
  ] as const) {
    for (const task of ['ask_people', 'ask_member']) {
      await stage.test.database.pool.query(
        `SELECT graphile_worker.add_job($4, json_build_object('guild_id', $1::text, 'query', $2::text,
           'user_id', $5::text, 'request_id', 'people:late',
           'asked_at', clock_timestamp() - make_interval(secs => $3)), job_key => 'asked ' || $2 || $4)`,
        [stage.guildId, query, seconds, task, target],
      );
    }
  }
  await stage.row("SELECT FROM graphile_worker.jobs WHERE key LIKE 'asked %' HAVING count(*) = 0");
  expect(looks() - before).toBe(2);
});

test('names and roles that do not fit into a notification are cut, not lost', async () => {
  verifies('people.search.discord');
  const { waiters, db } = stage.engine;
  const member = {
    username: 'a'.repeat(32),
    display_name: '\u{1f409}'.repeat(32),
    avatar_hash: null,
    joined_at: null,
    bot: false,
  };
  const tell = async (count: number, roles: number) => {
    const waiter = waiters.expect('people:many');
    const members = Array.from({ length: count }, (_, n) => ({
      ...member,
      user_id: `${10 ** 17 + n}`,
      role_ids: Array.from({ length: roles }, (_role, r) => `${2 * 10 ** 17 + r}`),
    }));
    await tellPeople(db.pool, 'people:many', members);
    await waiter.within(60_000);
    const heard = waiter.heard();
    waiter.release();
    return heard?.kind === 'people' ? (heard.members ?? []) : [];
  };
  const fewRoles = await tell(10, 2);
  expect([fewRoles.length, fewRoles[0]?.role_ids?.length]).toEqual([10, 2]);
  const manyRoles = await tell(10, 200);
  expect([manyRoles.length, manyRoles[0]?.role_ids]).toEqual([10, null]);
  expect((await tell(60, 1)).length).toBeGreaterThan(15);
});

test('while Discord does not find or may not be asked, people on record still come, and the answer says so', async () => {
  verifies('people.search.discord');
  const user = newMember(stage.sandbox, 'Wolf Brandt');
  await stage.act('strikes.add', 'owner', { user_id: user, reason: 'Spam', severity: 'minor' });
  await stage.row("SELECT FROM known_names WHERE user_id = $1 AND guild_ids <> '{}'", [user]);
  const wolf = { displayName: 'Wolf Brandt', inGuild: null };
  expect(await search('wol', false)).toEqual({ people: [wolf], discord: 'limited' });
  stage.sandbox.control.addFault({
    route: '/guilds/*/members/search',
    method: 'GET',
    times: null,
    status: 500,
  });
  expect(await search('wol')).toEqual({ people: [wolf], discord: 'no_answer' });
  // Nobody waits for another try, and it is no failed job that an operator would be told of.
  const asked = "FROM graphile_worker.jobs WHERE task_identifier = 'ask_people'";
  await stage.row(`SELECT ${asked} AND (attempts = 0 OR locked_at IS NOT NULL) HAVING count(*) = 0`);
  expect((await stage.test.database.pool.query(`SELECT last_error ${asked}`)).rows).toEqual([]);
  stage.sandbox.control.clearFaults();
});

async function membersAfter(after: string) {
  const viewer = { id: stage.guildId, isOwner: true, capabilities: CAPABILITIES };
  const { waiters, db } = stage.engine;
  return peopleInGuild(db, viewer, after, { waiters, requestId: 'req_list', mayAsk: async () => true });
}

test('everybody in the guild is listed once, page by page', async () => {
  verifies('dashboard.members.in-server');
  for (let n = 0; n < 25; n += 1) newMember(stage.sandbox, `Guest ${n}`);
  const listed: string[] = [];
  for (let after: string | null = FROM_THE_START; after !== null; ) {
    const from: string = after;
    const { people, next, discord } = await heard(
      () => membersAfter(from),
      (page) => page.discord === 'no_answer',
    );
    expect(discord).toBe('answered');
    expect(people.every(({ inGuild, displayName }) => inGuild === true && displayName !== null)).toBe(true);
    listed.push(...people.map(({ userId }) => userId));
    after = next;
  }
  const members = stage.sandbox.control.state().guilds.find(({ id }) => id === stage.guildId)?.members ?? [];
  expect(listed.toSorted()).toEqual(members.map(({ user_id }) => user_id).toSorted());
  expect(listed.length).toBeGreaterThan(25);

  stage.sandbox.control.addFault({ route: '/guilds/*/members', method: 'GET', times: null, status: 500 });
  expect(await membersAfter(FROM_THE_START)).toEqual({ people: [], next: null, discord: 'no_answer' });
  stage.sandbox.control.clearFaults();
});
