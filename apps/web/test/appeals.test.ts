import { verifies } from '@bailiff/core/testing';
import { type SeededGuild, snowflake } from '@bailiff/engine/testing';
import { expect, it } from 'vitest';
import { guildForEachTest } from './each-test.ts';
import { exhaust, ORIGIN, type Person, signedIn, type TestWeb } from './support.ts';

const QUESTION = 'Why should it be lifted?';
const SETTINGS = {
  kinds: ['ban'],
  introduction: '',
  questions: [QUESTION],
  cooldown_days: 0,
  votes_needed: 0,
  channel_id: null,
};

let web: TestWeb;
let guild: SeededGuild;
let owner: Person;

guildForEachTest((given) => {
  ({ web, guild, owner } = given);
});

const settings = () => `/api/guilds/${guild.id}/appeal-settings`;
const answered = (answer: string) => ({ questions: [QUESTION], answers: [answer] });

/** Somebody who is banned and in none of the guilds, and their ban. */
async function banned(): Promise<{ person: Person; ban: string }> {
  const userId = snowflake();
  const { rows } = await web.db.pool.query<{ id: string }>(
    "SELECT id FROM open_case($1, 'ban', 'ban', $2, 'Spam', $3, NULL, NULL)",
    [guild.id, userId, guild.moderatorId],
  );
  return { person: await signedIn(web, userId), ban: rows[0]?.id ?? '' };
}

it('the owner sets what can be appealed, and nobody else', async () => {
  verifies('appeals.settings');
  const moderator = await signedIn(web, guild.moderatorId);
  expect((await moderator.call('PATCH', settings(), SETTINGS)).status).toBe(404);
  expect(await owner.call('PATCH', settings(), SETTINGS)).toMatchObject({ status: 200, body: SETTINGS });
  for (const wrong of [
    { ...SETTINGS, questions: [] },
    { ...SETTINGS, questions: Array(6).fill(QUESTION) },
    { ...SETTINGS, questions: ['x'.repeat(201)] },
    { ...SETTINGS, kinds: ['kick'] },
    { ...SETTINGS, cooldown_days: -1 },
    { ...SETTINGS, votes_needed: 21 },
    {},
  ]) {
    expect((await owner.call('PATCH', settings(), wrong)).status).toBe(422);
  }
  const { rows } = await web.db.pool.query(
    "SELECT details FROM audit WHERE guild_id = $1 AND operation = 'appeals.settings'",
    [guild.id],
  );
  expect(rows).toEqual([{ details: SETTINGS }]);
});

it('what a change of the settings does not name stays as it was set elsewhere meanwhile', async () => {
  verifies('appeals.settings');
  await owner.call('PATCH', settings(), SETTINGS);
  const changes = [{ introduction: 'Be honest.' }, { kinds: ['ban', 'mute'], cooldown_days: 7 }];
  await Promise.all(changes.map((change) => owner.call('PATCH', settings(), change)));
  const { body } = await owner.call('PATCH', settings(), { votes_needed: 2 });
  expect(body).toEqual({ ...SETTINGS, ...changes[0], ...changes[1], votes_needed: 2 });
  const { rows } = await web.db.pool.query<{ details: object }>(
    "SELECT details FROM audit WHERE guild_id = $1 AND operation = 'appeals.settings'",
    [guild.id],
  );
  expect(rows.map(({ details }) => details)).toEqual(expect.arrayContaining(changes));
});

it('nothing can be appealed while no question is set, also if only one of both is changed', async () => {
  verifies('appeals.settings');
  const refused = {
    status: 422,
    body: {
      error: { details: { issues: [{ path: 'questions', message: 'must have at least one question' }] } },
    },
  };
  const change = (changes: object) => owner.call('PATCH', settings(), changes);
  expect(await change({ kinds: ['ban'] })).toMatchObject(refused);
  expect((await change(SETTINGS)).status).toBe(200);
  expect(await change({ questions: [] })).toMatchObject(refused);
  expect((await change({ kinds: [], questions: [] })).status).toBe(200);
  expect(await change({ kinds: ['mute'] })).toMatchObject(refused);
});

it('a banned person appeals once; an answer that is too long is refused and says so', async () => {
  verifies('appeals.file', 'appeals.limits');
  await owner.call('PATCH', settings(), SETTINGS);
  const { person, ban } = await banned();
  const file = (answer: string) =>
    person.call('POST', `/api/appeals/${ban}`, answered(answer), { 'Accept-Language': 'de-AT,en;q=0.5' });
  expect(await file('x'.repeat(10_000))).toMatchObject({
    status: 422,
    body: { error: { details: { issues: [{ path: 'answers.0' }] } } },
  });
  expect((await file('It was a joke.')).status).toBe(200);
  expect((await file('Once more')).status).toBe(200);
  const { rows } = await web.db.pool.query('SELECT answers, language FROM appeals WHERE case_id = $1', [ban]);
  // The decision reaches them in the language in which they asked.
  expect(rows).toEqual([{ answers: [{ question: QUESTION, answer: 'It was a joke.' }], language: 'de' }]);
});

it("somebody else's case gives the answer of one that there is not", async () => {
  verifies('appeals.hidden');
  await owner.call('PATCH', settings(), SETTINGS);
  const { ban } = await banned();
  const { person: other } = await banned();
  const answers = [];
  for (const named of [ban, `ban_${'0'.repeat(32)}`]) {
    const { status, body } = await other.call('POST', `/api/appeals/${named}`, answered('Mine?'));
    const { request_id: _, ...error } = body.error;
    answers.push({ status, error });
  }
  expect(answers[0]).toEqual(answers[1]);
  expect(answers[0]).toMatchObject({ status: 404 });
});

it('an address sends a limited number of appeals, and an IPv6 one shares them with its /64', async () => {
  verifies('appeals.limits');
  await owner.call('PATCH', settings(), SETTINGS);
  const { person, ban } = await banned();
  await exhaust(web.db, 'appeal:203.0.113.9');
  expect(await person.call('POST', `/api/appeals/${ban}`, answered('Please'))).toMatchObject({ status: 429 });

  const from = (address: string) =>
    web.runtime.dashboardApi(
      new Request(`${ORIGIN}/api/appeals/${ban}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Cookie: person.cookie, Origin: ORIGIN },
        body: JSON.stringify({ questions: ['Another?'], answers: ['Please'] }),
      }),
      { address },
    );
  const statuses: number[] = [];
  for (let n = 1; n <= 21; n += 1) statuses.push((await from(`2001:db8:1:2::${n}`)).status);
  expect(statuses).toEqual([...Array(20).fill(422), 429]);
  expect((await from('2001:db8:1:3::1')).status).toBe(422);
});
