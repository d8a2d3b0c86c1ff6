import type { OutputOf } from '@bailiff/core';
import type { Action, ActionError } from '@bailiff/engine/calls/actions';
import type { Outcome } from '@bailiff/engine/calls/settle';
import { inTransaction } from '@bailiff/engine/database/transaction';
import type { LongPerformer, Run } from '@bailiff/engine/worker/long-actions';
import { DiscordFailure } from '#src/discord-api.ts';
import { discordFailed } from '#src/discord-errors.ts';
import { dropPages, keepPage, keptPages } from './action-pages.ts';
import { type ArchivedMessage, archived } from './archived-message.ts';
import { reasonOf } from './audit-log.ts';
import { isSettledByTime, logFailure, outcomeUnknown } from './carry-out.ts';
import type { PerformerDeps } from './deps.ts';
import { isOver, readPatiently } from './long-requests.ts';
import { actorName } from './members.ts';
import { purgeFailure, purgeRefusal } from './purge-access.ts';
import { archiveOfAction, dropArchive, idsInArchive, keepInArchive, writeArchive } from './purge-archive.ts';
import { deleteOnce, goneOf } from './purge-batches.ts';
import { type Cursor, inBatches, isTooOld, START, selectPage } from './purge-selection.ts';

type Purge = Action<'messages.purge'>;
type PurgeOutcome = Outcome<OutputOf<'messages.purge'>>;
type Counts = OutputOf<'messages.purge'>['purge'];
type Step = PurgeOutcome | 'unfinished';

/** Where a purge is. */
interface PurgeWork {
  readonly cursor: Cursor;
  /** Once all messages are selected: their archive, how many of them are settled, and which of those are not deleted. */
  readonly deleting: Deleting | null;
}

interface Deleting {
  readonly archiveId: string;
  readonly settled: number;
  readonly left: readonly string[];
  /** The next batch may have been sent. */
  readonly isSent: boolean;
}

const NOTHING: PurgeWork = { cursor: START, deleting: null };
/** Selected messages that a crash may cost to read again. */
const MOST_UNSAVED = 300;
/** A thousand messages are ten reads, of which Discord admits one a second. */
const LOOK_MS = 30_000;

/**
 * Deletes messages with Discord's bulk delete and archives them (decisions: Operations). The archive is written before
 * the first deletion, so that a crash loses nothing. When the action is settled, it is corrected to what was really
 * deleted.
 */
export function purgeMessages(deps: PerformerDeps): LongPerformer<'messages.purge'> {
  return {
    work: async (action, run) => {
      try {
        return await purge(deps, action, run);
      } catch (error) {
        if (!(error instanceof DiscordFailure)) throw error;
        // Only a refusal of the reads or of the first deletion ends here: nothing was deleted.
        logFailure(deps.log, action, error, 'an action was not performed');
        return failed(action, purgeFailure(error, action.input.channel_id));
      }
    },
    verify: (action) => verify(deps, action),
  };
}

async function purge(deps: PerformerDeps, action: Purge, run: Run): Promise<Step> {
  // What was saved is what this function saved.
  const work = (run.saved as PurgeWork | null) ?? NOTHING;
  if (work.deleting !== null) return deleteMessages(deps, action, run, work, work.deleting);
  if (run.saved === null) {
    const refusal = await readPatiently(run, true, () => purgeRefusal(deps, action, run.signal));
    if (refusal === 'unfinished') return refusal;
    if (refusal !== null) return { state: 'failed', error: refusal };
  }
  return select(deps, action, run, work.cursor);
}

/** Selects the messages and writes their archive. What is selected when the stretch of work ends is kept. */
async function select(deps: PerformerDeps, action: Purge, run: Run, from: Cursor): Promise<Step> {
  const selected: ArchivedMessage[] = [];
  let cursor = from;
  while (!cursor.isComplete) {
    const at = cursor;
    const page = await readPatiently(run, at.pages === 0, (waits) =>
      selectPage(deps.api, action.input, at, waits),
    );
    if (page !== 'unfinished') {
      selected.push(...page.messages.map(archived));
      cursor = page.cursor;
      if (cursor.isComplete || (!isOver(run) && selected.length < MOST_UNSAVED)) continue;
    }
    await keepPage(deps.db.pool, action.id, from.pages, selected);
    await run.save({ cursor, deleting: null } satisfies PurgeWork, { done: 0, of: action.input.count });
    if (run.stop !== null) return failed(action, run.stop);
    if (page === 'unfinished' || isOver(run)) return 'unfinished';
    return select(deps, action, run, cursor);
  }
  const archiveId = await inTransaction(deps.db, async (tx) => {
    const kept = from.pages === 0 ? [] : await keptPages<ArchivedMessage>(tx, action.id);
    const messages = [...kept, ...selected];
    return messages.length === 0 ? null : writeArchive(tx, action, action.input.channel_id, messages);
  });
  if (archiveId === null) return doneWith(action, cursor, null, new Set());
  return deleteMessages(
    deps,
    action,
    run,
    { cursor, deleting: null },
    {
      archiveId,
      settled: 0,
      left: [],
      isSent: false,
    },
  );
}

