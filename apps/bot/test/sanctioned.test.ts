import { verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChatStage, endChatStage, setChatStage } from './chat-harness.ts';

let stage: ChatStage;
beforeAll(async () => {
  stage = await setChatStage({ Moderator: ['mutes.read', 'mutes.write', 'bans.read', 'bans.write'] });
  await stage.says('moderator', 'ban', { user: 'troll', reason: 'Spam' });
  await stage.says('moderator', 'ban', { user: 'newcomer', reason: 'Spam' });
  await stage.says('moderator', 'mute', { user: 'member', reason: 'Shouting', duration: '1h' });
  // Whoever is banned is no member; their names are learned.
  const { troll, newcomer } = stage.people;
  await stage.row('SELECT FROM known_names WHERE user_id = ANY ($1) HAVING count(*) = 2', [
    [troll, newcomer],
  ]);
});
afterAll(() => endChatStage(stage));

async function suggested(command: string, typed: string, user = 'moderator'): Promise<unknown> {
  const typing = { type: 'autocomplete', focused: 'user', channel: 'general' } as const;
  const answered = await stage.sandbox.control.interact({
    ...typing,
    user,
    command,
    options: { user: typed },
  });
  return answered.choices;
}

test('/unban suggests who is banned and /unmute who is muted, by a part of their name', async () => {
  verifies('chat.suggest-sanctioned');
  const { troll, newcomer, member } = stage.people;
  expect(await suggested('unban', '')).toEqual([
    { name: expect.stringMatching(/ \(#2\)$/), value: newcomer },
    { name: expect.stringMatching(/xx_grief_xx.* \(#1\)$/), value: troll },
  ]);
  expect(await suggested('unban', 'GRIEF')).toEqual([{ name: expect.any(String), value: troll }]);
  expect(await suggested('unban', 'lord')).toEqual([{ name: expect.any(String), value: troll }]);
  expect(await suggested('unban', 'Hoff')).toEqual([{ name: expect.any(String), value: newcomer }]);
  expect(await suggested('unban', '1')).toContainEqual({ name: expect.any(String), value: troll });
  expect(await suggested('unban', 'nobody')).toEqual([]);
  expect(await suggested('unmute', '')).toEqual([{ name: expect.stringMatching(/\(#3\)$/), value: member }]);
  expect(await suggested('unban', '', 'admin')).toEqual([]);
});

test('/unban suggests whom the latest bans are of first, not those that an import brought last', async () => {
  verifies('chat.suggest-sanctioned', 'imports.rows');
  const { troll, newcomer } = stage.people;
  const date = (at: string) =>
    stage.test.database.pool.query(`UPDATE cases SET issued_at = ${at} WHERE case_number = 2`);
  await date("'2022-01-01'");
  expect(await suggested('unban', '')).toMatchObject([{ value: troll }, { value: newcomer }]);
  await date('now()');
});

test('whoever may not lift bans does not learn by a name who is banned', async () => {
  verifies('chat.suggest-sanctioned');
  for (const user of ['XX_grief_xx', 'Lena Hoff', 'nobody of this name']) {
    expect(await stage.says('admin', 'unban', { user })).toMatch(/^Not done\. .* capability bans\.write/);
  }
});

test('a name that another guild has learned finds nobody here', async () => {
  verifies('people.names-of-own-guild');
  const { pool } = stage.test.database;
  const knownIn = (guildId: string) =>
    pool.query('UPDATE known_names SET guild_ids = $2 WHERE user_id = $1', [stage.people.troll, [guildId]]);
  await knownIn('834989431927603200');
  expect(await suggested('unban', 'GRIEF')).toEqual([]);
  await knownIn(stage.guildId);
  expect(await suggested('unban', 'GRIEF')).toHaveLength(1);
});

test('of two banned people with the same name none is unbanned by it', async () => {
  verifies('chat.suggest-sanctioned');
  const { troll, newcomer } = stage.people;
  const { pool } = stage.test.database;
  const { rows } = await pool.query(
    'SELECT user_id, display_name FROM known_names WHERE user_id = ANY ($1)',
    [[troll, newcomer]],
  );
  const rename = (userId: string, name: string) =>
    pool.query('UPDATE known_names SET display_name = $2 WHERE user_id = $1', [userId, name]);
  for (const { user_id } of rows) await rename(user_id, 'Twin');
  expect(await stage.says('moderator', 'unban', { user: 'twin' })).toMatch(
    /^Not done\. user: “twin” is not one person/,
  );
  for (const { user_id, display_name } of rows) await rename(user_id, display_name);
});

test('the whole name of a ban of years ago is looked for behind all newer bans, and frees none of a namesake', async () => {
  verifies('chat.suggest-sanctioned');
  const { troll, newcomer } = stage.people;
  const { pool } = stage.test.database;
  const { rows: before } = await pool.query(
    'SELECT user_id, display_name FROM known_names WHERE user_id = ANY ($1)',
    [[troll, newcomer]],
  );
  const rename = (userId: string | undefined, name: string) =>
    pool.query('UPDATE known_names SET display_name = $2 WHERE user_id = $1', [userId, name]);
  await pool.query("UPDATE cases SET issued_at = '2022-01-01' WHERE case_number = 1");
  await pool.query('ALTER TABLE cases DISABLE TRIGGER USER'); // no job for each of these cases
  await pool.query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by, issued_at)
     SELECT new_id('ban'), $1, -n, 'ban', (8 * 10::numeric ^ 17 + n)::text, 'Raid', 'm', now() - interval '1 year'
     FROM generate_series(1, 1001) AS n`,
    [stage.guildId],
  );
  await pool.query('ALTER TABLE cases ENABLE TRIGGER USER');
  await pool.query(
    `INSERT INTO known_names (user_id, username, display_name, guild_ids)
     SELECT user_id, 'twin' || -case_number, 'Twin of many', ARRAY[$1] FROM cases WHERE case_number < 0`,
    [stage.guildId],
  );
  const unban = (user: string) => stage.says('moderator', 'unban', { user });
  const notOne = (name: string) => new RegExp(`^Not done\\. user: “${name}” is not one person`);

  await rename(newcomer, 'Twin');
  await rename(troll, 'TWIN');
  expect(await unban('twin')).toMatch(notOne('twin'));
  // It looks the same in a list, with a letter that nobody types.
  await rename(troll, 'Twín');
  expect(await unban('Twin')).toMatch(notOne('Twin'));
  await rename(newcomer, 'Other');
  expect(await unban('Twin')).toMatch(notOne('Twin'));
  // A ban that has run out and that the bot could not lift still bans.
  await rename(newcomer, 'Twin');
  await rename(troll, 'Twin');
  await pool.query(
    'UPDATE cases SET expires_at = now(), end_failed_at = now() WHERE guild_id = $1 AND case_number = 1',
    [stage.guildId],
  );
  expect(await unban('twin')).toMatch(notOne('twin'));
  await pool.query(
    'UPDATE cases SET expires_at = NULL, end_failed_at = NULL WHERE guild_id = $1 AND case_number = 1',
    [stage.guildId],
  );

  await rename(troll, 'Twin of old');
  expect(await unban('twin of OLD')).toMatch(/^Done\. Lift the ban of/);
  expect(await stage.says('moderator', 'ban', { user: 'troll', reason: 'Spam' })).toMatch(/^Done\./);
  for (const { user_id, display_name } of before) await rename(user_id, display_name);
  await pool.query(
    'DELETE FROM known_names WHERE user_id IN (SELECT user_id FROM cases WHERE case_number < 0)',
  );
  await pool.query('DELETE FROM cases WHERE case_number < 0');
});

test('the whole name of one of them, an id and a mention all do; anything else says what to write', async () => {
  verifies('chat.suggest-sanctioned');
  const { troll, newcomer } = stage.people;
  expect(await stage.says('moderator', 'unban', { user: 'x' })).toMatch(
    /^Not done\. user: “x” is not one person/,
  );
  expect(await stage.says('moderator', 'unban', { user: 'XX_grief_xx' })).toMatch(/^Done\. Lift the ban of/);
  expect(await suggested('unban', 'grief')).toEqual([]);
  expect(await stage.says('moderator', 'unban', { user: `<@${newcomer}>` })).toMatch(
    /^Done\. Lift the ban of/,
  );
  expect(await stage.says('moderator', 'unban', { user: troll ?? '' })).toMatch(
    /^Not done\. This user is not banned/,
  );
});

test('the whole name does of somebody who is on record and has become a moderator since', async () => {
  verifies('chat.suggest-sanctioned');
  const { member } = stage.people;
  const { username } = await stage.row<{ username: string }>(
    'SELECT username FROM known_names WHERE user_id = $1',
    [member],
  );
  stage.sandbox.control.members({ action: 'add_role', user: 'member', role: 'Moderator' });
  await stage.row('SELECT FROM members WHERE user_id = $1', [member]);
  expect(await stage.says('owner', 'unmute', { user: username })).toMatch(/^Done\. Lift the mute of/);
});
