import { CHAT_OPERATION_NAMES, chatEntryOf, type MenuOperation } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { menuWords } from '@bailiff/messages';
import {
  ApplicationCommandOptionType,
  ChannelType,
  InteractionContextType,
  PermissionFlagsBits,
} from 'discord.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHAT_COMMANDS, COMMAND_DEFINITIONS } from '#src/chat/commands.ts';
import { areOurs } from '#src/chat/register.ts';
import { bot, grant, type Stage, setStage } from './harness.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
  await grant(stage, 'Moderator', ['bans.read', 'bans.write']);
  await stage.row('SELECT FROM members WHERE user_id = $1', [stage.people.moderator]);
  await stage.sandbox.until((state) => state.commands.length === COMMAND_DEFINITIONS.length);
});
afterAll(async () => {
  const { violations } = stage.sandbox;
  await stage.bot.stop();
  await stage.close();
  expect(violations).toEqual([]);
});

async function say(user: string, command: string, options: Record<string, string>): Promise<string> {
  const answer = await stage.sandbox.control.interact({ type: 'command', user, command, options });
  expect(answer.state).toBe('answered');
  for (const { ephemeral } of answer.responses) expect(ephemeral).toBe(true);
  return answer.message?.content ?? '';
}

const bans = () => stage.sandbox.getState().guilds[0]?.bans.map(({ user_id }) => user_id);

test('commands are shown to those who have the Discord permission that goes with their capability', () => {
  verifies('bot.chat.hidden');
  const state = stage.sandbox.getState();
  const shownTo = Object.fromEntries(
    state.commands.map(({ name, default_member_permissions: bits }) => [name, bits]),
  );
  // The permissions themselves are listed in packages/core/test/operations.test.ts.
  const expected = new Map<string, bigint | null>();
  for (const operation of CHAT_OPERATION_NAMES) {
    const { command, menus = [], shownTo: who } = chatEntryOf(operation);
    const bits = who === 'everyone' ? null : PermissionFlagsBits[who];
    const [group = ''] = command.split(' ');
    // Discord shows a group of commands as a whole.
    const others = expected.get(group);
    expected.set(group, bits === null || others === null ? null : bits | (others ?? 0n));
    for (const menu of menus) expected.set(menuWords('en', operation as MenuOperation, menu), bits);
  }
  const texts = [...expected].map(([name, bits]) => [name, bits === null ? null : String(bits)]);
  expect(shownTo).toEqual(Object.fromEntries(texts));
  expect(shownTo).toMatchObject({
    ban: String(1n << 2n),
    ticket: null,
    'Purge from here': String(1n << 13n),
  });
  // None is shown in direct messages.
  for (const { contexts } of state.commands) expect(contexts).toEqual([InteractionContextType.Guild]);
});

test('a command offers the channels that it can be about, and this one if none is chosen', () => {
  const { GuildText, GuildAnnouncement, GuildVoice, GuildStageVoice, GuildForum } = ChannelType;
  const { PublicThread, PrivateThread, AnnouncementThread } = ChannelType;
  const withSettings = [GuildText, GuildVoice, GuildStageVoice, GuildForum];
  const threads = [PublicThread, PrivateThread, AnnouncementThread];
  const offered = CHAT_COMMANDS.flatMap(({ operation, options }) =>
    options
      .filter((option) => option.type === ApplicationCommandOptionType.Channel)
      .map(({ channel_types, required }) => [
        operation,
        { channel_types: channel_types?.toSorted(), required },
      ]),
  );
  const choice = (kinds: readonly ChannelType[]) => ({ channel_types: kinds.toSorted(), required: false });
  expect(Object.fromEntries(offered)).toEqual({
    'messages.purge': choice([GuildText, GuildAnnouncement, GuildVoice, GuildStageVoice, ...threads]),
    'channels.slowmode': choice(withSettings),
    'channels.lock': choice([...withSettings, GuildAnnouncement]),
    'channels.unlock': choice([...withSettings, GuildAnnouncement]),
    'tickets.panel': choice([GuildText, GuildAnnouncement]),
  });
});

test('commands are not registered again when nothing changed', async () => {
  const put = () =>
    stage.sandbox.requests.filter(({ method, path }) => method === 'PUT' && path.endsWith('/commands'));
  expect(put()).toHaveLength(1);
  await stage.bot.stop();
  const again = await bot(stage.config);
  await stage.sandbox.until(
    () => stage.sandbox.requests.filter(({ path }) => path.endsWith('/commands')).length === 3,
  );
  await again.settled;
  expect(put()).toHaveLength(1);
  await again.stop();
  stage = { ...stage, bot: await bot(stage.config) };
  await stage.bot.settled;
});

