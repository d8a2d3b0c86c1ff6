import { PresetInput } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { addPreset } from '@bailiff/engine/cases/presets';
import { updateGuildSettings } from '@bailiff/engine/guilds/guild-settings';
import { memberNames } from '@bailiff/engine/guilds/guilds';
import { knownThings } from '@bailiff/engine/guilds/known-names';
import { seedGuild, seedToken } from '@bailiff/engine/testing';
import { subjectsOf } from '@bailiff/engine/tokens/approval-subjects';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ChatStage, endChatStage, setChatStage } from './chat-harness.ts';

let stage: ChatStage;

const owner = () => ({
  userId: stage.people.owner ?? '',
  requestId: 'req_owner',
  address: '203.0.113.1',
});

beforeAll(async () => {
  stage = await setChatStage({
    Moderator: ['strikes.read', 'strikes.write', 'mutes.write', 'bans.write', 'members.read'],
    Helper: ['strikes.read'],
    Admin: ['audit.read'],
  });
  await updateGuildSettings(stage.engine.db, owner(), stage.guildId, { notifiesTargets: false });
  for (const preset of [
    { kind: 'strike', name: 'spam', reason: 'Spam in the chat', severity: 'major' },
    { kind: 'strike', name: 'caps', reason: 'SHOUTING', severity: 'minor' },
    { kind: 'mute', name: 'cool down', reason: 'Heated argument', duration_minutes: 90 },
    { kind: 'ban', name: 'raid', reason: 'Raiding', duration_minutes: 1440 },
    { kind: 'ban', name: 'scam', reason: 'Stolen account' },
  ]) {
    await addPreset(stage.engine.db, owner(), stage.guildId, PresetInput.parse(preset));
  }
});
afterAll(() => endChatStage(stage));
beforeEach(async () => {
  await query('TRUNCATE cases, notes, identities CASCADE');
});

const query = async (sql: string, values: unknown[] = []) =>
  (await stage.test.database.pool.query(sql, values)).rows;
const cases = () => query('SELECT kind, reason, severity, duration_minutes FROM cases ORDER BY case_number');

/** The suggestions while a person types. */
async function suggested(
  user: string,
  command: string,
  focused: string,
  options: Record<string, string>,
): Promise<{ name: string; value: string }[]> {
  const request = { type: 'autocomplete', user, command, focused, options, channel: 'general' } as const;
  const { choices } = await stage.does(request);
  return (choices ?? []) as { name: string; value: string }[];
}

/** The whole answer, once nothing more is added to it. */
async function endsWith(answered: Awaited<ReturnType<ChatStage['does']>>, words: RegExp): Promise<string> {
  const message = () =>
    stage.sandbox.getState().interactions.find(({ id }) => id === answered.id)?.message?.content ?? '';
  await stage.sandbox.until(() => words.test(message()), 60_000, String(words));
  return message();
}

test('who comes on record is known by name afterwards', async () => {
  const { troll = '' } = stage.people;
  await query('DELETE FROM known_names');
  await stage.says('moderator', 'strike add', { user: 'troll', severity: 'minor', reason: 'Spam' });
  const name = () => memberNames(stage.engine.db, stage.guildId, [troll]);
  await expect.poll(name).toEqual({ [troll]: expect.stringMatching(/\S/) });
});

test('a call that waits for approval is about names', async () => {
  verifies('approval.names');
  const { troll = '' } = stage.people;
  const general = stage.sandbox.channels.general ?? '';
  await query('DELETE FROM known_names');
  const token = await seedToken(stage.engine.db, { id: stage.guildId, ownerId: stage.people.owner ?? '' });
  const ask = (type: string, id: string) =>
    query(
      `SELECT request_approval(jsonb_build_object('token_id', $1::text, 'guild_id', $2::text, 'operation', 'x',
        'target_type', $3::text, 'target_id', $4::text, 'input', '{}'::jsonb, 'digest', $4::text, 'request_id', 'r',
        'address', '192.0.2.1'))`,
      [token.id, stage.guildId, type, id],
    );
  await ask('user', troll);
  await ask('channel', general);
  const names = () => memberNames(stage.engine.db, stage.guildId, [troll]);
  await expect.poll(names).toEqual({ [troll]: expect.stringMatching(/\S/) });
  const channels = () => knownThings(stage.engine.db, stage.guildId, [general]);
  await expect.poll(channels).toEqual([{ id: general, name: '#general' }]);
});

