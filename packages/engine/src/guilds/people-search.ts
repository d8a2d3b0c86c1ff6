import { CaseKind, type Database, type RowOf, sql } from '@bailiff/prisma';
import { readableKinds } from '#src/cases/cases.ts';
import { pageInTurn } from '#src/database/in-turn.ts';
import type { FoundMember } from '#src/database/waiters.ts';
import { type Asking, askMember } from './ask-member.ts';
import { askPeople } from './ask-people.ts';
import type { Viewer } from './guilds.ts';
import { latestUserIds, MOST_PEOPLE, requireMembers } from './people.ts';

/** A role of a person, as far as it is shown beside their name. */
export interface PersonRole {
  readonly id: string;
  readonly name: string;
  readonly color: number;
}

/** A person whom a search found. */
export interface FoundPerson {
  readonly userId: string;
  /** Null if the name is not known yet. */
  readonly displayName: string | null;
  readonly username: string | null;
  readonly avatarHash: string | null;
  readonly isBot: boolean;
  /** Highest first. Null if they are not known. */
  readonly roles: readonly PersonRole[] | null;
  /** Null if nobody knows. */
  readonly inGuild: boolean | null;
  readonly joinedAt: Date | null;
  /** Whether a ban or mute is in force; null if the viewer may not read those. */
  readonly isBanned: boolean | null;
  readonly isMuted: boolean | null;
  /** Number of their latest case, of the kinds that the viewer may read. */
  readonly latestCase: { readonly number: number; readonly kind: CaseKind; readonly issuedAt: Date } | null;
}

/** Why a search has, or has not, what Discord knows. */
export type DiscordSaid = 'answered' | 'no_answer' | 'limited' | 'not_asked';

export interface FoundPeople {
  readonly people: readonly FoundPerson[];
  readonly discord: DiscordSaid;
}

/** How many names are looked at, of those that begin with a text and of those that contain it. */
const MOST_NAMES = MOST_PEOPLE;

const namesOf = (alias: string) =>
  `ARRAY[name_to_search(${alias}.username), name_to_search(${alias}.display_name)]`;

/** Whether an index says that the guild's row `n` may have a name with `part`, an SQL expression. */
export const mayBeNamed = (guildIds: string, part: string): string =>
  `name_grams(${guildIds}, ${namesOf('n')}) @> name_grams(ARRAY[$1], ARRAY[${part}])`;

/** Rows of a table of names of the guild $1 that contain `part`, an SQL expression. */
export const named = (table: string, guildIds: string, part: string) =>
  `SELECT n.user_id FROM ${table} n WHERE ${mayBeNamed(guildIds, part)}
     AND (strpos(name_to_search(n.username), ${part}) > 0 OR strpos(name_to_search(n.display_name), ${part}) > 0)`;

/** People on record whom the viewer may know of. */
const ON_RECORD = (person: string) => `(EXISTS (SELECT FROM cases c
      WHERE c.guild_id = $1 AND c.user_id = ${person} AND c.kind::text = ANY ($3))
    OR EXISTS (SELECT FROM notes t WHERE t.guild_id = $1 AND t.user_id = ${person})
    OR EXISTS (SELECT FROM identities t WHERE t.guild_id = $1 AND t.user_id = ${person})
    OR $4 AND EXISTS (SELECT FROM tickets t WHERE t.guild_id = $1 AND t.opened_by = ${person}))`;

const peopleByName = sql.statement({
  parameters: [sql.text, sql.text, sql.arrayOf(sql.text), sql.bool, sql.text],
  columns: { user_id: sql.text },
  // The best plan depends on the text.
  prepared: false,
  text: [
    // Those whose names begin with it first, because a name may have too many matches for all of them to be looked at.
    ...['name_to_search($2)', 'name_part($2)'].flatMap((part) => [
      `(${named('members', 'ARRAY[n.guild_id]', part)} LIMIT ${MOST_NAMES})`,
      `(${named('known_names', 'n.guild_ids', part)} AND ${ON_RECORD('n.user_id')} LIMIT ${MOST_NAMES})`,
    ]),
    ...['player_name', 'in_game_id'].map(
      (column) =>
        `(SELECT user_id FROM cases WHERE guild_id = $1 AND ${column} IS NOT NULL AND lower(${column}) LIKE lower($5)
          AND kind::text = ANY ($3) LIMIT ${MOST_PEOPLE})`,
    ),
    `(SELECT user_id FROM identities WHERE guild_id = $1 AND key LIKE lower($5) LIMIT ${MOST_PEOPLE})`,
  ].join(' UNION '),
});

