// What `npm run doctor` finds out about an application: each thing is made wrong in turn.
import { verifies } from '@bailiff/core/testing';
import { type Sandbox, startSandbox } from '@bailiff/sandbox';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { COMMAND_DEFINITIONS } from '#src/chat/commands.ts';
import { checkDiscord, type DiscordSettings, type Finding } from '#src/doctor.ts';

const REDIRECT = 'https://bailiff.example/api/auth/callback/discord';

let sandbox: Sandbox;
let settings: DiscordSettings;

beforeAll(async () => {
  // Nothing here is about limits.
  sandbox = await startSandbox({ validate: true, rateLimit: { limit: 1_000_000, windowSeconds: 1 } });
});
afterAll(async () => {
  expect(sandbox.violations).toEqual([]);
  await sandbox.close();
});

/** An application in which nothing is wrong. */
beforeEach(async () => {
  settings = {
    token: sandbox.botToken,
    clientId: sandbox.clientId,
    apiUrl: sandbox.apiUrl,
    redirectUri: REDIRECT,
    guildIds: [sandbox.guildId],
  };
  sandbox.control.application({ message_content: true, server_members: true, redirect_uris: [REDIRECT] });
  await putCommands(COMMAND_DEFINITIONS);
});

async function putCommands(commands: readonly object[]): Promise<void> {
  const put = () =>
    fetch(`${sandbox.apiUrl}/v10/applications/${sandbox.clientId}/commands`, {
      method: 'PUT',
      headers: { Authorization: `Bot ${sandbox.botToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(commands),
    });
  // The tests of this file together meet the limit over all routes.
  await expect.poll(async () => (await put()).status, { interval: 250 }).toBe(200);
}

const botRole = () => {
  const guild = sandbox.control.state().guilds.find(({ id }) => id === sandbox.guildId);
  const role = guild?.roles.find(({ name }) => name === 'Bailiff');
  if (role === undefined) throw new Error('The bot has no role');
  return role;
};
const wrongOf = (findings: readonly Finding[]) => findings.filter(({ level }) => level === 'wrong');

test('nothing is wrong with an application that is set up as the documents say', async () => {
  verifies('bot.doctor');
  const findings = await checkDiscord(settings);
  expect(wrongOf(findings)).toEqual([]);
  expect(findings.map(({ subject }) => subject)).toEqual([
    'Clock',
    'Token',
    'Application',
    'Server Members Intent',
    'Message Content Intent',
    'Invitation',
    'Redirect',
    'Commands',
    expect.stringContaining(sandbox.guildId),
    expect.stringContaining(sandbox.guildId),
  ]);
});

test.each<[string, RegExp, () => unknown, (() => unknown)?]>([
  ['Token', /Copy the token .* or reset it there/, () => ({ token: 'another.token.value' })],
  ['Application', /Copy both from the same application/, () => ({ clientId: '100000000000000009' })],
  ['Discord', /Check the network and DISCORD_API_URL/, () => ({ apiUrl: 'http://127.0.0.1:9' })],
  ['Clock', /by \d+ s.*time synchronization/, () => ({ now: () => Date.now() + 65_000 })],
  ['Clock', /by \d+ s.*time synchronization/, () => ({ now: () => Date.now() - 65_000 })],
  [
    'Server Members Intent',
    /Switch it on at .*\/bot/,
    () => void sandbox.control.application({ server_members: false }),
  ],
  [
    'Redirect',
    /add https:\/\/bailiff.example\/api\/auth\/callback\/discord/,
    () => void sandbox.control.application({ redirect_uris: ['https://old.example'] }),
  ],
  ['Commands', /Start the bot/, () => putCommands(COMMAND_DEFINITIONS.slice(1))],
  ['Guild 100000000000000009', /The bot is not in it/, () => ({ guildIds: ['100000000000000009'] })],
])('%s: %s', async (subject, text, spoil) => {
  verifies('bot.doctor');
  const changed = await spoil();
  const found = wrongOf(
    await checkDiscord({ ...settings, ...(changed as Partial<DiscordSettings> | undefined) }),
  );
  expect(found).toEqual([{ subject, level: 'wrong', text: expect.stringMatching(text) }]);
});

test('what purges lose without the Message Content Intent is a note', async () => {
  verifies('bot.doctor');
  sandbox.control.application({ message_content: false });
  const findings = await checkDiscord(settings);
  expect(wrongOf(findings)).toEqual([]);
  expect(findings.filter(({ level }) => level === 'note').map(({ subject }) => subject)).toContain(
    'Message Content Intent',
  );
});

test('a permission that the role lacks, and a role that is too low, are named with their guild', async () => {
  verifies('bot.doctor');
  const { permissions, position, id: role } = botRole();
  const attach = 1n << 15n;
  sandbox.control.roles({ action: 'update', role, permissions: String(BigInt(permissions) & ~attach) });
  expect(wrongOf(await checkDiscord(settings))).toMatchObject([
    {
      subject: expect.stringContaining('"Harbourlight"'),
      text: expect.stringContaining('lacks Attach Files'),
    },
  ]);
  sandbox.control.roles({ action: 'update', role, permissions: String(permissions), position: 1 });
  expect(wrongOf(await checkDiscord(settings))).toMatchObject([
    { subject: expect.stringContaining('"Harbourlight"'), text: expect.stringContaining('Drag it up') },
  ]);
  sandbox.control.roles({ action: 'update', role, position });
});

/** What Discord answers to the bot, which a fault then answers instead once, changed. */
async function answersInstead<Body>(route: string, change: (body: Body) => unknown): Promise<void> {
  const answer = await fetch(`${sandbox.apiUrl}/v10${route}`, {
    headers: { Authorization: `Bot ${sandbox.botToken}` },
  });
  sandbox.control.addFault({
    route,
    method: 'GET',
    status: 200,
    body: change((await answer.json()) as Body),
  });
}

test('an application that wants a code for its invitation is named', async () => {
  verifies('bot.doctor');
  await answersInstead<object>('/applications/@me', (body) => ({ ...body, bot_require_code_grant: true }));
  expect(wrongOf(await checkDiscord(settings))).toEqual([
    {
      subject: 'Invitation',
      level: 'wrong',
      text: expect.stringContaining('"Requires OAuth2 Code Grant" off'),
    },
  ]);
});

test('a role beside that of the bot is named as above it, and the role of another bot is not', async () => {
  verifies('bot.doctor');
  type Role = { id: string; name: string; position: number; managed: boolean };
  await answersInstead<Role[]>(`/guilds/${sandbox.guildId}/roles`, (roles) => {
    const [everyone = botRole(), ...others] = roles.filter(({ name }) => name !== 'Bailiff');
    const { id, position } = botRole();
    const own = roles.find((role) => role.id === id);
    const beside = { ...others[0], name: 'Beside', position, managed: false };
    const ofBot = { ...others[1], name: 'Another bot', position: position + 1, managed: true };
    return [
      everyone,
      { ...others[2], name: 'Below', position: position - 1, managed: false },
      own,
      beside,
      ofBot,
    ];
  });
  expect((await checkDiscord(settings)).at(-1)).toMatchObject({
    level: 'note',
    text: expect.stringContaining('people with "Beside":'),
  });
});

test('a guild beyond the first page is checked too', async () => {
  verifies('bot.doctor');
  type Guild = { id: string };
  await answersInstead<Guild[]>('/users/@me/guilds', ([guild]) =>
    Array.from({ length: 200 }, (_, n) => ({ ...guild, id: String(10n ** 17n + BigInt(n)) })),
  );
  const from = sandbox.requests.length;
  expect(wrongOf(await checkDiscord(settings))).toEqual([]);
  const pages = sandbox.requests
    .slice(from)
    // A page that meets Discord's limit is asked for again.
    .filter(({ path, status }) => path.endsWith('/users/@me/guilds') && status === 200);
  expect(pages.map(({ query }) => new URLSearchParams(query).get('after'))).toEqual([
    '0',
    String(10n ** 17n + 199n),
  ]);
});

test('a bot without a guild is well', async () => {
  verifies('bot.doctor');
  for (const guild_id of [sandbox.guildId, sandbox.otherGuildId]) {
    const { bot_is_member } = sandbox.control.guilds({ action: 'update', guild_id });
    if (bot_is_member) sandbox.control.guilds({ action: 'remove_bot', guild_id });
  }
  const findings = await checkDiscord({ ...settings, guildIds: [] });
  expect(findings.at(-1)).toMatchObject({ subject: 'Guilds', level: 'note' });
  expect(wrongOf(findings)).toEqual([]);
});