test('a call that waits for approval shows whom it is about, also by their strike', async () => {
  verifies('approval.subject');
  const { troll = '', outsider = '', owner = '' } = stage.people;
  await stage.says('moderator', 'strike add', { user: 'troll', severity: 'minor', reason: 'Spam' });
  const token = await seedToken(stage.engine.db, { id: stage.guildId, ownerId: owner });
  const ask = async (type: string, id: string): Promise<string> => {
    const [row] = await query(
      `SELECT request_approval(jsonb_build_object('token_id', $1::text, 'guild_id', $2::text, 'operation', 'x',
        'target_type', $3::text, 'target_id', $4::text, 'input', '{}'::jsonb, 'digest', $4::text, 'request_id', 'r',
        'address', '192.0.2.1')) AS id`,
      [token.id, stage.guildId, type, id],
    );
    return row.id;
  };
  const [strike] = await query("SELECT id FROM cases WHERE kind = 'strike' AND user_id = $1 LIMIT 1", [
    troll,
  ]);
  const byStrike = await ask('strike', strike.id);
  const absent = await ask('user', outsider);
  const nobody = await ask('user', '100000000000000009');
  const heard = async () => {
    const subjects = await subjectsOf(stage.engine.db, stage.guildId, [byStrike, absent, nobody]);
    return [byStrike, absent, nobody].map((id) => subjects[id]?.inGuild);
  };
  await expect.poll(heard).toEqual([true, false, false]);
  const subjects = await subjectsOf(stage.engine.db, stage.guildId, [byStrike, absent, nobody]);
  const member = stage.sandbox.getState().guilds[0]?.members.find(({ user_id }) => user_id === troll);
  expect(subjects[byStrike]).toMatchObject({
    userId: troll,
    username: expect.stringMatching(/\S/),
    joinedAt: new Date(member?.joined_at ?? 0),
    cases: expect.any(Number),
    latestCases: [expect.objectContaining({ kind: 'strike' })],
  });
  expect(subjects[absent]).toMatchObject({
    joinedAt: null,
    roles: [],
    username: expect.stringMatching(/\S/),
  });
  expect(subjects[nobody]).toMatchObject({ username: null, displayName: null, cases: 0, latestCases: [] });
});

describe('/identity', () => {
  const add = (user: string, platform: string, in_game_id: string, about = 'troll') =>
    stage.says(user, 'identity add', { user: about, kind: platform, in_game_id });

  test('keeps who somebody is in a game, says whose a name is, and removes what was picked', async () => {
    verifies('identities.kept');
    expect(await add('moderator', 'minecraft', '_Block_Breaker_')).toBe(
      `<@${stage.people.troll}> is "\\_Block\\_Breaker\\_" in the game.`,
    );
    await add('moderator', 'steam', '[U:1:22202]');
    const named = await stage.says('moderator', 'identity list', { in_game_id: '_BLOCK_breaker_' });
    expect(named.split('\n')).toEqual([
      '**Identities in games**, the latest first',
      expect.stringContaining(`<@${stage.people.troll}>: "\\_Block\\_Breaker\\_" (Minecraft, name), set by`),
    ]);
    const options = { user: 'troll', identity: '287930' };
    const found = await suggested('moderator', 'identity remove', 'identity', options);
    expect(found.map(({ name }) => name)).toEqual(['76561197960287930 (steam)']);
    const identity = found[0]?.value ?? '';
    expect(await stage.says('moderator', 'identity remove', { user: 'member', identity })).toMatch(
      /^Not done\./,
    );
    expect(await stage.says('moderator', 'identity remove', { user: 'troll', identity })).toBe(
      `<@${stage.people.troll}> is no longer kept as "76561197960287930".`,
    );
    expect(await query('SELECT in_game_id FROM identities')).toEqual([{ in_game_id: '_Block_Breaker_' }]);
  });

  test('is there after a strike that names a player by an id of one game alone', async () => {
    verifies('identities.from-strikes');
    const strike = (in_game_id: string) =>
      stage.says('moderator', 'strike add', { user: 'troll', severity: 'minor', reason: 'x', in_game_id });
    expect(await strike('069A79F4-44E9-4726-A5BE-FCA90E38AAF5')).toMatch(/^Done\./);
    expect(await strike('Block_Breaker')).toMatch(/^Done\./);
    expect(await query('SELECT user_id, platform, in_game_id, set_by FROM identities')).toEqual([
      {
        user_id: stage.people.troll,
        platform: 'minecraft_uuid',
        in_game_id: '069a79f4-44e9-4726-a5be-fca90e38aaf5',
        set_by: stage.people.moderator,
      },
    ]);
  });

  test('is refused for what is somebody else’s or no identity, and without the capability', async () => {
    verifies('identities.checked');
    verifies('identities.one-person');
    await add('moderator', 'minecraft', 'Steve');
    expect(await add('moderator', 'minecraft', 'steve', 'member')).toContain(
      'Not done. Somebody else has this identity already. Find out who with /identity list, and remove it there first.',
    );
    expect(await add('moderator', 'minecraft', 'Steve; op Steve')).toContain(
      'The name or id must be the name of a Minecraft player',
    );
    expect(await add('helper', 'minecraft', 'Alex')).toMatch(/^Not done\..*strikes\.write/);
    expect(await suggested('helper', 'identity remove', 'identity', { user: 'troll', identity: '' })).toEqual(
      [],
    );
    expect(await query('SELECT in_game_id FROM identities')).toEqual([{ in_game_id: 'Steve' }]);
  });
});

