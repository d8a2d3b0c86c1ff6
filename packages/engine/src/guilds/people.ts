import { CASE_KIND_NAMES, CASE_KINDS } from '@bailiff/core';
import { CaseKind, type Database, type RowOf, sql } from '@bailiff/prisma';
import { capabilityDenied } from '#src/calls/authorize.ts';
import { readableKinds } from '#src/cases/cases.ts';
import type { Viewer } from './guilds.ts';

/** A person known in a guild: a member of the mirror, or the subject of a case, ticket or note. */
export interface KnownPerson {
  readonly userId: string;
  /** Null if the name is not known yet. */
  readonly displayName: string | null;
  readonly username: string | null;
  readonly roleIds: readonly string[];
  /** Number of their latest case, of the kinds that the viewer may read. */
  readonly latestCase: { readonly number: number; readonly kind: CaseKind; readonly issuedAt: Date } | null;
}

const PERSON = {
  user_id: sql.text,
  display_name: sql.text.orNull,
  username: sql.text.orNull,
  role_ids: sql.arrayOf(sql.text).orNull,
  case_number: sql.int.orNull,
  kind: sql.oneOf({ CaseKind }).orNull,
  issued_at: sql.timestamptz.orNull,
};

const MOST_PEOPLE = 50;
/** How many of the latest cases are searched for the people they are about. */
const LATEST_CASES = 200;

/** Name in the guild, or else on Discord. */
const NAMES =
  'coalesce(m.display_name, k.display_name) AS display_name, coalesce(m.username, k.username) AS username';

/** The tables that {@link NAMES} reads. */
function namesOf(person: string): string {
  return `LEFT JOIN members m ON m.guild_id = $1 AND m.user_id = ${person}.user_id
     LEFT JOIN known_names k ON k.user_id = ${person}.user_id`;
}

/** @throws ApiError CAPABILITY_DENIED: so do all functions below. */
function requireMembers({ capabilities }: Viewer): void {
  if (!capabilities.includes('members.read'))
    throw capabilityDenied('members.read', 'You may not read members');
}

const latestPeopleOf = sql.family('people of the latest cases', 2 ** CASE_KIND_NAMES.length);

/** One statement for each set of kinds, because the plan reads one index per kind. */
function latestStatement(kinds: readonly CaseKind[]) {
  const latest = kinds.map(
    (
      kind,
    ) => `(SELECT user_id, case_number, kind, issued_at FROM cases WHERE guild_id = $1 AND kind = '${kind}'
      ORDER BY issued_at DESC, case_number DESC LIMIT ${LATEST_CASES})`,
  );
  return latestPeopleOf.statement({
    parameters: [sql.text],
    columns: PERSON,
    text: `SELECT c.*, ${NAMES}, m.role_ids FROM (
        SELECT DISTINCT ON (user_id) * FROM (${latest.join(' UNION ALL ')}) AS latest
        ORDER BY user_id, issued_at DESC, case_number DESC) AS c
      ${namesOf('c')}
      ORDER BY c.issued_at DESC, c.case_number DESC LIMIT ${MOST_PEOPLE}`,
  });
}

/** The people that the latest cases are about, the latest first. */
async function latestPeople(db: Database, viewer: Viewer): Promise<KnownPerson[]> {
  requireMembers(viewer);
  const kinds = readableKinds(viewer.capabilities);
  if (kinds.length === 0) return [];
  return (await latestStatement(kinds).all(db.pool, [viewer.id])).map(personOf);
}

/** How many of the latest cases are searched for the name on Discord of somebody who is not in the mirror. */
const CASES_BY_NAME = 4_000;

