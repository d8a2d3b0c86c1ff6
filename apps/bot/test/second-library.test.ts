// A second library that nobody here wrote drives the sandbox: @discordjs/core, with a gateway client of another major
// version than the bot's. It keeps no caches, so the test sees what was sent.

import { type Sandbox, startSandbox } from '@bailiff/sandbox';
import {
  type API,
  Client,
  GatewayDispatchEvents,
  GatewayIntentBits,
  type MappedEvents,
} from '@discordjs/core';
import { REST } from '@discordjs/rest';
import { WebSocketManager } from 'discordjs-ws-2';
import { afterAll, beforeAll, expect, test } from 'vitest';

let sandbox: Sandbox;
let gateway: WebSocketManager;
let client: Client;
let api: API;

beforeAll(async () => {
  sandbox = await startSandbox({ validate: true, firstAnswerMs: 60_000 });
  const rest = new REST({ version: '10', api: sandbox.apiUrl }).setToken(sandbox.botToken);
  gateway = new WebSocketManager({
    token: sandbox.botToken,
    rest,
    intents:
      GatewayIntentBits.Guilds |
      GatewayIntentBits.GuildMembers |
      GatewayIntentBits.GuildModeration |
      GatewayIntentBits.GuildMessages |
      GatewayIntentBits.MessageContent,
  });
  client = new Client({ rest, gateway });
  api = client.api;
  const guild = next(GatewayDispatchEvents.GuildCreate, ({ id }) => id === sandbox.guildId);
  await gateway.connect();
  expect(await guild).toMatchObject({ name: 'Harbourlight', owner_id: person('owner') });
});
afterAll(async () => {
  await gateway.destroy();
  const { violations } = sandbox;
  await sandbox.close();
  expect(violations).toEqual([]);
});

type DataOf<Event extends keyof MappedEvents> = MappedEvents[Event][0]['data'];

/** The data of the next event of a kind that fits. */
function next<Event extends keyof MappedEvents>(
  event: Event,
  fits: (data: DataOf<Event>) => boolean = () => true,
): Promise<DataOf<Event>> {
  return new Promise((resolve) => {
    const listen = ({ data }: { data: DataOf<Event> }) => {
      if (!fits(data)) return;
      client.off(event, listen as never);
      resolve(data);
    };
    client.on(event, listen as never);
  });
}

const person = (name: string) => sandbox.people[name] ?? '';
const channel = (name: string) => sandbox.channels[name] ?? '';

test('it reads a guild as the sandbox has it', async () => {
  const known = sandbox.getState().guilds.find(({ id }) => id === sandbox.guildId);
  const [guild, members] = await Promise.all([
    api.guilds.get(sandbox.guildId),
    api.guilds.getMembers(sandbox.guildId, { limit: 1000 }),
  ]);
  expect(guild.roles.map(({ id }) => id).sort()).toEqual(known?.roles.map(({ id }) => id).sort());
  expect(members.map(({ user }) => user.id).sort()).toEqual(
    known?.members.map(({ user_id }) => user_id).sort(),
  );
  await expect(api.guilds.getMember(sandbox.guildId, person('outsider'))).rejects.toMatchObject({
    code: 10_007,
  });
});

test('it moderates, and hears of what it did', async () => {
  const troll = person('troll');
  const banned = next(GatewayDispatchEvents.GuildBanAdd);
  const logged = next(GatewayDispatchEvents.GuildAuditLogEntryCreate, ({ target_id }) => target_id === troll);
  await api.guilds.banUser(sandbox.guildId, troll, {}, { reason: 'Enough, really: ü' });
  expect(await banned).toMatchObject({ guild_id: sandbox.guildId, user: { id: troll } });
  expect(await logged).toMatchObject({ reason: 'Enough, really: ü', user_id: sandbox.clientId });
  expect(await api.guilds.getMemberBans(sandbox.guildId)).toMatchObject([{ user: { id: troll } }]);
  const unbanned = next(GatewayDispatchEvents.GuildBanRemove);
  await api.guilds.unbanUser(sandbox.guildId, troll);
  expect(await unbanned).toMatchObject({ user: { id: troll } });
});

test('it writes a message with a file, edits and deletes it', async () => {
  const general = channel('general');
  const heard = next(GatewayDispatchEvents.MessageCreate);
  const { id } = await api.channels.createMessage(general, {
    content: 'One',
    files: [{ name: 'note.txt', data: Buffer.from('attached') }],
  });
  const message = await heard;
  expect([message.id, message.content]).toEqual([id, 'One']);
  expect(await (await fetch(message.attachments[0]?.url ?? '')).text()).toBe('attached');
  expect((await api.channels.editMessage(general, id, { content: 'Two' })).content).toBe('Two');
  const deleted = next(GatewayDispatchEvents.MessageDelete);
  await api.channels.deleteMessage(general, id);
  expect((await deleted).id).toBe(id);
  await expect(api.channels.getMessage(general, id)).rejects.toMatchObject({ code: 10_008 });
});

test('it registers a command and answers it', async () => {
  const [greet] = await api.applicationCommands.bulkOverwriteGlobalCommands(sandbox.clientId, [
    { name: 'greet', description: 'Greets' },
  ]);
  expect(greet?.name).toBe('greet');
  const asked = next(GatewayDispatchEvents.InteractionCreate);
  const done = sandbox.control.interact({ type: 'command', user: 'owner', command: 'greet' });
  const { id, token, application_id } = await asked;
  await api.interactions.defer(id, token);
  await api.interactions.editReply(application_id, token, { content: 'Hello' });
  expect((await done).message?.content).toBe('Hello');
});

test('it goes on after a connection that was cut, and misses nothing', async () => {
  const message = next(GatewayDispatchEvents.MessageCreate);
  sandbox.control.gateway({ action: 'drop' });
  sandbox.control.messages({ user: 'member', content: 'Meanwhile' });
  expect((await message).content).toBe('Meanwhile');
  expect(sandbox.getState().gateway.identifies).toBe(1);
});