describe('/note', () => {
  const add = (user: string, text: string) => stage.says(user, 'note add', { user: 'troll', text });

  test('writes a note that moderators read, and nobody is told but them', async () => {
    expect(await add('moderator', 'Second account of *somebody* @everyone')).toBe(
      `Noted on <@${stage.people.troll}>.`,
    );
    await add('owner', 'Was warned in person');
    const list = await stage.says('moderator', 'note list', { user: 'troll' });
    const [heading, newest, oldest, ...more] = list.split('\n');
    expect(more).toEqual([]);
    expect(heading).toBe(`**2 notes** on <@${stage.people.troll}>, newest first`);
    expect(newest).toContain(`<@${stage.people.owner}>: "Was warned in person"`);
    expect(oldest).toContain('"Second account of \\*somebody\\* @everyone"');
    expect(await stage.says('moderator', 'note list', { user: 'member' })).toMatch(/^There is no note on/);
    expect(stage.sandbox.getState().dms.flatMap(({ messages }) => messages)).toEqual([]);
    expect(
      await query("SELECT outcome FROM audit WHERE operation = 'notes.add' AND actor_source = 'chat'"),
    ).toHaveLength(4);
  });

  test('removes the note that was picked from those on that person', async () => {
    await add('moderator', 'Lives in UTC+9');
    await add('moderator', 'Friend of the Artist');
    const notes = await suggested('moderator', 'note remove', 'note', {
      user: 'troll',
      note: 'of the ARTIST',
    });
    expect(notes.map(({ name }) => name)).toEqual([
      expect.stringMatching(/^\d{4}-\d\d-\d\d Friend of the Artist$/),
    ]);
    const note = notes[0]?.value ?? '';
    expect(await stage.says('moderator', 'note remove', { user: 'member', note })).toMatch(/^Not done\./);
    expect(await stage.says('moderator', 'note remove', { user: 'troll', note })).toMatch(
      /^The note on .* is removed\.$/,
    );
    expect(await stage.says('moderator', 'note remove', { user: 'troll', note })).toMatch(/^Not done\./);
    expect((await query('SELECT text FROM notes')).map(({ text }) => text)).toEqual(['Lives in UTC+9']);
  });

  test('is refused without the capability, and suggests nothing', async () => {
    await add('moderator', 'Secret');
    expect(await add('helper', 'Mine')).toMatch(/^Not done\..*strikes\.write/);
    const list = await stage.says('helper', 'note list', { user: 'troll' });
    expect(list).toMatch(/^Not done\..*members\.read/);
    expect(await suggested('helper', 'note remove', 'note', { user: 'troll', note: '' })).toEqual([]);
    expect(await query('SELECT text FROM notes')).toEqual([{ text: 'Secret' }]);
  });

  test('stands beneath /history, for who may read it', async () => {
    await stage.says('moderator', 'strike add', { user: 'troll', reason: 'Spam', severity: 'minor' });
    await add('moderator', 'Often late at night');
    const history = (user: string) =>
      stage.does({
        type: 'command',
        user,
        command: 'history',
        channel: 'general',
        options: { user: 'troll' },
      });
    expect(await endsWith(await history('moderator'), /Often late at night/)).toMatch(
      /`#\d+`.*\n\*\*1 note\*\* on/s,
    );
    expect((await history('helper')).message?.content).not.toContain('note');
  });

  test('keeps a hundred notes on a person at most, in each guild', async () => {
    const elsewhere = await seedGuild(stage.test.database);
    for (const [guildId, count] of [
      [elsewhere.id, 100],
      [stage.guildId, 99],
    ]) {
      await query(
        `INSERT INTO notes (guild_id, user_id, text, written_by)
         SELECT $1, $2, 'n' || n, $2 FROM generate_series(1, $3::int) n`,
        [guildId, stage.people.troll, count],
      );
    }
    const told = await Promise.all(['a', 'b', 'c'].map((text) => add('moderator', text)));
    expect(told.filter((answer) => answer.startsWith('Noted'))).toHaveLength(1);
    expect(told.filter((answer) => /^Not done\. There are as many notes/.test(answer))).toHaveLength(2);
  });
});