const PERSON = {
  user_id: sql.text,
  display_name: sql.text.orNull,
  username: sql.text.orNull,
  avatar_hash: sql.text.orNull,
  is_bot: sql.bool,
  roles: sql.jsonb<PersonRole[]>().orNull,
  is_member: sql.bool,
  joined_at: sql.timestamptz.orNull,
  is_banned: sql.bool.orNull,
  is_muted: sql.bool.orNull,
  case_number: sql.int.orNull,
  kind: sql.oneOf({ CaseKind }).orNull,
  issued_at: sql.timestamptz.orNull,
};

const inForce = (kind: CaseKind) =>
  `CASE WHEN '${kind}' = ANY ($3::text[]) THEN EXISTS (SELECT FROM cases WHERE guild_id = $1 AND user_id = p.user_id
     AND kind = '${kind}' AND case_is_in_force(ended_at, expires_at)) END`;

/** A ban that has run out and that the bot could not lift stands all the same. */
const BANNED = `${inForce('ban')} OR CASE WHEN 'ban' = ANY ($3::text[]) THEN EXISTS (SELECT FROM cases
     WHERE guild_id = $1 AND user_id = p.user_id AND kind IN ('ban', 'softban') AND ended_at IS NULL
     AND end_failed_at IS NOT NULL) END`;

const begins = (name: string) => `starts_with(name_to_search(${name}), name_to_search($5))`;
/** Those whose names begin with the text first, then members of the guild. */
const IN_ORDER = 'begins DESC, is_member DESC, display_name NULLS LAST, user_id';

/** What is known of these people, those whose names begin with $5 first. $4 is what Discord has just said of some. */
const describedPeople = sql.statement({
  parameters: [
    sql.text,
    sql.arrayOf(sql.text),
    sql.arrayOf(sql.text),
    sql.jsonb<readonly FoundMember[]>(),
    sql.text,
  ],
  columns: PERSON,
  text: `SELECT p.user_id, p.display_name, p.username, p.avatar_hash, p.is_bot, p.is_member, p.joined_at,
      CASE WHEN p.role_ids IS NOT NULL THEN coalesce((SELECT jsonb_agg(
          jsonb_build_object('id', id, 'name', name, 'color', color) ORDER BY position DESC, id)
        FROM roles WHERE guild_id = $1 AND id <> $1 AND id = ANY (p.role_ids)), '[]') END AS roles,
      ${BANNED} AS is_banned, ${inForce('mute')} AS is_muted, c.case_number, c.kind, c.issued_at
    FROM (SELECT *, coalesce(${begins('display_name')} OR ${begins('username')}, false) AS begins FROM (
      SELECT u.user_id, coalesce(h.display_name, m.display_name, k.display_name) AS display_name,
        coalesce(h.username, m.username, k.username) AS username,
        coalesce(h.avatar_hash, m.avatar_hash, k.avatar_hash) AS avatar_hash,
        coalesce(h.bot, m.bot, false) AS is_bot, h.user_id IS NOT NULL OR m.user_id IS NOT NULL AS is_member,
        coalesce(h.role_ids, m.role_ids) AS role_ids, coalesce(h.joined_at, m.joined_at) AS joined_at
      FROM unnest($2::text[]) AS u (user_id)
      LEFT JOIN jsonb_to_recordset($4) AS h (user_id text, username text, display_name text, avatar_hash text, bot boolean,
        role_ids text[], joined_at timestamptz) USING (user_id)
      LEFT JOIN members m ON m.guild_id = $1 AND m.user_id = u.user_id
      -- A guild learns no name from the records of others.
      LEFT JOIN known_names k ON k.user_id = u.user_id AND $1 = ANY (k.guild_ids)) AS named
      ORDER BY ${IN_ORDER} LIMIT ${MOST_PEOPLE}) AS p
    LEFT JOIN LATERAL (SELECT case_number, kind, issued_at FROM cases
      WHERE guild_id = $1 AND user_id = p.user_id AND kind::text = ANY ($3)
      ORDER BY issued_at DESC, case_number DESC LIMIT 1) AS c ON true
    ORDER BY ${IN_ORDER}`,
});

/** A person's id, or a mention of them as Discord writes it; null if the text is neither. */
export function personIdIn(text: string): string | null {
  return (
    /^(?:<@!?(\d{17,20})>|(\d{17,20}))$/
      .exec(text)
      ?.slice(1)
      .find((id) => id !== undefined) ?? null
  );
}

/** How Discord is asked. Without it a search answers from the database, at once. */
export interface AskingDiscord {
  readonly waiters: Asking['waiters'];
  readonly requestId: string;
  /** Whether Discord may be asked, which is counted only if it is to be asked. */
  readonly mayAsk: () => Promise<boolean>;
}

/**
 * People of a guild by a part of their name, the beginning of an in-game name or id, their Discord id or a mention: those
 * in the mirror and on record, and those whom Discord finds by the beginning of their name. Without a text the people of
 * the latest cases.
 *
 * @throws ApiError CAPABILITY_DENIED
 */
