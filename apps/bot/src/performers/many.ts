import type { OutputOf } from '@bailiff/core';
import type { Action, ActionError, ActionRecord } from '@bailiff/engine/calls/actions';
import type { Outcome } from '@bailiff/engine/calls/settle';
import {
  type CallOnPerson,
  countsOf,
  type ManyCounts,
  submitNext,
  type Work,
} from '@bailiff/engine/cases/many-effects';
import { spareSanctioned, takeMass, takePreview } from '@bailiff/engine/cases/people-lists';
import { inTransaction } from '@bailiff/engine/database/transaction';
import type { Run } from '@bailiff/engine/worker/long-actions';
import { catchUp } from '#src/by-hand.ts';
import { DiscordFailure } from '#src/discord-api.ts';
import { usualRefusal } from '#src/discord-errors.ts';
import { waited } from '#src/rate-limits.ts';
import type { PerformerDeps } from './deps.ts';
import { isOver, readPatiently } from './long-requests.ts';

type ManyOperation = 'bans.many' | 'bans.undo' | 'mutes.many' | 'mutes.undo';
type ManyOutcome = Outcome<OutputOf<ManyOperation>>;
type Taken = Awaited<ReturnType<typeof takePreview>>;

/** The performer of one of them. All have the same answer. */
interface ManyPerformer<N extends ManyOperation> {
  work(action: Action<N>, run: Run): Promise<ManyOutcome | 'unfinished'>;
  verify(action: Action<N>): Promise<ManyOutcome>;
}

/** How often it is looked whether an effect has ended. */
const LOOK_EVERY_MS = 150;
/** The same when nothing is left but effects of which nobody knows yet whether they happened. */
const LOOK_FOR_UNSURE_MS = 2_000;

/** What a mass action does: its list, and the call on each person. */
interface Plan<N extends ManyOperation> {
  readonly work: Work;
  readonly take: (tx: Parameters<typeof takePreview>[0], action: Action<N>) => Promise<Taken>;
  readonly callOn: (action: Action<N>, userId: string) => CallOnPerson;
}

export const banMany = performerOf<'bans.many'>({
  work: 'do',
  take: (tx, action) => takePreview(tx, action, 'ban', action.input),
  callOn: ({ input: { preview_id: _, count: __, ...ban } }, user_id) => ({
    operation: 'bans.add',
    input: { user_id, ...ban },
  }),
});

export const muteMany = performerOf<'mutes.many'>({
  work: 'do',
  take: (tx, action) => takePreview(tx, action, 'mute', action.input),
  callOn: ({ input: { reason, duration_minutes } }, user_id) => ({
    operation: 'mutes.add',
    input: { user_id, reason, duration_minutes },
  }),
});

export const unbanMany = performerOf<'bans.undo'>({
  work: 'undo',
  take: (tx, action) => takeMass(tx, action, 'ban', action.input.massId),
  callOn: ({ input: { massId: _, ...why } }, userId) => ({
    operation: 'bans.lift',
    input: { userId, ...why },
  }),
});

export const unmuteMany = performerOf<'mutes.undo'>({
  work: 'undo',
  take: (tx, action) => takeMass(tx, action, 'mute', action.input.massId),
  callOn: ({ input: { massId: _, ...why } }, userId) => ({
    operation: 'mutes.lift',
    input: { userId, ...why },
  }),
});

/**
 * Performs a mass action: each effect is an action of its own, which any bot process may perform. This one only hands
 * them out and counts them, so that a crash neither loses nor repeats one (decisions: Many at once).
 */
function performerOf<N extends ManyOperation>(plan: Plan<N>) {
  return (deps: PerformerDeps): ManyPerformer<N> => ({
    work: async (action, run) => {
      const taken = await inTransaction(deps.db, (tx) => plan.take(tx, action));
      if ('error' in taken) return { state: 'failed', error: taken.error };
      return handOut(deps, action, run, plan, taken.listId);
    },
    verify: async (action) => {
      const taken = await inTransaction(deps.db, (tx) => plan.take(tx, action));
      if ('error' in taken) return { state: 'failed', error: taken.error };
      return endedWith(action, await countsOf(deps.db, taken.listId, plan.work), null);
    },
  });
}

/**
 * Puts on record what people did in Discord itself while no bot ran, so that an undoing takes off nothing that they have
 * set since. Returns why that cannot be known; null if it is, or if the bot may not read the guild's log.
 */
async function readLog(
  deps: PerformerDeps,
  { guildId }: ActionRecord,
  run: Run,
): Promise<ActionError | 'unfinished' | null> {
  try {
    const read = () => catchUp(deps, deps.botUserId, guildId, run.signal);
    return (await readPatiently(run, true, read)) === 'unfinished' ? 'unfinished' : null;
  } catch (error) {
    if (run.signal.aborted) return 'unfinished';
    if (!(error instanceof DiscordFailure)) throw error;
    return usualRefusal(error);
  }
}

async function handOut<N extends ManyOperation>(
  deps: PerformerDeps,
  action: Action<N>,
  run: Run,
  { work, callOn }: Plan<N>,
  listId: string,
): Promise<ManyOutcome | 'unfinished'> {
  const { db } = deps;
  const unread = work === 'undo' && run.stop === null ? await readLog(deps, action, run) : null;
  if (unread === 'unfinished') return unread;
  let told = '';
  for (;;) {
    const counts = await countsOf(db, listId, work);
    // Afterwards: whoever these counts leave out because a moderator has decided about them is marked by now.
    if (work === 'do') await spareSanctioned.run(db.pool, [listId]);
    const { done, failed, unknown, unsure, open, left, refusal } = counts;
    const progress = { done: done + failed + unknown - unsure, of: done + failed + unknown + open + left };
    const news = JSON.stringify(progress);
    if (news !== told) await run.save({ listId }, progress);
    told = news;
    const stop = run.stop ?? unread ?? refusal;
    if (open === 0 && (stop !== null || left + unsure === 0)) return endedWith(action, counts, stop);
    if (isOver(run)) return 'unfinished';
    if (stop === null) {
      await submitNext(db, action, { listId, work, open }, (userId) => callOn(action, userId));
    }
    await waited(open + left === 0 ? LOOK_FOR_UNSURE_MS : LOOK_EVERY_MS, run.signal);
  }
}

function endedWith(
  { id }: Pick<ActionRecord, 'id'>,
  { done, failed, unknown, left }: ManyCounts,
  stop: ActionError | null,
): ManyOutcome {
  if (stop !== null && done + unknown === 0) return { state: 'failed', error: stop };
  return { state: 'done', write: async () => ({ many: { id, done, failed, unknown, not_tried: left } }) };
}
