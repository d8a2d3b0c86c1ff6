import type { GameSanction, OutputOf } from '@bailiff/core';
import { ActionState, type Database, type Queryable, type RowOf, sql } from '@bailiff/prisma';
import type { ActionError } from '#src/calls/actions.ts';
import { type GameTarget, gameTargets } from './game-targets.ts';

/** What was sent to a game server for a case, or could be. */
export interface GameSanctionOfCase {
  readonly serverId: string;
  /** Null if the server was removed since. */
  readonly serverName: string | null;
  readonly identityId: string;
  /** Null if nothing shows any more who they were there. */
  readonly inGameId: string | null;
  readonly does: GameSanction;
  /** Null if nothing was ever sent. */
  readonly sent: {
    readonly actionId: string;
    readonly state: ActionState;
    readonly userId: string;
    readonly at: Date;
    readonly said: string | null;
    readonly lasts: boolean;
    readonly error: ActionError | null;
  } | null;
  /** Whether it may be sent now: it certainly did not happen yet, and the case is as it must be. */
  readonly maySend: boolean;
}

/** The case, as far as this needs it. */
interface CaseInGames {
  readonly guildId: string;
  readonly userId: string;
  readonly number: number;
  readonly kind: string;
  readonly isInForce: boolean;
  readonly issuedAt: Date;
}

const SENT = {
  id: sql.text,
  server_id: sql.text.neverNull,
  server_name: sql.text.orNull,
  identity_id: sql.text.neverNull,
  kept_as: sql.text.orNull,
  does: sql.text.neverNull,
  state: sql.oneOf({ ActionState }),
  actor_user_id: sql.text,
  created_at: sql.timestamptz,
  result: sql.jsonb<OutputOf<'servers.sanction'>>().orNull,
  error: sql.jsonb<ActionError>().orNull,
};

/** The latest of each server, identity and purpose. */
const sentFor = sql.statement({
  parameters: [sql.text, sql.text, sql.text],
  columns: SENT,
  text: `SELECT * FROM (
      SELECT DISTINCT ON (a.digest) a.id, a.input->>'server_id' AS server_id, s.name AS server_name,
        a.input->>'identity_id' AS identity_id, i.in_game_id AS kept_as, a.input->>'does' AS does,
        a.state, a.actor_user_id, a.created_at, a.result, a.error
      FROM actions a
      LEFT JOIN game_servers s ON s.id = a.input->>'server_id' AND s.guild_id = a.guild_id
      LEFT JOIN identities i ON i.id = a.input->>'identity_id' AND i.guild_id = a.guild_id
      WHERE a.guild_id = $1 AND a.target_id = $2 AND a.operation = 'servers.sanction'
        AND a.input->>'case_number' = $3
      ORDER BY a.digest, a.state IN ('done', 'unknown') DESC, a.id DESC) AS latest
    ORDER BY id LIMIT 300`,
});

/** How long after a kick it can still be carried to game servers. */
export const KICK_COUNTS_MS = 3_600_000;

const enforced = sql.command({
  parameters: [sql.text, sql.int],
  text: 'SELECT FROM cases WHERE guild_id = $1 AND case_number = $2 AND case_is_enforced(id, import_id)',
});

/** What a case can still mean on game servers; null if nothing, as of an imported ban that is only a record. */
async function doesNow(
  pool: Queryable,
  { guildId, number, kind, isInForce, issuedAt }: CaseInGames,
  now: Date,
): Promise<GameSanction | null> {
  if (kind === 'ban' && isInForce) return (await enforced.run(pool, [guildId, number])) === 1 ? 'ban' : null;
  if (kind === 'ban') return 'unban';
  return kind === 'kick' && now.getTime() - issuedAt.getTime() < KICK_COUNTS_MS ? 'kick' : null;
}

/**
 * What was sent to game servers for a case, oldest first, and what can be sent now and was not. A ban that was lifted
 * is only offered for lifting where it was sent.
 */
export async function gameSanctionsOfCase(
  { pool }: Pick<Database, 'pool'>,
  of: CaseInGames,
  now: Date,
): Promise<GameSanctionOfCase[]> {
  const does = await doesNow(pool, of, now);
  const [rows, targets] = await Promise.all([
    sentFor.all(pool, [of.guildId, of.userId, String(of.number)]),
    does === null ? [] : gameTargets(pool, of.guildId, of.userId).then((all) => all[does]),
  ]);
  const isTarget = (row: RowOf<typeof SENT>) =>
    row.does === does && targets.some((target) => isSame(target, row));
  const sent = rows.map((row) => sentOf(row, isTarget(row)));
  const wasBanned = (target: GameTarget) =>
    rows.some((row) => row.does === 'ban' && row.state !== 'failed' && isSame(target, row));
  const open = targets
    .filter((target) => !rows.some((row) => row.does === does && isSame(target, row)))
    .filter((target) => does !== 'unban' || wasBanned(target));
  return [...sent, ...open.flatMap((target) => (does === null ? [] : [openOf(target, does)]))];
}

function isSame(target: GameTarget, row: Pick<RowOf<typeof SENT>, 'server_id' | 'identity_id'>): boolean {
  return target.serverId === row.server_id && target.identityId === row.identity_id;
}

function sentOf(row: RowOf<typeof SENT>, isTarget: boolean): GameSanctionOfCase {
  const { said = null, lasts = false, in_game_id = null } = row.result?.sanctioned ?? {};
  return {
    serverId: row.server_id,
    serverName: row.server_name,
    identityId: row.identity_id,
    inGameId: in_game_id ?? row.kept_as,
    does: row.does as GameSanction,
    sent: {
      actionId: row.id,
      state: row.state,
      userId: row.actor_user_id,
      at: row.created_at,
      said,
      lasts,
      error: row.error,
    },
    maySend: isTarget && (row.state === 'failed' || row.state === 'cancelled'),
  };
}

function openOf(
  { serverId, serverName, identityId, inGameId }: GameTarget,
  does: GameSanction,
): GameSanctionOfCase {
  return { serverId, serverName, identityId, inGameId, does, sent: null, maySend: true };
}