test('an application that is older than its bot’s account gets its commands under its own id', async () => {
  const [clientId, botUserId] = ['81384788765712384', '100000000000000009'];
  const old = await setStage({ clientId, botUserId });
  try {
    await old.sandbox.until(({ commands }) => commands.length > 0, 60_000, 'the commands');
    const puts = old.sandbox.requests.filter(
      ({ method, path }) => method === 'PUT' && path.endsWith('/commands'),
    );
    expect(new Set(puts.map(({ path }) => path))).toEqual(new Set([`/applications/${clientId}/commands`]));
  } finally {
    await old.close();
  }
});

/** What a command says in each kind of place, one place of each kind. */
function places(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const all = Object.entries(value).flatMap(([key, each]) => places(each, [...path, key]));
  return [...new Map(all.map((each) => [each.join().replace(/\d+/g, '*'), each])).values()];
}

test('commands that differ in one thing from those of this release are registered again', () => {
  const registered = () => JSON.parse(JSON.stringify(COMMAND_DEFINITIONS));
  expect(areOurs(registered())).toBe(true);
  const all = places(COMMAND_DEFINITIONS);
  expect(all.length).toBeGreaterThan(40);
  for (const place of all) {
    // Discord sets it by what the whole application is for.
    if (place.includes('integration_types')) continue;
    const changed = registered();
    const within = place.slice(0, -1).reduce((inner, key) => inner[key], changed);
    const key = place.at(-1) ?? '';
    within[key] = typeof within[key] === 'boolean' ? !within[key] : `${within[key]}1`;
    expect(areOurs(changed), place.join('.')).toBe(false);
  }
});

test('a moderator bans with /ban and lifts it with /unban, and is told so in private', async () => {
  const banned = await say('moderator', 'ban', { user: 'troll', reason: 'Spam @everyone', duration: '2d' });
  expect(banned).toMatch(
    /^Done\. Ban xx\\_grief\\_xx \(\d+\) in Harbourlight .* for 2 days: "Spam @everyone" \(case #1\)$/,
  );
  expect(bans()).toEqual([stage.people.troll]);
  await stage.row("SELECT FROM actions WHERE actor_source = 'chat' AND actor_user_id = $1", [
    stage.people.moderator,
  ]);
  const options = { user: 'troll', reason: 'Still spam' };
  const again = await stage.sandbox.control.interact({
    type: 'command',
    user: 'moderator',
    command: 'ban',
    options,
  });
  const answered = () =>
    stage.sandbox.getState().interactions.find(({ id }) => id === again.id)?.message?.content;
  await expect.poll(answered).toContain('\nThis replaces case #1, which was in force.');
  expect(await say('moderator', 'unban', { user: stage.people.troll ?? '' })).toMatch(
    /^Done\. Lift the ban of/,
  );
  expect(bans()).toEqual([]);
});

test('without the capability nothing is done, and the refusal says what is missing and who grants it', async () => {
  verifies('bot.chat.same-capability');
  const answer = await say('admin', 'ban', { user: 'troll', reason: 'Spam' });
  expect(answer).toContain('bans.write');
  expect(answer).toContain(`<@${stage.people.owner}>`);
  expect(answer).toMatch(/Request `req_[0-9a-f]{32}`/);
  expect(bans()).toEqual([]);
});

test('a refusal of Discord reaches the moderator with the request id', async () => {
  const answer = await say('moderator', 'ban', { user: 'admin', reason: 'Coup' });
  expect(answer).toMatch(/^Not done\. The target's highest role is not below/);
  expect(answer).toContain('Request `req_');
});

test('a length of time nobody can read is refused before anything is asked', async () => {
  const answer = await say('moderator', 'ban', { user: 'troll', reason: 'Spam', duration: 'a while' });
  expect(answer).toBe('Not done. duration: "a while" is no length of time. Write it as 30m, 2d or 1w.');
});

test('a number without a unit is asked about, with how to write each unit', async () => {
  verifies('durations.bare');
  const answer = await say('moderator', 'ban', { user: 'troll', reason: 'Spam', duration: '30' });
  expect(answer).toMatch(/^duration: what is 30\? Nothing is done before you press a button/);
});
