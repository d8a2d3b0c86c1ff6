import type { BotOperation, OutputOf } from '@bailiff/core';
import { forbidden, notFound } from '@bailiff/engine/calls/action-errors';
import type { Action, ActionError } from '@bailiff/engine/calls/actions';
import type { Transaction } from '@bailiff/engine/database/transaction';
import {
  dropMeasure,
  dropPlannedMeasure,
  type MeasureKey,
  measureOf,
  planMeasure,
  planOverMeasure,
  takeMeasure,
} from '@bailiff/engine/guilds/measures';
import { stillOpen } from '@bailiff/engine/guilds/still-open';
import type { Performer } from '@bailiff/engine/worker/perform-action';
import { RESTJSONErrorCodes as Code } from 'discord.js';
import type { DiscordFailure } from '#src/discord-api.ts';
import { performerOf, Refusal } from './carry-out.ts';
import { auditReasonFor, changeEntry } from './channel-settings.ts';
import type { PerformerDeps } from './deps.ts';
import { FOR_LOCKS, type Lockable, lockableChannel, lockableGuild } from './lockables.ts';
import { missingPermissions } from './members.ts';

/** What a lock is recorded as. */
type Locked = OutputOf<'channels.lock'>['lock'];

interface Lock<N extends BotOperation> {
  readonly place: Lockable;
  readonly minutes: number | undefined;
  readonly reason: string | undefined;
  answer(lock: Locked, tx: Transaction): Promise<OutputOf<N>>;
}

interface Unlock<N extends BotOperation> {
  readonly place: Lockable;
  readonly reason: string | undefined;
  /** Why there is nothing to unlock. */
  readonly absent: ActionError;
  readonly answer: OutputOf<N>;
}

const AFTER = {};

export function lockChannel(deps: PerformerDeps): Performer<'channels.lock'> {
  return lockPerformer(deps, ({ guildId, input }) => ({
    place: lockableChannel(deps, guildId, input.channel_id),
    minutes: input.duration_minutes,
    reason: input.reason,
    answer: async (lock) => ({ lock }),
  }));
}

export function lockGuild(deps: PerformerDeps): Performer<'channels.lockdown'> {
  return lockPerformer(deps, ({ guildId, input }) => ({
    place: lockableGuild(deps, guildId),
    minutes: input.duration_minutes,
    reason: input.reason,
    answer: async (lock, tx) => ({ lock, still_open: await stillOpen(tx, guildId) }),
  }));
}

export function unlockChannel(deps: PerformerDeps): Performer<'channels.unlock'> {
  return unlockPerformer(deps, ({ guildId, input }) => ({
    place: lockableChannel(deps, guildId, input.channelId),
    reason: input.reason,
    absent: notFound('lock', input.channelId),
    answer: { unlocked: { channel_id: input.channelId } },
  }));
}

export function unlockGuild(deps: PerformerDeps): Performer<'channels.reopen'> {
  return unlockPerformer(deps, ({ guildId, input }) => ({
    place: lockableGuild(deps, guildId),
    reason: input.reason,
    absent: notFound('lockdown'),
    answer: { unlocked: { channel_id: null } },
  }));
}

/** Locks a place, or gives a lock that stands another end. What stood before is kept before Discord is asked. */
function lockPerformer<N extends BotOperation>(
  deps: PerformerDeps,
  lockOf: (action: Action<N>) => Lock<N>,
): Performer<N> {
  return performerOf(deps, (action) => {
    const { id: actionId, guildId } = action;
    const { place, minutes, reason, answer } = lockOf(action);
    const key = keyOf(guildId, place);
    return {
      check: async (signal) => {
        const state = await place.read(signal);
        if (state instanceof Refusal) return state;
        const earlier = await measureOf(deps.db, key);
        const isOurs = state.isClosed && earlier !== null;
        if (state.isClosed && !isOurs) return new Refusal(forbidden('LOCKED_BY_HAND'));
        const before = state.before(earlier?.before ?? null);
        const standsInPart = earlier !== null && state.restore(earlier.before) !== null;
        const auditReason = await auditReasonFor(deps, action, reason);
        return { state, before, isOurs, standsInPart, auditReason };
      },
      send: async ({ state, before, isOurs, standsInPart, auditReason }, signal) => {
        if (isOurs) return true as const;
        if (!(standsInPart && (await planOverMeasure(deps.db, key, before))))
          await planMeasure(deps.db, key, { actionId, before, after: AFTER });
        await state.lock(auditReason, signal);
        return true as const;
      },
      look: async (_seen, signal) => {
        const sought = { events: place.events, id: place.subjectId };
        const entry = await changeEntry(deps, action, sought, signal);
        if (entry === 'absent') return null;
        if (entry !== 'unreadable') return true;
        const state = await place.read(signal);
        if (state instanceof Refusal) return 'unclear';
        return state.isClosed ? true : null;
      },
      seemsDone: async (_seen, signal) => {
        const state = await place.read(signal);
        return state instanceof Refusal || state.isClosed;
      },
      withdraw: (tx) => dropPlannedMeasure(tx, actionId),
      refusal: ({ code }) => refusalFor(place, code),
      record: async (_made, tx) => {
        const taken = await takeMeasure(tx, key, { actionId, after: AFTER }, minutes ?? null);
        const lock: Locked = {
          channel_id: place.channelId,
          locked_by: action.actor.userId,
          locked_at: (taken?.takenAt ?? action.createdAt).toISOString(),
          expires_at: taken?.expiresAt?.toISOString() ?? null,
          reason: reason ?? null,
        };
        return answer(lock, tx);
      },
    };
  });
}

/** Takes a lock back where it still stands, and leaves what somebody else has changed since. */
function unlockPerformer<N extends BotOperation>(
  deps: PerformerDeps,
  unlockOf: (action: Action<N>) => Unlock<N>,
): Performer<N> {
  return performerOf(deps, (action) => {
    const { place, reason, absent, answer } = unlockOf(action);
    const key = keyOf(action.guildId, place);
    return {
      check: async (signal) => {
        const measure = await measureOf(deps.db, key);
        if (measure === null) return new Refusal(absent);
        const state = await place.read(signal);
        if (state instanceof Refusal) return state;
        return {
          restore: state.restore(measure.before),
          auditReason: await auditReasonFor(deps, action, reason),
        };
      },
      send: async ({ restore, auditReason }, signal) => {
        await restore?.(auditReason, signal);
        return true as const;
      },
      // Whoever undid it, the lock stands no more.
      look: async (_seen, signal) => {
        const measure = await measureOf(deps.db, key);
        if (measure === null) return true;
        const state = await place.read(signal);
        if (state instanceof Refusal) return 'unclear';
        return state.restore(measure.before) === null ? true : null;
      },
      refusal: ({ code }) => refusalFor(place, code),
      record: async (_made, tx) => {
        await dropMeasure(tx, key, action.id);
        return answer;
      },
    };
  });
}

function keyOf(guildId: string, { subjectId }: Lockable): MeasureKey {
  return { guildId, kind: 'lock', subjectId };
}

function refusalFor({ channelId }: Lockable, code: DiscordFailure['code']): ActionError | null {
  if (code === Code.UnknownChannel && channelId !== null) return notFound('channel', channelId);
  return code === Code.MissingPermissions ? missingPermissions(FOR_LOCKS) : null;
}
