import { readFile } from 'node:fs/promises';
import { BOT_PERMISSIONS } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { type Sandbox, startSandbox } from '@bailiff/sandbox';
import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  type ChatInputCommandInteraction,
  type Client,
  GatewayIntentBits,
  PermissionFlagsBits,
  RESTEvents,
  Routes,
} from 'discord.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient, INTENTS } from '#src/discord.ts';
import { createLog } from '#src/log.ts';
import { paceIn } from './harness.ts';

/** Longer than Discord waits: a busy machine takes long for hundreds of answers. */
const ANSWERED_WITHIN_MS = 25_000;

let sandbox: Sandbox;
let client: Client;
beforeAll(async () => {
  sandbox = await startSandbox({ validate: true, firstAnswerMs: ANSWERED_WITHIN_MS });
  client = createClient({
    apiUrl: sandbox.apiUrl,
    shards: null,
    pace: paceIn(sandbox),
    log: createLog('silent', []),
    signal: new AbortController().signal,
  });
  const ready = new Promise((resolve) => client.once('clientReady', resolve));
  await client.login(sandbox.botToken);
  await ready;
  const option = (name: string, type: ApplicationCommandOptionType) => ({ name, type, description: name });
  await client.rest.put(Routes.applicationCommands(sandbox.clientId), {
    body: [
      {
        type: ApplicationCommandType.ChatInput,
        name: 'point',
        description: 'Points at things',
        options: [
          option('user', ApplicationCommandOptionType.User),
          option('channel', ApplicationCommandOptionType.Channel),
          option('role', ApplicationCommandOptionType.Role),
        ],
      },
    ],
  });
});
afterAll(async () => {
  await client.destroy();
  const { violations } = sandbox;
  await sandbox.close();
  expect(violations).toEqual([]);
});

/** The next events of these kinds to reach the client, whatever it makes of them. */
function heard(...events: string[]): Promise<unknown> {
  return Promise.all(
    events.map((event) => new Promise((resolve) => client.ws.once(event as never, resolve))),
  );
}

async function point(): Promise<ChatInputCommandInteraction> {
  const interaction = new Promise<ChatInputCommandInteraction>((resolve) =>
    client.once('interactionCreate', (given) => {
      if (given.isChatInputCommand()) resolve(given);
    }),
  );
  const general = sandbox.channels.general ?? '';
  const [role] = sandbox.getState().guilds[0]?.roles ?? [];
  const options = { user: sandbox.people.troll ?? '', channel: general, role: role?.id ?? '' };
  const done = sandbox.control.interact({ type: 'command', command: 'point', user: 'owner', options });
  await (await interaction).reply('Seen');
  await done;
  return interaction;
}

function kept() {
  const guild = client.guilds.cache.get(sandbox.guildId);
  return {
    guild: guild?.name,
    users: client.users.cache.map(({ id }) => id),
    channels: client.channels.cache.size,
    ofGuild: [guild?.roles, guild?.channels, guild?.members, guild?.emojis, guild?.bans].map(
      (manager) => manager?.cache.size,
    ),
  };
}

const NOTHING = { channels: 0, ofGuild: [0, 0, 0, 0, 0] };

test('of a guild only the name is kept, whatever happens in it', async () => {
  const nothing = { ...NOTHING, users: [sandbox.clientId] };
  expect(kept()).toEqual({ ...nothing, guild: 'Harbourlight' });
  const { control } = sandbox;
  const all = heard(
    'CHANNEL_CREATE',
    'GUILD_ROLE_CREATE',
    'GUILD_MEMBER_ADD',
    'GUILD_MEMBER_UPDATE',
    'GUILD_BAN_ADD',
    'GUILD_UPDATE',
  );
  control.channels({ action: 'create', name: 'one-more' });
  control.roles({ action: 'create', name: 'One more' });
  control.members({ action: 'join', name: 'somebody' });
  control.members({ action: 'nick', user: 'moderator', nick: 'Somebody else' });
  control.bans({ user: 'quiet' });
  control.guilds({ action: 'update', name: 'Lighthouse' });
  await all;
  expect(kept()).toEqual({ ...nothing, guild: 'Lighthouse' });
});

test('an interaction brings along what it names, and leaves nothing behind', async () => {
  const { options, guild } = await point();
  expect(options.getUser('user')?.id).toBe(sandbox.people.troll);
  expect(options.getChannel('channel')?.name).toBe('general');
  expect(options.getRole('role')).not.toBeNull();
  expect(guild?.id).toBe(sandbox.guildId);
  expect(kept()).toMatchObject(NOTHING);
});

test('a guild that was left is forgotten, and one with an outage is not', async () => {
  const unavailable = heard('GUILD_DELETE');
  sandbox.control.gateway({ action: 'unavailable' });
  await unavailable;
  expect(client.guilds.cache.get(sandbox.guildId)?.available).toBe(false);
  const available = heard('GUILD_CREATE');
  sandbox.control.gateway({ action: 'available' });
  await available;
  expect(client.guilds.cache.get(sandbox.guildId)?.available).toBe(true);
  const removed = heard('GUILD_DELETE');
  sandbox.control.guilds({ action: 'remove_bot', guild_id: sandbox.otherGuildId });
  await removed;
  expect(client.guilds.cache.has(sandbox.otherGuildId)).toBe(false);
});

test('of more commands at once than a bot may make requests in a second, none waits for that limit', async () => {
  client.on('interactionCreate', async (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    await interaction.reply('Done');
  });
  const waits: unknown[] = [];
  client.rest.on(RESTEvents.RateLimited, (wait) => waits.push(wait));
  const command = { type: 'command', command: 'point', user: 'owner', wait_ms: ANSWERED_WITHIN_MS } as const;
  // The first one waits while the sandbox compiles the schema of these requests.
  await sandbox.control.interact(command);
  const all = await Promise.all(Array.from({ length: 60 }, () => sandbox.control.interact(command)));
  expect(all.filter(({ message }) => message?.content !== 'Done')).toEqual([]);
  expect(waits).toEqual([]);
});

test('every intent that is asked for is justified in docs/discord.md, and no other', async () => {
  const page = await readFile(new URL('../../../docs/discord.md', import.meta.url), 'utf8');
  const intents = page.slice(page.indexOf('## Intents'), page.indexOf('### What is not asked for'));
  const paragraphs = [...intents.matchAll(/^### (\w+)\n\n(.{80,})/gm)].map(([, name]) => name);
  // Names of bits: GuildModeration was once called GuildBans.
  expect(paragraphs.map((name) => GatewayIntentBits[name as keyof typeof GatewayIntentBits])).toEqual(
    INTENTS,
  );
});

test('every permission the invitation asks for is justified in docs/discord.md, and the README has their number', async () => {
  verifies('bot.invitation');
  const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
  expect([...readme.matchAll(/&permissions=(\d+)/g)].map(([, number]) => number)).toEqual([
    String(BOT_PERMISSIONS),
  ]);
  const names = Object.entries(PermissionFlagsBits).flatMap(([name, bit]) =>
    BOT_PERMISSIONS & bit ? [name] : [],
  );
  const page = await readFile(new URL('../../../docs/discord.md', import.meta.url), 'utf8');
  const table = page.slice(page.indexOf('## Permissions'), page.indexOf('## What is kept'));
  const rows = [...table.matchAll(/^\| (\w+) \| .+ \|$/gm)].map(([, name]) => name);
  expect(rows.filter((name) => name !== 'Permission').sort()).toEqual([...new Set(names)].sort());
});
