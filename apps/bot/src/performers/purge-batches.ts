import type { Action } from '@bailiff/engine/calls/actions';
import type { Run } from '@bailiff/engine/worker/long-actions';
import { type APIMessage, RESTJSONErrorCodes as Code, Routes } from 'discord.js';
import { DiscordFailure } from '#src/discord-api.ts';
import { waited } from '#src/rate-limits.ts';
import { isAnsweredByDiscord, logFailure } from './carry-out.ts';
import type { PerformerDeps } from './deps.ts';
import { hasToWait, readPatiently, type Waits, waitsOf } from './long-requests.ts';

const TRIES = 4;
const PAUSE_MS = 3_000;

/** A batch of messages to delete. */
export interface Batch {
  readonly batch: readonly string[];
  readonly reason: string;
  /** It may have been sent before. */
  readonly isUnsure: boolean;
  /** Nothing of the purge is deleted yet. */
  readonly isFirst: boolean;
}

/**
 * Deletes the messages of a batch. Returns those that are deleted. While a caller waits, a deletion without an answer is
 * looked at and not sent again; later, what is still there is sent again, because a deletion is the same twice.
 *
 * @throws DiscordFailure if none of them was deleted
 */
export async function deleteOnce(
  deps: PerformerDeps,
  action: Action<'messages.purge'>,
  run: Run,
  { batch, reason, isUnsure, isFirst }: Batch,
): Promise<readonly string[] | 'unknown' | 'unfinished' | 'unsent'> {
  const { channel_id: channelId } = action.input;
  let left = batch;
  let mustLook = isUnsure;
  for (let tried = 1; ; tried += 1) {
    if (mustLook) {
      const there = left;
      const gone = await readPatiently(run, false, (waits) => goneOf(deps, channelId, there, waits));
      if (gone === 'unfinished') return gone;
      left = left.filter((id) => !gone.includes(id));
      if (left.length === 0) return batch;
    }
    try {
      await deleteBatch(deps, channelId, left, reason, waitsOf(run));
      return batch;
    } catch (error) {
      if (hasToWait(error)) return mustLook ? 'unfinished' : 'unsent';
      const isUnclear = error instanceof DiscordFailure && error.kind === 'unclear';
      if (isUnclear && run.deadline !== null && isFirst) {
        logFailure(deps.log, action, error, 'a deletion has no certain answer; looking whether it happened');
        return lookOnce(deps, channelId, batch, error, run.deadline);
      }
      if (isUnclear && run.deadline !== null) return 'unfinished';
      if (!isUnclear || tried === TRIES) {
        if (left.length === batch.length) throw error;
        return batch.filter((id) => !left.includes(id));
      }
      if (!(await waited(PAUSE_MS * 2 ** tried, run.signal))) return 'unfinished';
      mustLook = true;
    }
  }
}

/** What a deletion without an answer did, while a caller waits to be told. */
async function lookOnce(
  deps: PerformerDeps,
  channelId: string,
  batch: readonly string[],
  failure: DiscordFailure,
  signal: AbortSignal,
): Promise<readonly string[] | 'unknown'> {
  const gone = await goneOf(deps, channelId, batch, { signal }).catch(() => null);
  if (gone?.length === batch.length) return gone;
  if (gone?.length === 0 && isAnsweredByDiscord(failure)) throw failure;
  return 'unknown';
}

async function deleteBatch(
  { api }: PerformerDeps,
  channelId: string,
  ids: readonly string[],
  reason: string,
  waits: Waits,
): Promise<void> {
  const [first = ''] = ids;
  if (ids.length > 1) {
    await api.send('POST', Routes.channelBulkDelete(channelId), {
      ...waits,
      reason,
      body: { messages: ids },
    });
    return;
  }
  await api
    .send('DELETE', Routes.channelMessage(channelId, first), { ...waits, reason })
    .catch((error: unknown) => {
      // Another person deleted it meanwhile.
      if (!(error instanceof DiscordFailure && error.code === Code.UnknownMessage)) throw error;
    });
}

/** Those of these adjacent messages that no longer exist. */
export async function goneOf(
  { api }: PerformerDeps,
  channelId: string,
  ids: readonly string[],
  waits: Waits,
): Promise<string[]> {
  const left = new Set(ids);
  const newest = [...left].reduce((a, b) => (BigInt(a) > BigInt(b) ? a : b));
  const oldest = [...left].reduce((a, b) => (BigInt(a) < BigInt(b) ? a : b));
  const there = new Set<string>();
  for (let before = String(BigInt(newest) + 1n); BigInt(before) > BigInt(oldest); ) {
    const page = await api.get<APIMessage[]>(Routes.channelMessages(channelId), {
      ...waits,
      query: { limit: '100', before },
    });
    for (const { id } of page) there.add(id);
    const last = page.at(-1);
    if (last === undefined) break;
    before = last.id;
  }
  return ids.filter((id) => !there.has(id));
}
