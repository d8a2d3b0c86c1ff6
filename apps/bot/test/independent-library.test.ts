// The sandbox stands for Discord only as far as a library that knows nothing of ours, nor of discord.js, gets along with it.
import { type Sandbox, startSandbox } from '@bailiff/sandbox';
import {
  ApplicationCommandOptionTypes,
  ApplicationCommandTypes,
  Client,
  type CommandInteraction,
  type Guild,
  InteractionTypes,
} from 'oceanic.js';
import { afterAll, beforeAll, expect, test } from 'vitest';

let sandbox: Sandbox;
let client: Client;
beforeAll(async () => {
  sandbox = await startSandbox({ validate: true, firstAnswerMs: 60_000 });
  client = new Client({
    auth: `Bot ${sandbox.botToken}`,
    rest: { baseURL: `${sandbox.apiUrl}/v10` },
    gateway: {
      intents: ['GUILDS', 'GUILD_MEMBERS', 'GUILD_MODERATION', 'GUILD_MESSAGES', 'MESSAGE_CONTENT'],
      // Twenty seconds by default.
      reconnectDelay: () => 0,
    },
  });
  client.on('error', () => {});
  const ready = next('ready');
  await client.connect();
  await ready;
});
afterAll(async () => {
  client.disconnect(false);
  const { violations } = sandbox;
  await sandbox.close();
  expect(violations).toEqual([]);
});

function next(event: string): Promise<unknown[]> {
  return new Promise((resolve) => client.once(event as 'ready', (...heard: unknown[]) => resolve(heard)));
}

function sampleGuild(): Guild {
  const guild = client.guilds.get(sandbox.guildId);
  if (guild === undefined) throw new Error('The library does not know the sample guild.');
  return guild;
}

function stateOf(guildId: string) {
  const guild = sandbox.getState().guilds.find(({ id }) => id === guildId);
  if (guild === undefined) throw new Error(`The sandbox has no guild ${guildId}.`);
  return guild;
}

const person = (name: string) => sandbox.people[name] ?? '';
const channel = (name: string) => sandbox.channels[name] ?? '';

test('it reads the same guilds: names, owners, roles with their permissions, channels, and all members', async () => {
  expect(client.guilds.size).toBe(2);
  for (const [id, guild] of client.guilds.entries()) {
    const known = stateOf(id);
    await guild.fetchMembers();
    expect(guild).toMatchObject({ name: known.name, ownerID: known.owner_id });
    expect(
      guild.roles
        .map(({ id, name, position, permissions }) => [id, name, position, String(permissions.allow)])
        .sort(),
    ).toEqual(
      known.roles.map(({ id, name, position, permissions }) => [id, name, position, permissions]).sort(),
    );
    expect(guild.channels.map(({ id, name }) => [id, name]).sort()).toEqual(
      known.channels.map(({ id, name }) => [id, name]).sort(),
    );
    expect(guild.members.map(({ id, roles, nick }) => [id, [...roles].sort(), nick]).sort()).toEqual(
      known.members.map(({ user_id: id, role_ids: roles, nick }) => [id, [...roles].sort(), nick]).sort(),
    );
  }
});

test('it hears of messages, bans and members', async () => {
  const message = next('messageCreate');
  sandbox.control.messages({ user: 'member', content: 'Good morning' });
  expect(await message).toMatchObject([{ content: 'Good morning', author: { id: person('member') } }]);
  const banned = next('guildBanAdd');
  sandbox.control.bans({ user: 'troll', by: 'moderator' });
  expect(await banned).toMatchObject([{ id: sandbox.guildId }, { id: person('troll') }]);
  const unbanned = next('guildBanRemove');
  sandbox.control.bans({ action: 'unban', user: 'troll' });
  await unbanned;
  const joined = next('guildMemberAdd');
  sandbox.control.members({ action: 'join', user: 'troll' });
  expect(await joined).toMatchObject([{ id: person('troll') }]);
  const entry = next('guildAuditLogEntryCreate');
  sandbox.control.members({ action: 'timeout', user: 'troll', minutes: 5, by: 'moderator' });
  expect(await entry).toMatchObject([{ id: sandbox.guildId }, { targetID: person('troll') }]);
});