/** Deletes the archived messages, batch by batch. Each is saved before it is sent, and looked at if that is lost. */
async function deleteMessages(
  deps: PerformerDeps,
  action: Purge,
  run: Run,
  { cursor }: PurgeWork,
  begun: Deleting,
): Promise<Step> {
  const ids = await idsInArchive(deps, begun.archiveId);
  const reason = reasonOf(action, await actorName(deps, action), action.input.reason ?? null);
  let now = begun;
  const deletedCount = () => now.settled - now.left.length;
  const save = (deleting: Deleting) =>
    run.save({ cursor, deleting } satisfies PurgeWork, { done: deletedCount(), of: ids.length });
  const outcome = () => {
    const left = new Set([...now.left, ...ids.slice(now.settled)]);
    const deleted = new Set(ids.filter((id) => !left.has(id)));
    return doneWith(action, cursor, { id: now.archiveId, ids }, deleted);
  };
  while (now.settled < ids.length) {
    await save({ ...now, isSent: true });
    if (run.stop !== null && now.isSent) return verify(deps, action);
    if (run.stop !== null) return deletedCount() === 0 ? failed(action, run.stop) : outcome();
    const batch = inBatches(ids.slice(now.settled))[0] ?? [];
    try {
      const isFirst = deletedCount() === 0;
      const gone = isOver(run)
        ? ('unsent' as const)
        : await deleteOnce(deps, action, run, { batch, reason, isUnsure: now.isSent, isFirst });
      if (gone === 'unsent') await save(now);
      if (gone === 'unsent' || gone === 'unfinished') return 'unfinished';
      if (gone === 'unknown') return outcomeUnknown(action);
      const left = batch.filter((id) => !gone.includes(id));
      now = {
        ...now,
        settled: now.settled + batch.length,
        left: [...now.left, ...left],
        isSent: false,
      };
    } catch (error) {
      if (!(error instanceof DiscordFailure) || deletedCount() === 0) throw error;
      // Some messages are already deleted, so the answer says how many.
      logFailure(deps.log, action, error, 'a purge ended before all was deleted');
      break;
    }
  }
  return outcome();
}

/** Nothing was deleted. What it has kept is removed once that is on record: whoever goes on without it needs that. */
function failed(action: Purge, error: ActionError): PurgeOutcome {
  return {
    state: 'failed',
    error,
    write: async (tx) => {
      await dropArchive.run(tx, [action.id]);
      await dropPages(tx, action.id);
    },
  };
}

function doneWith(
  action: Purge,
  { skippedPinned, skippedTooOld }: Cursor,
  archive: { readonly id: string; readonly ids: readonly string[] } | null,
  deleted: ReadonlySet<string>,
): PurgeOutcome {
  const archiveId = archive === null || deleted.size === 0 ? null : archive.id;
  // When they were selected, they were young enough.
  const grownOld = archive?.ids.filter((id) => !deleted.has(id) && isTooOld(id)) ?? [];
  return {
    state: 'done',
    write: async (tx) => {
      await dropPages(tx, action.id);
      if (archiveId === null) await dropArchive.run(tx, [action.id]);
      else await keepInArchive.run(tx, [archiveId, [...deleted]]);
      const purge: Counts = {
        requested: action.input.count,
        deleted: deleted.size,
        skipped_pinned: skippedPinned,
        skipped_too_old: skippedTooOld + grownOld.length,
        archive_id: archiveId,
      };
      return { purge };
    },
  };
}

/** Checks which of the archived messages are deleted. */
async function verify(deps: PerformerDeps, action: Purge): Promise<PurgeOutcome> {
  const archive = await archiveOfAction.first(deps.db.pool, [action.id]);
  if (archive === null) {
    return { state: 'failed', error: discordFailed('The purge ended before it deleted anything.') };
  }
  const ids = archive.messages.map(({ id }) => id);
  try {
    const gone = await goneOf(deps, action, ids, { signal: AbortSignal.timeout(LOOK_MS) });
    if (gone === 'hidden') return outcomeUnknown(action);
    const mayGoYet = gone.length < ids.length && !(await isSettledByTime(deps.db, action.id));
    if (mayGoYet) return outcomeUnknown(action);
    if (gone.length === 0)
      return failed(action, discordFailed('Its messages are all still there: nothing was deleted.'));
    // What was saved is what this module saved.
    const { cursor } = (archive.work as PurgeWork | null) ?? NOTHING;
    return doneWith(action, cursor, { id: archive.id, ids }, new Set(gone));
  } catch (error) {
    if (error instanceof DiscordFailure) return outcomeUnknown(action);
    throw error;
  }
}
