import { actionIdInReason, type InputOf } from '@bailiff/core';
import {
  type Action,
  banWire,
  type CaseRow,
  endCasesOf,
  notFound,
  only,
  openCase,
  type Performer,
  type Transaction,
} from '@bailiff/engine';
import {
  type APIBan,
  AuditLogEvent,
  RESTJSONErrorCodes as Code,
  PermissionFlagsBits,
  Routes,
} from 'discord.js';
import { DiscordFailure } from '../discord-api.ts';
import { endBanAt } from '../jobs.ts';
import { isInAuditLog, reasonOf } from './audit-log.ts';
import { carryOut, type Effect, verifyEffect } from './carry-out.ts';
import type { PerformerDeps } from './deps.ts';
import { actorName, readScene, refusalOf } from './members.ts';

export function addBan(deps: PerformerDeps): Performer {
  const effectOf = (action: Action): Effect => {
    const input = action.input as InputOf<'bans.add'>;
    let name = '';
    return {
      check: async (signal) => {
        const scene = await readScene(deps, action, input.user_id, signal);
        name = actorName(action, scene);
        return refusalOf(scene, action, input.user_id, PermissionFlagsBits.BanMembers);
      },
      send: (signal) =>
        deps.api.send('PUT', Routes.guildBan(action.guildId, input.user_id), {
          signal,
          reason: reasonOf(action, name, input.reason),
          body:
            input.delete_message_seconds === undefined
              ? {}
              : { delete_message_seconds: input.delete_message_seconds },
        }),
      look: async (signal) => {
        const ban = await findBan(deps, action.guildId, input.user_id, signal);
        return ban !== null && actionIdInReason(ban.reason ?? '') === action.id ? 'there' : 'not_there';
      },
      done: { state: 'done', write: (tx) => recordBan(tx, action, input) },
    };
  };
  return {
    perform: (action, signal) => carryOut(action, signal, effectOf(action)),
    verify: (action, signal) => verifyEffect(deps.db, action, signal, effectOf(action)),
  };
}

async function recordBan(tx: Transaction, action: Action, input: InputOf<'bans.add'>): Promise<object> {
  await endCasesOf(tx, {
    guildId: action.guildId,
    kind: 'ban',
    userId: input.user_id,
    endedBy: action.actor.userId,
    endReason: 'Replaced by a later ban',
  });
  const row = await openCase(tx, {
    guildId: action.guildId,
    kind: 'ban',
    userId: input.user_id,
    reason: input.reason,
    issuedBy: action.actor.userId,
    durationMinutes: input.duration_minutes,
    actionId: action.id,
  });
  if (row.expires_at !== null) await endBanAt(tx, row);
  return { ban: banWire(row) };
}

export function liftBan(deps: PerformerDeps): Performer {
  const effectOf = (action: Action): Effect => {
    const input = action.input as InputOf<'bans.lift'>;
    let name = '';
    let ban: APIBan | null = null;
    return {
      check: async (signal) => {
        const scene = await readScene(deps, action, input.userId, signal);
        name = actorName(action, scene);
        const refusal = refusalOf(scene, action, input.userId, PermissionFlagsBits.BanMembers);
        if (refusal !== null) return refusal;
        ban = await findBan(deps, action.guildId, input.userId, signal);
        return ban === null ? notBanned(input.userId) : null;
      },
      send: (signal) =>
        deps.api.send('DELETE', Routes.guildBan(action.guildId, input.userId), {
          signal,
          reason: reasonOf(action, name, input.reason ?? null),
        }),
      look: async (signal) => {
        if ((await findBan(deps, action.guildId, input.userId, signal)) !== null) return 'not_there';
        // Not banned: by this action, or by somebody else's hand before or after.
        const lifting = { event: AuditLogEvent.MemberBanRemove, targetId: input.userId };
        const isOurs = await isInAuditLog(deps, action, lifting, signal);
        return isOurs === false ? 'not_there' : 'there';
      },
      refusal: (failure) => (failure.code === Code.UnknownBan ? notBanned(input.userId) : null),
      done: {
        state: 'done',
        write: (tx) => recordLift(tx, deps, action, input, ban?.reason ?? null),
      },
    };
  };
  return {
    perform: (action, signal) => carryOut(action, signal, effectOf(action)),
    verify: (action, signal) => verifyEffect(deps.db, action, signal, effectOf(action)),
  };
}

const notBanned = (userId: string) => notFound('ban of user', userId);

async function recordLift(
  tx: Transaction,
  deps: PerformerDeps,
  action: Action,
  input: InputOf<'bans.lift'>,
  knownReason: string | null,
): Promise<object> {
  const end = (): Promise<CaseRow[]> =>
    endCasesOf(tx, {
      guildId: action.guildId,
      kind: 'ban',
      userId: input.userId,
      endedBy: action.actor.userId,
      endReason: input.reason ?? null,
    });
  const [ended] = await end();
  if (ended !== undefined) return { ban: banWire(ended) };
  // The ban was made by hand, outside Bailiff: it becomes a case now, so that its lifting is on record.
  await openCase(tx, {
    guildId: action.guildId,
    kind: 'ban',
    userId: input.userId,
    reason: knownReason,
    issuedBy: deps.botUserId,
    actionId: null,
  });
  return { ban: banWire(only(await end())) };
}

/** The user's ban as Discord has it, or null. */
async function findBan(
  { api }: PerformerDeps,
  guildId: string,
  userId: string,
  signal: AbortSignal,
): Promise<APIBan | null> {
  return api.get<APIBan>(Routes.guildBan(guildId, userId), { signal }).catch((error: unknown) => {
    if (error instanceof DiscordFailure && error.code === Code.UnknownBan) return null;
    throw error;
  });
}
