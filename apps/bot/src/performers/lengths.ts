import { notFound } from '@bailiff/engine/calls/action-errors';
import type { Action } from '@bailiff/engine/calls/actions';
import { banWire, muteWire } from '@bailiff/engine/cases/cases';
import { changeLength, newLength } from '@bailiff/engine/cases/changes';
import type { Transaction } from '@bailiff/engine/database/transaction';
import type { Performer } from '@bailiff/engine/worker/perform-action';
import { type APIGuildMember, Routes } from 'discord.js';
import { LONGEST_TIMEOUT_SECONDS, renewMuteLater } from '#src/jobs.ts';
import { auditLogEntryOf } from './audit-log.ts';
import { findBan } from './bans.ts';
import { type Effect, performerOf } from './carry-out.ts';
import type { PerformerDeps } from './deps.ts';
import { findMember } from './members.ts';
import { isSameEnd, memberUpdate, noteTimeout, timeoutIn, timeoutSetBy } from './mutes.ts';
import { refusalFrom, type SeenOf, userEffect } from './sanctions.ts';

type LengthOperation = 'bans.change' | 'mutes.change';

/** The end of the timeout that was set at Discord. Null if none was: the member is gone. */
interface SetTimeout {
  readonly timeoutUntil: string | null;
}

/** Gives a ban another end. At Discord a ban has none: what lifts it is a job, which moves with the case. */
export function changeBan(deps: PerformerDeps): Performer<'bans.change'> {
  return performerOf(deps, (action) => {
    const { guildId } = action;
    const { userId, duration_minutes: minutes = null, reason } = action.input;
    const ban = { permission: 'BanMembers', userId, reason } as const;
    const of = { guildId, kind: 'ban', userId } as const;
    return {
      ...userEffect(deps, action, ban, {
        read: (signal) => findBan(deps, guildId, userId, signal),
        memberOf: () => null,
        obstacle: async (standing) => {
          const length = await newLength(deps.db, of, minutes);
          if (!('caseId' in length)) return length;
          return standing === null ? notFound('ban', userId) : null;
        },
      }),
      refusal: (failure) => refusalFrom(ban, failure),
      send: async () => true as const,
      // Nothing happens before it is on record.
      look: async () => null,
      record: async (_, tx) => ({ ban: banWire((await recordLength(tx, action, 'ban')).row) }),
    } satisfies Effect<'bans.change', SeenOf<Awaited<ReturnType<typeof findBan>>>, true>;
  });
}

/** Gives a mute another end, and the timeout at Discord with it. */
export function changeMute(deps: PerformerDeps): Performer<'mutes.change'> {
  return performerOf(deps, (action) => {
    const { guildId } = action;
    const { userId, duration_minutes: minutes, reason } = action.input;
    const mute = { permission: 'ModerateMembers', userId, reason } as const;
    const of = { guildId, kind: 'mute', userId } as const;
    let seconds = 0;
    return {
      ...userEffect(deps, action, mute, {
        read: (signal) => findMember(deps, guildId, userId, signal),
        memberOf: (member) => member,
        obstacle: async () => {
          const length = await newLength(deps.db, of, minutes);
          if (!('caseId' in length)) return length;
          seconds = Math.min(length.leftSeconds ?? 0, LONGEST_TIMEOUT_SECONDS);
          return null;
        },
      }),
      refusal: (failure) => refusalFrom(mute, failure),
      send: async ({ target, auditReason }, signal) => {
        // Who left gets the timeout of the case when they join again.
        if (target === null) return { timeoutUntil: null };
        const timeoutUntil = await timeoutIn(deps, seconds);
        await deps.api.send('PATCH', Routes.guildMember(guildId, userId), {
          signal,
          reason: auditReason,
          body: { communication_disabled_until: timeoutUntil },
        });
        return { timeoutUntil };
      },
      look: async (seen, signal) => {
        const entry = await auditLogEntryOf(deps, action, memberUpdate(userId), signal);
        if (entry === 'absent') return null;
        if (entry !== 'unreadable') return { timeoutUntil: timeoutSetBy(entry) };
        const member = await findMember(deps, guildId, userId, signal);
        const standing = member?.communication_disabled_until ?? null;
        const wanted = new Date(action.createdAt.getTime() + seconds * 1000);
        if (seen === null || standing === null || !isSameEnd(standing, wanted)) return 'unclear';
        return { timeoutUntil: standing };
      },
      seemsDone: async ({ target }, signal) => {
        const member = await findMember(deps, guildId, userId, signal);
        return member?.communication_disabled_until !== target?.communication_disabled_until;
      },
      record: async ({ timeoutUntil }, tx) => {
        const { row, isChanged } = await recordLength(tx, action, 'mute');
        if (!isChanged) return { mute: muteWire(row) };
        if (timeoutUntil !== null) await noteTimeout.run(tx, [row.id, new Date(timeoutUntil)]);
        const leftMs = (row.expires_at?.getTime() ?? 0) - Date.now();
        if (leftMs > LONGEST_TIMEOUT_SECONDS * 1000) await renewMuteLater(tx, row.id);
        return { mute: muteWire(row) };
      },
    } satisfies Effect<'mutes.change', SeenOf<APIGuildMember | null>, SetTimeout>;
  });
}

function recordLength(
  tx: Transaction,
  { id: actionId, guildId, actor, input }: Action<LengthOperation>,
  kind: 'ban' | 'mute',
): ReturnType<typeof changeLength> {
  const { userId, duration_minutes: minutes = null, reason } = input;
  const by = { actionId, userId: actor.userId, why: reason };
  return changeLength(tx, { guildId, kind, userId }, by, minutes);
}
