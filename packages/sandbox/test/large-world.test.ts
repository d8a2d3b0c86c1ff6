import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '#src/index.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ validate: true, large: { guilds: 3, members: 2_500 } });
});
afterAll(async () => {
  const { violations } = sandbox;
  await sandbox.close();
  expect(violations).toEqual([]);
});

interface Listed {
  readonly user: { readonly id: string };
}

async function ask<T>(path: string, body?: object): Promise<T> {
  const headers = { Authorization: `Bot ${sandbox.botToken}`, 'Content-Type': 'application/json' };
  const request = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${sandbox.apiUrl}/v10${path}`, request);
  return (await response.json()) as T;
}

const large = () => sandbox.getState().guilds.find(({ name }) => name.startsWith('Guild '))?.id ?? '';

async function pagesOf(guildId: string): Promise<string[]> {
  const ids: string[] = [];
  for (let after = '0'; ; after = ids.at(-1) ?? '') {
    const page = await ask<Listed[]>(`/guilds/${guildId}/members?limit=1000&after=${after}`);
    ids.push(...page.map(({ user }) => user.id));
    if (page.length < 1000) return ids;
  }
}

test('a large guild lists each of its members once, in the order of their ids, the bot among them', async () => {
  const ids = await pagesOf(large());
  expect(ids).toHaveLength(2_501);
  expect(new Set(ids).size).toBe(2_501);
  expect(ids).toEqual(ids.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)));
  expect(ids).toContain(sandbox.clientId);
});

test('who leaves a large guild is listed no more, and who is looked up is the same person again', async () => {
  const guildId = large();
  const ids = await pagesOf(guildId);
  const [user = '', other = ''] = ids.slice(-2);
  sandbox.control.members({ action: 'leave', user, guild_id: guildId });
  sandbox.control.members({ action: 'nick', user: other, nick: 'Known', guild_id: guildId });
  expect(await pagesOf(guildId)).toEqual(ids.filter((id) => id !== user));
  expect(await ask(`/guilds/${guildId}/members/${other}`)).toMatchObject({ nick: 'Known' });
  expect(await ask(`/guilds/${guildId}/members/${user}`)).toMatchObject({ code: 10_007 });
});

test('who comes back to a large guild is listed again, once', async () => {
  const guildId = large();
  const ids = await pagesOf(guildId);
  const user = ids.at(-3) ?? '';
  sandbox.control.members({ action: 'leave', user, guild_id: guildId });
  sandbox.control.members({ action: 'join', user, guild_id: guildId });
  expect(await pagesOf(guildId)).toEqual(ids);
});

test('the state names only those members of a large guild who did something', () => {
  const shown = sandbox.getState().guilds.find(({ id }) => id === large())?.members ?? [];
  expect(shown.length).toBeLessThan(10);
});

test('one member in four takes no direct messages, and each of them can be written to', async () => {
  const ids = (await pagesOf(large())).filter((id) => id !== sandbox.clientId).slice(-4);
  const answers: object[] = [];
  for (const recipient_id of ids) {
    const { id } = await ask<{ id: string }>('/users/@me/channels', { recipient_id });
    answers.push(await ask(`/channels/${id}/messages`, { content: 'x' }));
  }
  expect(answers.filter((answer) => 'code' in answer)).toEqual([expect.objectContaining({ code: 50_007 })]);
});
