import type { InputOf } from '@bailiff/core';
import {
  type Action,
  type CaseRow,
  endCasesOf,
  muteWire,
  notFound,
  only,
  openCase,
  type Performer,
  type Transaction,
} from '@bailiff/engine';
import {
  type APIGuildMember,
  AuditLogEvent,
  RESTJSONErrorCodes as Code,
  PermissionFlagsBits,
  Routes,
} from 'discord.js';
import { DiscordFailure } from '../discord-api.ts';
import { LONGEST_TIMEOUT_SECONDS, renewMuteLater } from '../jobs.ts';
import { isInAuditLog, reasonOf } from './audit-log.ts';
import { carryOut, type Effect, type Sight, verifyEffect } from './carry-out.ts';
import type { PerformerDeps } from './deps.ts';
import { actorName, readScene, refusalOf } from './members.ts';

/** How far Discord's clock and ours may disagree about when a timeout ends, in milliseconds. */
const CLOCK_TOLERANCE_MS = 60_000;

const notAMember = (userId: string) => notFound('member', userId);

/** Mutes are Discord timeouts; one longer than Discord's longest is renewed by a job (decisions: Operations). */
export function addMute(deps: PerformerDeps): Performer {
  const effectOf = (action: Action): Effect => {
    const input = action.input as InputOf<'mutes.add'>;
    const seconds = Math.min(input.duration_minutes * 60, LONGEST_TIMEOUT_SECONDS);
    let name = '';
    return {
      check: async (signal) => {
        const scene = await readScene(deps, action, input.user_id, signal);
        name = actorName(action, scene);
        const refusal = refusalOf(scene, action, input.user_id, PermissionFlagsBits.ModerateMembers);
        return refusal ?? (scene.target === null ? notAMember(input.user_id) : null);
      },
      send: async (signal) =>
        deps.api.send('PATCH', Routes.guildMember(action.guildId, input.user_id), {
          signal,
          reason: reasonOf(action, name, input.reason),
          body: { communication_disabled_until: await timeoutIn(deps, seconds) },
        }),
      look: async (signal) => {
        const bySay = await wasDoneByAuditLog(deps, action, input.user_id, signal);
        if (bySay !== null) return bySay;
        const member = await findMember(deps, action.guildId, input.user_id, signal);
        const endsAtMs = Date.parse(member?.communication_disabled_until ?? '');
        const wantedMs = action.createdAt.getTime() + seconds * 1000;
        return Math.abs(endsAtMs - wantedMs) < CLOCK_TOLERANCE_MS ? 'there' : 'not_there';
      },
      refusal: (failure) => (failure.code === Code.UnknownMember ? notAMember(input.user_id) : null),
      done: { state: 'done', write: (tx) => recordMute(tx, action, input) },
    };
  };
  return {
    perform: (action, signal) => carryOut(action, signal, effectOf(action)),
    verify: (action, signal) => verifyEffect(deps.db, action, signal, effectOf(action)),
  };
}

async function recordMute(tx: Transaction, action: Action, input: InputOf<'mutes.add'>): Promise<object> {
  await endCasesOf(tx, {
    guildId: action.guildId,
    kind: 'mute',
    userId: input.user_id,
    endedBy: action.actor.userId,
    endReason: 'Replaced by a later mute',
  });
  const row = await openCase(tx, {
    guildId: action.guildId,
    kind: 'mute',
    userId: input.user_id,
    reason: input.reason,
    issuedBy: action.actor.userId,
    durationMinutes: input.duration_minutes,
    actionId: action.id,
  });
  if (input.duration_minutes * 60 > LONGEST_TIMEOUT_SECONDS) await renewMuteLater(tx, row.id);
  return { mute: muteWire(row) };
}

export function liftMute(deps: PerformerDeps): Performer {
  const effectOf = (action: Action): Effect => {
    const input = action.input as InputOf<'mutes.lift'>;
    let name = '';
    let isMember = true;
    let timedOutUntil: string | null = null;
    return {
      check: async (signal) => {
        const scene = await readScene(deps, action, input.userId, signal);
        name = actorName(action, scene);
        const refusal = refusalOf(scene, action, input.userId, PermissionFlagsBits.ModerateMembers);
        if (refusal !== null) return refusal;
        isMember = scene.target !== null;
        timedOutUntil = runningTimeout(scene.target);
        const isMuted = timedOutUntil !== null || (await hasMuteCase(deps, action.guildId, input.userId));
        return isMuted ? null : notFound('mute of user', input.userId);
      },
      send: async (signal) => {
        // Somebody who left has no timeout; the end of the case keeps it from coming back when they rejoin.
        if (!isMember) return;
        await deps.api.send('PATCH', Routes.guildMember(action.guildId, input.userId), {
          signal,
          reason: reasonOf(action, name, input.reason ?? null),
          body: { communication_disabled_until: null },
        });
      },
      look: async (signal) => {
        const member = await findMember(deps, action.guildId, input.userId, signal);
        timedOutUntil = runningTimeout(member);
        if (timedOutUntil !== null) return 'not_there';
        return (await wasDoneByAuditLog(deps, action, input.userId, signal)) ?? 'there';
      },
      done: { state: 'done', write: (tx) => recordLift(tx, deps, action, input, timedOutUntil) },
    };
  };
  return {
    perform: (action, signal) => carryOut(action, signal, effectOf(action)),
    verify: (action, signal) => verifyEffect(deps.db, action, signal, effectOf(action)),
  };
}

