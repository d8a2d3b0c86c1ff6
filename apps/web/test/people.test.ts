import { CAPABILITIES, type Capability } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { guildFor } from '@bailiff/engine/guilds/guilds';
import { FROM_THE_START, peopleOnRecord } from '@bailiff/engine/guilds/people-pages';
import { grantRole, type SeededGuild, seedGuild, snowflake } from '@bailiff/engine/testing';
import { expect, it } from 'vitest';
import { peopleWith, targetName } from '#src/people.ts';
import { guildForEachTest } from './each-test.ts';
import { exhaust, type Person, signedIn, type TestWeb, windowSeconds } from './support.ts';

let web: TestWeb;
let guild: SeededGuild;
let owner: Person;

guildForEachTest((given) => {
  ({ web, guild, owner } = given);
});

const search = (query: string, more = '', person = owner) =>
  person.call('GET', `/api/guilds/${guild.id}/people?${new URLSearchParams({ query })}${more}`);
const query = async (sql: string, ...values: unknown[]) => (await web.db.pool.query(sql, values)).rows;

it('a search answers with picture, names, roles and present state', async () => {
  verifies('people.search');
  await query(
    `UPDATE members SET display_name = $2, username = 'juno.ok', avatar_hash = 'abc' WHERE user_id = $1`,
    guild.moderatorId,
    'Juno\u202e Okafor',
  );
  await query("UPDATE members SET display_name = E'\\u202e' WHERE user_id = $1", guild.memberId);
  const [unseen] = await query('SELECT username FROM members WHERE user_id = $1', guild.memberId);
  const disguised = await search(unseen.username, '&known=only');
  expect(disguised.body.data).toMatchObject([{ user_id: guild.memberId, display_name: unseen.username }]);
  await query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by, issued_at)
     VALUES ('mut_1', $1, 1, 'mute', $2, 'noise', 'm', '2023-01-01T00:00:00Z'),
       ('ban_2', $1, 2, 'ban', $3, 'spam', 'm', '2023-01-01T00:00:00Z')`,
    guild.id,
    guild.moderatorId,
    guild.strangerId,
  );
  // An import numbered it last, but it is older than the mute.
  await query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by, issued_at)
     VALUES ('str_3', $1, 3, 'strike', $2, 'once', 'm', '2022-01-01')`,
    guild.id,
    guild.moderatorId,
  );
  const found = await search('kaf', '&known=only');
  expect(found).toMatchObject({
    status: 200,
    body: {
      data: [
        {
          user_id: guild.moderatorId,
          display_name: 'Juno Okafor',
          username: 'juno.ok',
          // Discord has pictures in sizes that are powers of two.
          picture: `https://cdn.discordapp.com/avatars/${guild.moderatorId}/abc.png?size=64`,
          bot: false,
          roles: [{ id: guild.moderatorRoleId, name: expect.any(String) }],
          in_guild: true,
          banned: false,
          muted: true,
          latest_case: { case_number: 1, kind: 'mute', issued_at: '2023-01-01T00:00:00.000Z' },
        },
      ],
      discord: 'not_asked',
    },
  });
  const byMention = await search(`<@${guild.strangerId}>`, '&known=only');
  expect(byMention.body.data).toMatchObject([
    { user_id: guild.strangerId, in_guild: false, banned: true, roles: null },
  ]);
  // Without a text, whom the latest cases are about.
  const latest = await search('');
  expect(latest.body.data.map((each: { user_id: string }) => each.user_id)).toEqual([
    guild.strangerId,
    guild.moderatorId,
  ]);
});

it.each([
  ['Łukasz Ørsted', 'lukasz'],
  ['Łukasz Ørsted', 'ØRST'],
  ['Işık Đặng', 'isik'],
  ['Işık Đặng', 'dang'],
  ['Renée Ħal', 'renee ha'],
])('%s is found by "%s", as somebody types it who has other keys', async (displayName, typed) => {
  verifies('people.search');
  await query('UPDATE members SET display_name = $2 WHERE user_id = $1', guild.moderatorId, displayName);
  const found = await search(typed, '&known=only');
  expect(found.body.data).toMatchObject([{ user_id: guild.moderatorId, display_name: displayName }]);
});

it('only who may read members searches, and sees of bans and mutes what they may read', async () => {
  verifies('people.search');
  const moderator = await signedIn(web, guild.moderatorId);
  await grantRole(web.db, guild, guild.moderatorRoleId, ['bans.read']);
  expect(await search('ann', '&known=only', moderator)).toMatchObject({
    status: 403,
    body: { error: { code: 'CAPABILITY_DENIED' } },
  });
  await grantRole(web.db, guild, guild.moderatorRoleId, ['members.read']);
  const allowed = await search(guild.moderatorId, '&known=only', moderator);
  expect(allowed.body.data).toMatchObject([{ in_guild: true, banned: null, muted: null }]);
  const stranger = await signedIn(web, guild.strangerId);
  expect(await search('ann', '', stranger)).toMatchObject({ status: 404 });
});

