import { verifies } from '@bailiff/core/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Sandbox, startSandbox } from '#src/index.ts';
import { call, idOf } from './rig.ts';

let sandbox: Sandbox;
let general: string;
beforeEach(async () => {
  // No window ends before a test says so.
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  sandbox = await startSandbox({ validate: true });
  general = `/channels/${idOf(sandbox.channels, 'general')}`;
});
afterEach(async () => {
  const { violations } = sandbox;
  await sandbox.close();
  vi.useRealTimers();
  expect(violations).toEqual([]);
});

const bot = () => ({ authorization: `Bot ${sandbox.botToken}` });
/** A request whose answer need not be JSON. */
const ask = (method: string, path: string, headers: Record<string, string> = bot()) =>
  fetch(`${sandbox.apiUrl}/v10${path}`, { method, headers });
const asks = (count: number, path: string) =>
  Promise.all(Array.from({ length: count }, () => ask('GET', path)));
const limited = (answers: Response[]) => answers.filter(({ status }) => status === 429);
const remaining = ({ headers }: { headers: Headers }) => Number(headers.get('x-ratelimit-remaining'));
const edgeSeed = (edge_seed: number) => sandbox.control.limits({ edge_seed });

test('five reads of messages are served, while their headers promise a thousand; the refusal tells the truth', async () => {
  edgeSeed(1);
  const served = await asks(5, `${general}/messages`);
  vi.advanceTimersByTime(100);
  const answers = [...served, ...(await asks(2, `${general}/messages`))];
  const [refused, ...more] = limited(answers);
  expect(more).toHaveLength(1);
  if (refused === undefined) throw new Error('Nothing was refused');
  for (const answer of answers) if (answer.status === 200) expect(remaining(answer)).toBeGreaterThan(900);
  expect(refused.headers.get('x-ratelimit-limit')).toBe('5');
  expect(remaining(refused)).toBe(0);
  const { retry_after } = (await refused.json()) as { retry_after: number };
  expect(retry_after % 1).not.toBe(0);
  expect(Number(refused.headers.get('retry-after'))).toBe(Math.ceil(retry_after));
  expect((await ask('GET', `/channels/${idOf(sandbox.channels, 'off_topic')}/messages`)).status).toBe(200);
  vi.advanceTimersByTime(4_900);
  expect((await ask('GET', `${general}/messages`)).status).toBe(200);
});

test('thirty users are looked up in half a minute, while the headers promise two thousand', async () => {
  edgeSeed(1);
  const answers = await asks(31, `/users/${idOf(sandbox.people, 'troll')}`);
  expect(limited(answers)).toHaveLength(1);
});

test('bulk deletions of all channels of a guild share one a second', async () => {
  const delete2 = (channel: string) => {
    const { messages } = sandbox.control.messages({ user: 'troll', channel, content: 'x', count: 2 });
    const path = `/channels/${messages[0]?.channel_id}/messages/bulk-delete`;
    return call(sandbox, 'POST', path, { messages: messages.map(({ id }) => id) });
  };
  edgeSeed(1);
  const answers = await Promise.all([delete2('general'), delete2('off-topic')]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 429]);
});

test('a channel gets two names in ten minutes, and the headers of the third tell about something else', async () => {
  edgeSeed(1);
  const rename = (name: string) => call(sandbox, 'PATCH', general, { name });
  expect([(await rename('a')).status, (await rename('b')).status]).toEqual([200, 200]);
  const refused = await rename('c');
  expect(refused.status).toBe(429);
  expect(refused.headers.get('x-ratelimit-scope')).toBe('shared');
  expect(Number(refused.headers.get('x-ratelimit-reset-after'))).toBeLessThanOrEqual(5);
  expect(Number(refused.body.retry_after)).toBeGreaterThan(500);
  // Discord does not count a shared limit against the address.
  expect(sandbox.getState().requests.invalid).toBe(0);
});