async function recordLift(
  tx: Transaction,
  deps: PerformerDeps,
  action: Action,
  input: InputOf<'mutes.lift'>,
  timedOutUntil: string | null,
): Promise<object> {
  const end = (): Promise<CaseRow[]> =>
    endCasesOf(tx, {
      guildId: action.guildId,
      kind: 'mute',
      userId: input.userId,
      endedBy: action.actor.userId,
      endReason: input.reason ?? null,
    });
  const [ended] = await end();
  if (ended !== undefined) return { mute: muteWire(ended) };
  // The timeout was given by hand, outside Bailiff: it becomes a case now, so that its lifting is on record.
  const leftMs = timedOutUntil === null ? 0 : Date.parse(timedOutUntil) - Date.now();
  await openCase(tx, {
    guildId: action.guildId,
    kind: 'mute',
    userId: input.userId,
    reason: null,
    issuedBy: deps.botUserId,
    durationMinutes: Math.max(1, Math.ceil(leftMs / 60_000)),
    actionId: null,
  });
  return { mute: muteWire(only(await end())) };
}

/**
 * Gives a muted member their timeout (again), for as long as the mute lasts or Discord allows, and sees to the next
 * renewal. Does nothing for a mute that has ended or whose member is not there.
 */
export async function renewMute(deps: PerformerDeps, caseId: string, signal: AbortSignal): Promise<void> {
  const mute = await activeMute(deps, caseId);
  if (mute === null) return;
  const { guild_id: guildId, user_id: userId, left_seconds } = mute;
  const route = Routes.guildMember(guildId, userId);
  const reason = `The mute ${caseId} goes on`;
  try {
    const until = await timeoutIn(deps, Math.min(left_seconds, LONGEST_TIMEOUT_SECONDS));
    await deps.api.send('PATCH', route, { signal, reason, body: { communication_disabled_until: until } });
  } catch (error) {
    if (error instanceof DiscordFailure && error.code === Code.UnknownMember) return;
    throw error;
  }
  if ((await activeMute(deps, caseId)) === null) {
    // It was lifted at the same moment: what was just given is taken back.
    await deps.api.send('PATCH', route, { signal, reason, body: { communication_disabled_until: null } });
  } else if (left_seconds > LONGEST_TIMEOUT_SECONDS) {
    await renewMuteLater(deps.db.pool, caseId);
  }
}

async function activeMute(
  { db }: PerformerDeps,
  caseId: string,
): Promise<{ guild_id: string; user_id: string; left_seconds: number } | null> {
  const { rows } = await db.pool.query<{ guild_id: string; user_id: string; left_seconds: number }>(
    `SELECT guild_id, user_id, extract(epoch FROM expires_at - clock_timestamp())::float8 AS left_seconds
     FROM cases WHERE id = $1 AND kind = 'mute' AND ended_at IS NULL AND expires_at > clock_timestamp()`,
    [caseId],
  );
  return rows[0] ?? null;
}

async function hasMuteCase({ db }: PerformerDeps, guildId: string, userId: string): Promise<boolean> {
  const { rowCount } = await db.pool.query(
    `SELECT FROM cases WHERE guild_id = $1 AND user_id = $2 AND kind = 'mute' AND ended_at IS NULL
       AND expires_at > clock_timestamp() LIMIT 1`,
    [guildId, userId],
  );
  return rowCount === 1;
}

/** The end of a timeout that begins now, by the database's clock. */
async function timeoutIn({ db }: PerformerDeps, seconds: number): Promise<string> {
  const { rows } = await db.pool.query<{ until: Date }>(
    'SELECT clock_timestamp() + make_interval(secs => $1) AS until',
    [seconds],
  );
  return only(rows).until.toISOString();
}

function findMember(
  { api }: PerformerDeps,
  guildId: string,
  userId: string,
  signal: AbortSignal,
): Promise<APIGuildMember | null> {
  return api.get<APIGuildMember>(Routes.guildMember(guildId, userId), { signal }).catch((error: unknown) => {
    if (error instanceof DiscordFailure && error.code === Code.UnknownMember) return null;
    throw error;
  });
}

function runningTimeout(member: APIGuildMember | null): string | null {
  const until = member?.communication_disabled_until ?? null;
  return until !== null && Date.parse(until) > Date.now() ? until : null;
}

/** Whether the guild's audit log has the action's change of the member; null where the bot may not read it. */
async function wasDoneByAuditLog(
  deps: PerformerDeps,
  action: Action,
  userId: string,
  signal: AbortSignal,
): Promise<Sight | null> {
  const isOurs = await isInAuditLog(
    deps,
    action,
    { event: AuditLogEvent.MemberUpdate, targetId: userId },
    signal,
  );
  return isOurs === null ? null : isOurs ? 'there' : 'not_there';
}