export async function searchPeople(
  db: Database,
  viewer: Viewer,
  text: string,
  asking?: AskingDiscord,
): Promise<FoundPeople> {
  requireMembers(viewer);
  const asked = text.trim();
  if (asked === '') return { people: await latestPeople(db, viewer), discord: 'not_asked' };
  const userId = personIdIn(asked);
  if (userId !== null) return personById(db, viewer, userId, asking);
  const [ids, { discord, heard = null }] = await Promise.all([
    idsByName(db, viewer, asked),
    askDiscord(asking, ({ waiters }) => askPeople({ db, waiters }, { guildId: viewer.id, query: asked })),
  ]);
  const members = heard ?? [];
  const all = new Set([...ids, ...members.map((member) => member.user_id)]);
  const said = discord === 'answered' && heard === null ? 'no_answer' : discord;
  return { people: await describe(db, viewer, [...all], { members, text: asked }), discord: said };
}

async function latestPeople(db: Database, viewer: Viewer): Promise<FoundPerson[]> {
  return describePeople(db, viewer, await latestUserIds(db, viewer));
}

/** What is known of these people, at most {@link MOST_PEOPLE}, in the order of their ids in the list. */
export async function describePeople(
  db: Database,
  viewer: Viewer,
  userIds: readonly string[],
  members: readonly FoundMember[] = [],
): Promise<FoundPerson[]> {
  const people = await describe(db, viewer, userIds, { members, text: '' });
  const places = new Map(userIds.map((id, index) => [id, index]));
  return people.sort((a, b) => (places.get(a.userId) ?? 0) - (places.get(b.userId) ?? 0));
}

/** What the bot heard, or why it was not asked. */
export async function askDiscord<Heard>(
  asking: AskingDiscord | undefined,
  question: (asking: AskingDiscord) => Promise<Heard>,
): Promise<{ discord: DiscordSaid; heard?: Heard }> {
  if (asking === undefined) return { discord: 'not_asked' };
  if (!(await asking.mayAsk())) return { discord: 'limited' };
  return { discord: 'answered', heard: await question(asking) };
}

const NOTHING_HEARD = { members: [], text: '' };

async function idsByName(db: Database, viewer: Viewer, text: string): Promise<string[]> {
  const beginning = `${text.replace(/[\\%_]/g, '\\$&')}%`;
  const rows = await pageInTurn(db, viewer.id, () =>
    peopleByName.all(db.pool, [viewer.id, text, ...readableBy(viewer), beginning]),
  );
  return rows.map(({ user_id }) => user_id);
}

/** One person by their id, even if nobody knows them. Discord is not asked about somebody in the mirror. */
async function personById(
  db: Database,
  viewer: Viewer,
  userId: string,
  asking: AskingDiscord | undefined,
): Promise<FoundPeople> {
  const known = await describe(db, viewer, [userId], NOTHING_HEARD);
  if (known[0]?.inGuild === true) return { people: known, discord: 'not_asked' };
  const { discord, heard } = await askDiscord(asking, ({ waiters, requestId }) =>
    askMember({ db, waiters }, { guildId: viewer.id, userId, requestId }),
  );
  if (discord !== 'answered') return { people: known, discord };
  if (heard === undefined) return { people: known, discord: 'no_answer' };
  if (heard === null) return { people: known.map((each) => ({ ...each, inGuild: false })), discord };
  const members = [{ ...heard, user_id: userId }];
  return { people: await describe(db, viewer, [userId], { members, text: '' }), discord };
}

/** The kinds of case that a viewer may read, and whether they may read tickets. */
export const readableBy = ({ capabilities }: Viewer) =>
  [readableKinds(capabilities), capabilities.includes('tickets.read')] as const;

async function describe(
  { pool }: Database,
  viewer: Viewer,
  userIds: readonly string[],
  { members, text }: { members: readonly FoundMember[]; text: string },
): Promise<FoundPerson[]> {
  const kinds = readableKinds(viewer.capabilities);
  const rows = await describedPeople.all(pool, [viewer.id, userIds, kinds, members, text]);
  return rows.map(personOf);
}

function personOf(row: RowOf<typeof PERSON>): FoundPerson {
  const { case_number, kind, issued_at } = row;
  return {
    userId: row.user_id,
    displayName: row.display_name,
    username: row.username,
    avatarHash: row.avatar_hash,
    isBot: row.is_bot,
    roles: row.roles,
    // Whoever is banned is not in the guild.
    inGuild: row.is_member ? true : row.is_banned === true ? false : null,
    joinedAt: row.joined_at,
    isBanned: row.is_banned,
    isMuted: row.is_muted,
    latestCase:
      case_number === null || kind === null || issued_at === null
        ? null
        : { number: case_number, kind, issuedAt: issued_at },
  };
}