test('it moderates over REST, and the guild is as it says', async () => {
  const guild = sampleGuild();
  const troll = person('troll');
  const member = await guild.editMember(troll, {
    communicationDisabledUntil: new Date(Date.now() + 60_000).toISOString(),
    reason: 'Calm down',
  });
  expect(member.communicationDisabledUntil?.getTime()).toBeGreaterThan(Date.now());
  await guild.createBan(troll, { reason: 'Enough, really: ü', deleteMessageSeconds: 3600 });
  expect(stateOf(guild.id).bans).toMatchObject([{ user_id: troll, reason: 'Enough, really: ü' }]);
  expect(await guild.getBan(troll)).toMatchObject({ reason: 'Enough, really: ü', user: { id: troll } });
  expect((await guild.getBans()).map(({ user }) => user.id)).toEqual([troll]);
  const log = await guild.getAuditLog({ limit: 1 });
  expect(log.entries).toMatchObject([{ targetID: troll, reason: 'Enough, really: ü' }]);
  await guild.removeBan(troll);
  expect(stateOf(guild.id).bans).toEqual([]);
  await expect(guild.getBan(troll)).rejects.toMatchObject({ code: 10_026 });
});

test('it writes, reads, edits and deletes messages', async () => {
  const { channels } = client.rest;
  const general = channel('general');
  const first = await channels.createMessage(general, {
    content: 'One',
    embeds: [{ title: 'Embedded', fields: [{ name: 'a', value: 'b' }] }],
    files: [{ name: 'note.txt', contents: Buffer.from('attached') }],
  });
  expect(first.embeds[0]?.title).toBe('Embedded');
  const [attachment] = first.attachments.values();
  expect(await (await fetch(attachment?.url ?? '')).text()).toBe('attached');
  expect((await channels.editMessage(general, first.id, { content: 'Two' })).content).toBe('Two');
  const second = await channels.createMessage(general, { content: 'Three' });
  const read = await channels.getMessages(general, { limit: 2 });
  expect(read.map(({ content }) => content)).toEqual(['Three', 'Two']);
  expect(await channels.deleteMessages(general, [first.id, second.id], 'Tidy')).toBe(2);
  await expect(channels.getMessage(general, first.id)).rejects.toMatchObject({ code: 10_008 });
});

test('it registers a command and answers it: deferred, edited, followed up, for one person alone', async () => {
  const user = {
    name: 'user',
    description: 'Who',
    type: ApplicationCommandOptionTypes.USER,
    required: true,
  } as const;
  const registered = await client.application.bulkEditGlobalCommands([
    { type: ApplicationCommandTypes.CHAT_INPUT, name: 'greet', description: 'Greets', options: [user] },
  ]);
  expect(registered.map(({ name }) => name)).toEqual(['greet']);
  const asked = next('interactionCreate') as Promise<[CommandInteraction]>;
  const done = sandbox.control.interact({
    type: 'command',
    user: 'owner',
    command: 'greet',
    options: { user: person('newcomer') },
  });
  const [interaction] = await asked;
  expect(interaction.type).toBe(InteractionTypes.APPLICATION_COMMAND);
  const chosen = interaction.data.options.getUser('user', true);
  expect(chosen.id).toBe(person('newcomer'));
  await interaction.defer(64);
  await interaction.editOriginal({ content: `Hello ${chosen.username}` });
  await interaction.createFollowup({ content: 'And welcome', flags: 64 });
  const answer = await done;
  expect(answer.state).toBe('answered');
  expect(answer.message?.content).toBe(`Hello ${chosen.username}`);
  await sandbox.until(() => sandbox.control.interaction(answer.id).responses.length === 3);
  expect(sandbox.control.interaction(answer.id).responses.every(({ ephemeral }) => ephemeral)).toBe(true);
});

test('it survives a connection that is cut, and one that it is asked to make anew, and misses nothing', async () => {
  for (const action of ['drop', 'resume'] as const) {
    const resumed = next('shardResume');
    const message = next('messageCreate');
    sandbox.control.gateway({ action });
    sandbox.control.messages({ user: 'member', content: `After ${action}` });
    await resumed;
    expect(await message).toMatchObject([{ content: `After ${action}` }]);
  }
  expect(sandbox.getState().gateway.identifies).toBe(1);
});