describe('preset reasons', () => {
  const picked = async (command: string, typed: string) =>
    (await suggested('moderator', command, 'reason', { user: 'troll', reason: typed }))[0]?.value ?? '';

  test('are suggested by kind, with what they bring, to who may give them', async () => {
    const names = async (user: string, command: string, reason: string) =>
      (await suggested(user, command, 'reason', { user: 'troll', reason })).map(({ name }) => name);
    expect(await names('moderator', 'strike add', '')).toEqual([
      'caps · Minor · SHOUTING',
      'spam · Major · Spam in the chat',
    ]);
    expect(await names('moderator', 'strike add', 'CHAT')).toEqual(['spam · Major · Spam in the chat']);
    expect(await names('moderator', 'mute', '')).toEqual(['cool down · 90 minutes · Heated argument']);
    expect(await names('moderator', 'ban', 'ra')).toEqual(['raid · 1 day · Raiding']);
    expect(await names('moderator', 'ban', 'stolen')).toEqual(['scam · permanent · Stolen account']);
    expect(await names('helper', 'strike add', '')).toEqual([]);
  });

  test('bring severity and length with them', async () => {
    const reason = await picked('strike add', 'spam');
    expect(await stage.says('moderator', 'strike add', { user: 'troll', reason })).toMatch(
      /^Done\. Add a major strike/,
    );
    await stage.says('moderator', 'mute', { user: 'troll', reason: await picked('mute', '') });
    await stage.says('moderator', 'ban', { user: 'troll', reason: await picked('ban', '') });
    expect(await cases()).toEqual([
      { kind: 'strike', reason: 'Spam in the chat', severity: 'major', duration_minutes: null },
      { kind: 'mute', reason: 'Heated argument', severity: null, duration_minutes: 90 },
      { kind: 'ban', reason: 'Raiding', severity: null, duration_minutes: 1440 },
    ]);
    await stage.act('bans.lift', 'owner', { userId: stage.people.troll });
    stage.sandbox.control.members({ action: 'join', user: 'troll' });
  });

  test('give way to what the moderator says, `permanent` included', async () => {
    const reason = await picked('strike add', 'spam');
    await stage.says('moderator', 'strike add', { user: 'troll', reason, severity: 'minor' });
    await stage.says('moderator', 'ban', {
      user: 'troll',
      reason: await picked('ban', 'raid'),
      duration: 'permanent',
    });
    expect(await cases()).toMatchObject([
      { severity: 'minor', reason: 'Spam in the chat' },
      { reason: 'Raiding', duration_minutes: null },
    ]);
    await stage.act('bans.lift', 'owner', { userId: stage.people.troll });
    stage.sandbox.control.members({ action: 'join', user: 'troll' });
  });

  test('are not needed: a reason that is written stays as it is, and then says what goes with it', async () => {
    expect(await stage.says('moderator', 'strike add', { user: 'troll', reason: 'spam' })).toMatch(
      /^Not done\. Say how severe/,
    );
    expect(await stage.says('moderator', 'mute', { user: 'troll', reason: 'spam' })).toMatch(
      /^Not done\. Say for how long/,
    );
    await stage.says('moderator', 'strike add', { user: 'troll', reason: 'spam', severity: 'minor' });
    expect(await cases()).toMatchObject([{ kind: 'strike', reason: 'spam', severity: 'minor' }]);
  });

  test('of another kind, or gone, lead to nothing', async () => {
    const ofMutes = await picked('mute', '');
    expect(
      await stage.says('moderator', 'strike add', { user: 'troll', reason: ofMutes, severity: 'minor' }),
    ).toMatch(/^Not done\. This preset reason does not exist any more/);
    expect(await cases()).toEqual([]);
  });
});