const peopleByText = sql.statement({
  parameters: [sql.text, sql.text, sql.arrayOf(sql.text), sql.bool, sql.text],
  columns: PERSON,
  // The best plan depends on the text, and on how many members and cases the guild has.
  prepared: false,
  text: `SELECT f.user_id, ${NAMES}, m.role_ids, c.case_number, c.kind, c.issued_at
    FROM (SELECT user_id FROM members WHERE guild_id = $1 AND (user_id = $2
            OR strpos(lower(display_name), lower($2)) > 0 OR strpos(lower(username), lower($2)) > 0)
          UNION SELECT c.user_id FROM (
              SELECT DISTINCT user_id FROM (
                SELECT user_id, kind FROM cases WHERE guild_id = $1 ORDER BY case_number DESC LIMIT ${CASES_BY_NAME}) AS latest
              WHERE kind::text = ANY ($3)) AS c,
            -- All guilds share these names. OFFSET keeps the planner from reading them all.
            LATERAL (SELECT FROM known_names WHERE user_id = c.user_id
              AND (strpos(lower(display_name), lower($2)) > 0 OR strpos(lower(username), lower($2)) > 0) OFFSET 0) AS k
          UNION SELECT user_id FROM cases WHERE guild_id = $1 AND user_id = $2 AND kind::text = ANY ($3)
          UNION SELECT user_id FROM cases
            WHERE guild_id = $1 AND player_name IS NOT NULL AND lower(player_name) LIKE lower($5) AND kind::text = ANY ($3)
          UNION SELECT user_id FROM cases
            WHERE guild_id = $1 AND in_game_id IS NOT NULL AND lower(in_game_id) LIKE lower($5) AND kind::text = ANY ($3)
          UNION SELECT user_id FROM notes WHERE guild_id = $1 AND user_id = $2
          UNION SELECT opened_by FROM tickets WHERE guild_id = $1 AND opened_by = $2 AND $4
          LIMIT ${MOST_PEOPLE}) AS f
    ${namesOf('f')}
    LEFT JOIN LATERAL (SELECT case_number, kind, issued_at FROM cases
      WHERE guild_id = $1 AND user_id = f.user_id AND kind::text = ANY ($3) ORDER BY case_number DESC LIMIT 1) AS c ON true
    ORDER BY display_name NULLS LAST, f.user_id`,
});

/**
 * People who match a part of their name, the beginning of an in-game name or id from a case, or their Discord id. The
 * names of people who have left are searched among those of the latest cases.
 */
export async function findPeople(db: Database, viewer: Viewer, wanted: string): Promise<KnownPerson[]> {
  requireMembers(viewer);
  const text = wanted.trim();
  if (text === '') return latestPeople(db, viewer);
  const rows = await peopleByText.all(db.pool, [
    viewer.id,
    text,
    readableKinds(viewer.capabilities),
    viewer.capabilities.includes('tickets.read'),
    `${text.replace(/[\\%_]/g, '\\$&')}%`,
  ]);
  return rows.map(personOf);
}

function personOf(row: RowOf<typeof PERSON>): KnownPerson {
  const { case_number, kind, issued_at } = row;
  return {
    userId: row.user_id,
    displayName: row.display_name,
    username: row.username,
    roleIds: row.role_ids ?? [],
    latestCase:
      case_number === null || kind === null || issued_at === null
        ? null
        : { number: case_number, kind, issuedAt: issued_at },
  };
}

/** A name or id in a game, from a person's cases. */
export interface GameIdentity {
  readonly playerName: string | null;
  readonly inGameId: string | null;
  readonly caseNumber: number;
  readonly seenAt: Date;
}

const MOST_IDENTITIES = 20;

const identitiesOfUser = sql.statement({
  parameters: [sql.text, sql.text],
  columns: {
    player_name: sql.text.orNull,
    in_game_id: sql.text.orNull,
    case_number: sql.int,
    issued_at: sql.timestamptz,
  },
  text: `SELECT * FROM (
      SELECT DISTINCT ON (player_name, in_game_id) player_name, in_game_id, case_number, issued_at FROM cases
      WHERE guild_id = $1 AND user_id = $2 AND kind = 'strike' AND (player_name IS NOT NULL OR in_game_id IS NOT NULL)
      ORDER BY player_name, in_game_id, case_number DESC) AS latest
    ORDER BY case_number DESC LIMIT ${MOST_IDENTITIES}`,
});

/** A person's identities in games, from their strikes. The latest mention of each, newest first. */
export async function identitiesOf(db: Database, viewer: Viewer, userId: string): Promise<GameIdentity[]> {
  requireMembers(viewer);
  if (!viewer.capabilities.includes(CASE_KINDS.strike.reader)) return [];
  const rows = await identitiesOfUser.all(db.pool, [viewer.id, userId]);
  return rows.map((row) => ({
    playerName: row.player_name,
    inGameId: row.in_game_id,
    caseNumber: row.case_number,
    seenAt: row.issued_at,
  }));
}
