import { hash } from 'node:crypto';
import { ApiError, entryOf, type GameSanction, type WriteOperation } from '@bailiff/core';
import { newRequestId } from '#src/calls/request-id.ts';
import { performForPerson } from '#src/calls/write-call.ts';
import type { Engine } from '#src/engine.ts';
import { type GameTarget, gameTargets } from './game-targets.ts';

/** What became of a kick, ban or its lifting on one game server. */
export interface GameOutcome {
  readonly target: GameTarget;
  /** `not_tried`: nothing was sent, because the server failed just before or the time was over. */
  readonly outcome: 'done' | 'failed' | 'unknown' | 'not_tried';
  /** What the server answered. It alone says whether the server knew the player. Null if it did not answer. */
  readonly said: string | null;
  /** Whether it stays until somebody lifts it. */
  readonly lasts: boolean;
  /** Why it failed or is unknown. */
  readonly error: ApiError | null;
}

/** A sanction that was given or lifted, and the person who did it. */
export interface SanctionedCase {
  readonly guildId: string;
  readonly userId: string;
  readonly caseNumber: number;
  readonly does: GameSanction;
  readonly actor: Parameters<typeof performForPerson>[1]['actor'];
  readonly address: string | null;
  /** The idempotency key of the sanction's call. With it no game server is told twice: each answers as before. */
  readonly key?: string | undefined;
}

/** Servers that are told at the same time. */
const SERVERS_AT_ONCE = 5;
/** Nothing more is begun after this. What is under way then is waited for, 9 s at most. */
const BEGIN_WITHIN_MS = 15_000;

/** What goes to game servers together with an operation. Null: nothing. */
export function inGamesOf(operation: WriteOperation): GameSanction | null {
  return entryOf(operation).inGames ?? null;
}

/**
 * Carries a sanction that stands already to the game servers where the person is known, each by an action of its own.
 * Whatever becomes of them, the sanction stays. None is sent twice (decisions: Game servers).
 *
 * @param closing fires when the process ends. Nothing more is begun then.
 */
export async function sanctionInGames(
  engine: Engine,
  of: SanctionedCase,
  closing?: AbortSignal,
): Promise<GameOutcome[]> {
  const targets = (await gameTargets(engine.db.pool, of.guildId, of.userId))[of.does];
  const late = AbortSignal.any([
    AbortSignal.timeout(BEGIN_WITHIN_MS),
    ...(closing === undefined ? [] : [closing]),
  ]);
  const waiting = [...Map.groupBy(targets, ({ serverId }) => serverId).values()];
  const outcomes = new Map<GameTarget, GameOutcome>();
  const takeServers = async () => {
    for (let server = waiting.shift(); server !== undefined; server = waiting.shift()) {
      for (const [target, outcome] of await tellServer(engine, of, server, late)) {
        outcomes.set(target, outcome);
      }
    }
  };
  await Promise.all(Array.from({ length: SERVERS_AT_ONCE }, takeServers));
  return targets.flatMap((target) => outcomes.get(target) ?? []);
}

/** One after the other, because a server takes one connection at a time. One that cannot be reached is not asked again. */
async function tellServer(
  engine: Engine,
  of: SanctionedCase,
  targets: readonly GameTarget[],
  late: AbortSignal,
): Promise<Map<GameTarget, GameOutcome>> {
  const outcomes = new Map<GameTarget, GameOutcome>();
  let isGone = false;
  for (const target of targets) {
    const outcome: GameOutcome = isGone || late.aborted ? notTried(target) : await tell(engine, of, target);
    isGone ||= outcome.error?.code === 'UPSTREAM_UNAVAILABLE';
    outcomes.set(target, outcome);
  }
  return outcomes;
}

function notTried(target: GameTarget): GameOutcome {
  return { target, outcome: 'not_tried', said: null, lasts: false, error: null };
}

async function tell(
  engine: Engine,
  { guildId, userId, caseNumber, does, actor, address, key }: SanctionedCase,
  target: GameTarget,
): Promise<GameOutcome> {
  try {
    const { body } = await performForPerson(engine, {
      operation: 'servers.sanction',
      input: {
        server_id: target.serverId,
        user_id: userId,
        identity_id: target.identityId,
        case_number: caseNumber,
        does,
      },
      guildId,
      actor,
      address,
      requestId: newRequestId(),
      idempotencyKey:
        key === undefined ? undefined : hash('sha256', [key, target.serverId, target.identityId].join(' ')),
    });
    const { said, lasts } = body.sanctioned;
    return { target, outcome: 'done', said, lasts, error: null };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { target, outcome: isUnknown(error) ? 'unknown' : 'failed', said: null, lasts: false, error };
  }
}

/** Also while an earlier call with the same key is still waiting for the server. */
function isUnknown({ details = {} }: ApiError): boolean {
  if ('scope' in details) return details.scope === 'idempotency_key';
  return 'outcome' in details && details.outcome === 'unknown';
}