test('fifty requests a second are served over all routes; answers to interactions do not count', async () => {
  edgeSeed(1);
  const [guild = ''] = sandbox.getState().guilds.map(({ id }) => `/guilds/${id}`);
  const refused = limited(await asks(60, guild));
  expect(refused).toHaveLength(10);
  const global = refused.find(({ headers }) => headers.has('x-ratelimit-global'));
  expect(global?.headers.get('x-ratelimit-scope')).toBe('global');
  const webhooks = await asks(60, `/webhooks/${sandbox.clientId}/no-token/messages/@original`);
  expect(limited(webhooks)).toEqual([]);
});

test('a bucket changes its name and its numbers', async () => {
  const guild = `/guilds/${sandbox.guildId}`;
  const names = new Set<string | null>();
  for (let asked = 0; asked < 45; asked += 1) {
    names.add((await ask('GET', guild)).headers.get('x-ratelimit-bucket'));
  }
  expect(names.size).toBe(3);
});

test('some refusals lack the headers or come as HTML from the edge, and the seed says which', async () => {
  const forms = async (seed: number) => {
    edgeSeed(seed);
    const answers: string[] = [];
    for (let asked = 0; asked < 10; asked += 1) {
      const answer = await ask('GET', `${general}/messages`);
      if (answer.status !== 429) continue;
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      const isHtml = answer.headers.get('content-type')?.startsWith('text/html') === true;
      answers.push(isHtml ? 'html' : answer.headers.has('x-ratelimit-limit') ? 'json' : 'bare');
    }
    return answers;
  };
  const first = await forms(0);
  expect(first.toSorted()).toEqual(['bare', 'html', 'json', 'json', 'json']);
  expect(await forms(0)).toEqual(first);
  expect(await forms(1)).not.toEqual(first);
});

test('an address with too many invalid answers is banned, whatever it asks', async () => {
  sandbox.control.limits({ invalid_answers: 3 });
  for (let asked = 0; asked < 3; asked += 1) {
    expect((await ask('GET', `/guilds/${sandbox.guildId}`, { authorization: 'Bot wrong' })).status).toBe(401);
  }
  const banned = await ask('GET', `/guilds/${sandbox.guildId}`);
  expect([banned.status, banned.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8']);
  expect(Number(banned.headers.get('retry-after'))).toBeGreaterThan(500);
  sandbox.control.limits({});
  expect((await ask('GET', `/guilds/${sandbox.guildId}`)).status).toBe(200);
});

test.each([
  ['younger than ten seconds', 0, 5],
  ['of an hour', 3_600, 3],
  ['older than two weeks', 15 * 86_400, 30],
])('of messages %s, so many are deleted one by one at a time', async (_age, age_seconds, admitted) => {
  edgeSeed(1);
  const { messages } = sandbox.control.messages({
    user: 'troll',
    channel: 'general',
    content: 'x',
    count: admitted + 1,
    age_seconds,
  });
  const answers = await Promise.all(messages.map(({ id }) => ask('DELETE', `${general}/messages/${id}`)));
  const served = answers.filter(({ status }) => status === 204);
  for (const { headers } of served) expect(headers.get('x-ratelimit-limit')).toBe(String(admitted));
  expect(served).toHaveLength(admitted);
});

test('a bot that opens many conversations is refused, then quarantined, and keeps those that it has', async () => {
  verifies('sandbox.conversations');
  const people = Array.from({ length: 30 }, (_, index) => {
    const joined = sandbox.control.members({ action: 'join', name: `Somebody ${index}` });
    return (joined as { member: { user: { id: string } } }).member.user.id;
  });
  const open = async (id: string | undefined) =>
    (await call(sandbox, 'POST', '/users/@me/channels', { recipient_id: id })).body;
  const first = await open(people[0]);
  const others = await Promise.all(people.slice(1).map(open));
  const counted = (wanted?: number) => others.filter(({ code }) => code === wanted).length;
  expect([counted(), counted(40003), counted(20026)]).toEqual([9, 14, 6]);
  const { body } = await call(sandbox, 'POST', `/channels/${first.id}/messages`, { content: 'Hello' });
  expect(body.content).toBe('Hello');
  expect((await open(people[0])).id).toBe(first.id);
  sandbox.control.limits({});
  expect((await open(people[29])).code).toBeUndefined();
});