it('without the bot, and over the limits of questions to Discord, people on record still come', async () => {
  verifies('people.search.discord');
  await query("UPDATE members SET display_name = 'Juno Okafor' WHERE user_id = $1", guild.moderatorId);
  const found = (discord: string) => ({
    status: 200,
    body: { data: [{ display_name: 'Juno Okafor' }], discord },
  });
  const [answer] = await Promise.all([search('ju\u200bn'), search('j'.repeat(300))]);
  expect(answer).toMatchObject(found('no_answer'));
  // What Discord is asked has no characters that nobody sees, and is no longer than a name can be.
  const asked = await query(
    `SELECT payload ->> 'query' AS text FROM graphile_worker._private_jobs WHERE payload ->> 'guild_id' = $1 ORDER BY 1`,
    guild.id,
  );
  expect(asked.map(({ text }) => text)).toEqual(['j'.repeat(100), 'jun']);
  for (const key of [`people:${guild.ownerId}`, `people of a guild:${guild.id}`])
    expect(await windowSeconds(web, key), key).toBe(10);
  const moderator = await signedIn(web, guild.moderatorId);
  await grantRole(web.db, guild, guild.moderatorRoleId, ['members.read']);
  await exhaust(web.db, `people:${guild.moderatorId}`, 30);
  expect(await search('jun', '', moderator)).toMatchObject(found('limited'));
  await exhaust(web.db, `people of a guild:${guild.id}`, 60);
  expect(await search('jun')).toMatchObject(found('limited'));
});

it('a guild learns nobody’s name from the records of another guild, by an id in an address', async () => {
  verifies('people.search');
  const stranger = snowflake();
  await query(
    `INSERT INTO known_names (user_id, username, display_name, guild_ids) VALUES ($1, 'otto.b', 'Otto', '{}')`,
    stranger,
  );
  const view = (await guildFor(web.db, guild.id, guild.ownerId)) ?? expect.fail('The owner has no guild.');
  const quiet = { ...view, mirrorFresh: false };
  expect((await peopleWith(quiet, guild.ownerId, stranger)).names).toEqual({});
  await query('UPDATE known_names SET guild_ids = $2 WHERE user_id = $1', stranger, [guild.id]);
  expect((await peopleWith(quiet, guild.ownerId, stranger)).names).toEqual({ [stranger]: 'Otto' });
  const without = { ...quiet, capabilities: ['audit.read'] as const };
  expect((await peopleWith(without, guild.moderatorId, stranger)).names).toEqual({});
});

it('a search shows nothing of what another guild has on record', async () => {
  verifies('people.search');
  const elsewhere = await seedGuild(web.db);
  await query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by, player_name)
     SELECT kind || $1, $1, n, kind::"CaseKind", $2, 'spam', 'm', 'Zorro77'
     FROM (VALUES ('ban', 1), ('mute', 2)) AS given (kind, n)`,
    ...[elsewhere.id, guild.memberId],
  );
  await query(
    `INSERT INTO identities (guild_id, user_id, platform, in_game_id, key, set_by)
     VALUES ($1, $2, 'minecraft', 'Zora88', 'zora88', 'm')`,
    ...[elsewhere.id, guild.memberId],
  );
  for (const name of ['Zorro77', 'Zora88']) expect((await search(name, '&known=only')).body.data).toEqual([]);
  expect((await search(guild.memberId, '&known=only')).body.data).toMatchObject([
    { user_id: guild.memberId, banned: false, muted: false, latest_case: null },
  ]);
});

it('of the id of the guild itself Discord is not asked whose it is', async () => {
  const view = (await guildFor(web.db, guild.id, guild.ownerId)) ?? expect.fail('The owner has no guild.');
  expect(await targetName({ ...view, mirrorFresh: true }, guild.ownerId, guild.id)).toEqual({});
  const asked =
    "SELECT FROM graphile_worker._private_jobs WHERE key LIKE 'ask_member:%' AND payload->>'user_id' = $1";
  expect(await query(asked, guild.id)).toEqual([]);
});

it('everybody on record is listed once, page by page, as far as the reader may know of them', async () => {
  verifies('dashboard.members.on-record');
  const ids = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => `${500_000_000_000_000_000n + BigInt(from + n)}`);
  const [banned, struck, noted, asked] = [ids(0, 40), ids(30, 40), ids(60, 40), ids(200, 5)];
  const insert = (text: string, people: readonly string[]) =>
    web.db.pool.query(`${text} FROM unnest($2::text[]) WITH ORDINALITY AS p (id, n)`, [guild.id, people]);
  const addCases = (kind: string, first: number, people: readonly string[]) =>
    insert(
      `INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by)
       SELECT '${kind}_' || n || $1, $1, ${first} + n, '${kind}', id, 'noise', '1'`,
      people,
    );
  await addCases('ban', 0, banned);
  await addCases('strike', 1000, [...struck, ...struck, ...struck]);
  await insert(`INSERT INTO notes (guild_id, user_id, text, written_by) SELECT $1, id, 'x', '1'`, noted);
  await insert(`INSERT INTO tickets (guild_id, number, subject, opened_by) SELECT $1, n, 'Help', id`, asked);

  const listed = async (capabilities: readonly Capability[]) => {
    const pages: string[][] = [];
    let after: string | null = FROM_THE_START;
    while (after !== null) {
      const viewer = { id: guild.id, isOwner: false, capabilities };
      const page = await peopleOnRecord(web.db, viewer, after);
      pages.push(page.people.map(({ userId }) => userId));
      after = page.next;
    }
    return pages;
  };
  const all = await listed(CAPABILITIES);
  expect(all.map((page) => page.length)).toEqual([50, 50, 5]);
  expect(all.flat()).toEqual([...ids(0, 100), ...asked]);
  expect((await listed(['members.read', 'bans.read'])).flat()).toEqual([...banned, ...noted]);
  expect((await listed(['members.read', 'tickets.read'])).flat()).toEqual([...noted, ...asked]);
  await expect(listed(['bans.read'])).rejects.toMatchObject({ code: 'CAPABILITY_DENIED' });
});
