import { CASE_KIND_NAMES, CASE_KINDS } from '@bailiff/core';
import { type CaseKind, type Database, sql } from '@bailiff/prisma';
import { capabilityDenied } from '#src/calls/authorize.ts';
import { readableKinds } from '#src/cases/cases.ts';
import type { Viewer } from './guilds.ts';

/** How many people a list of people has. */
export const MOST_PEOPLE = 50;
/** How many of the latest cases are searched for the people they are about. */
const LATEST_CASES = 200;

/** @throws ApiError CAPABILITY_DENIED: so do all functions below. */
export function requireMembers({ capabilities }: Viewer): void {
  if (!capabilities.includes('members.read'))
    throw capabilityDenied('members.read', 'You may not read members');
}

const latestPeopleOf = sql.family('people of the latest cases', 2 ** CASE_KIND_NAMES.length);

/**
 * One statement for each set of kinds, because the plan reads one index per kind. Not a prepared statement: a plan for
 * any guild is one for a small guild, and reads all cases of a large one.
 */
function latestStatement(kinds: readonly CaseKind[]) {
  const latest = kinds.map(
    (kind) => `(SELECT user_id, case_number, issued_at FROM cases WHERE guild_id = $1 AND kind = '${kind}'
      ORDER BY issued_at DESC, case_number DESC LIMIT ${LATEST_CASES})`,
  );
  return latestPeopleOf.statement({
    parameters: [sql.text],
    columns: { user_id: sql.text },
    text: `SELECT user_id FROM (
        SELECT DISTINCT ON (user_id) * FROM (${latest.join(' UNION ALL ')}) AS latest
        ORDER BY user_id, issued_at DESC, case_number DESC) AS c
      ORDER BY issued_at DESC, case_number DESC LIMIT ${MOST_PEOPLE}`,
    prepared: false,
  });
}

/** The ids of the people that the latest cases are about, the latest first. */
export async function latestUserIds({ pool }: Database, viewer: Viewer): Promise<string[]> {
  requireMembers(viewer);
  const kinds = readableKinds(viewer.capabilities);
  if (kinds.length === 0) return [];
  return (await latestStatement(kinds).all(pool, [viewer.id])).map(({ user_id }) => user_id);
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
      ORDER BY player_name, in_game_id, issued_at DESC, case_number DESC) AS latest
    ORDER BY issued_at DESC, case_number DESC LIMIT ${MOST_IDENTITIES}`,
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
