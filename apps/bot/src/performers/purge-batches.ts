import type { Action } from '@bailiff/engine/calls/actions';
import type { Run } from '@bailiff/engine/worker/long-actions';
import { type APIMessage, RESTJSONErrorCodes as Code, Routes } from 'discord.js';
import { requireAccess } from '#src/channel-access.ts';
import { DiscordFailure } from '#src/discord-api.ts';
import { waited } from '#src/rate-limits.ts';
import { isAnsweredByDiscord, logFailure } from './carry-out.ts';
import type { PerformerDeps } from './deps.ts';
import { hasToWait, mayPass, readPatiently, type Waits, waitsOf } from './long-requests.ts';
import { isTooOld } from './purge-selection.ts';

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
 * looked at and not sent again; later, what is still there is sent again, because a deletion is the same twice. What
 * could not be sent waits until Discord can be reached, unless a caller waits and nothing is deleted yet. What has become
 * too old for bulk delete while the purge waited is left. It is `unknown` where the bot may not look, and where what is
 * still there may yet be deleted.
 *
 * @throws DiscordFailure if none of them was deleted
 */
export async function deleteOnce(
  deps: PerformerDeps,
  action: Action<'messages.purge'>,
  run: Run,
  { batch: whole, reason, isUnsure, isFirst }: Batch,
): Promise<readonly string[] | 'unknown' | 'unfinished' | 'unsent'> {
  const { channel_id: channelId } = action.input;
  let batch = whole;
  let left = batch;
  let mustLook = isUnsure;
  let mayYetHappen = isUnsure;
  let tried = 1;
  const look = async () => {
    const there = left;
    const gone = await readPatiently(run, false, (waits) => goneOf(deps, action, there, waits));
    if (gone === 'unfinished') return gone;
    if (gone === 'hidden') return 'unknown';
    left = left.filter((id) => !gone.includes(id));
    return left.length === 0 ? batch : null;
  };
  for (;;) {
    const seen = mustLook ? await look() : null;
    if (seen !== null) return seen;
    try {
      await deleteBatch(deps, channelId, left, reason, waitsOf(run));
      return batch;
    } catch (error) {
      if (hasToWait(error)) return mustLook ? 'unfinished' : 'unsent';
      if (mayPass(error) && error.kind === 'not_sent' && (run.deadline === null || !isFirst)) {
        if (run.deadline === null && (await waited(PAUSE_MS, run.signal))) continue;
        return mustLook ? 'unfinished' : 'unsent';
      }
      const old = isRefusedAsTooOld(error) ? left.filter(isTooOld) : [];
      if (old.length > 0) {
        batch = batch.filter((id) => !old.includes(id));
        left = left.filter((id) => !old.includes(id));
        if (left.length === 0) return batch;
        continue;
      }
      const isUnclear = error instanceof DiscordFailure && error.kind === 'unclear';
      if (isUnclear && run.deadline !== null && isFirst) {
        logFailure(deps.log, action, error, 'a deletion has no certain answer; looking whether it happened');
        return lookOnce(deps, action, batch, error, run.deadline);
      }
      if (isUnclear && run.deadline !== null) return 'unfinished';
      mayYetHappen ||= isUnclear && !isAnsweredByDiscord(error);
      if (!isUnclear || tried === TRIES) {
        const found = isUnclear ? await look() : null;
        if (found !== null) return found;
        if (mayYetHappen) return 'unknown';
        if (left.length === batch.length) throw error;
        return batch.filter((id) => !left.includes(id));
      }
      if (!(await waited(PAUSE_MS * 2 ** tried, run.signal))) return 'unfinished';
      mustLook = true;
      tried += 1;
    }
  }
}

function isRefusedAsTooOld(error: unknown): boolean {
  return (
    error instanceof DiscordFailure && error.code === Code.OneOfTheMessagesProvidedWasTooOldForBulkDelete
  );
}

/** What a deletion without an answer did, while a caller waits to be told. */
async function lookOnce(
  deps: PerformerDeps,
  action: Action<'messages.purge'>,
  batch: readonly string[],
  failure: DiscordFailure,
  signal: AbortSignal,
): Promise<readonly string[] | 'unknown'> {
  const gone = await goneOf(deps, action, batch, { signal }).catch(() => 'hidden' as const);
  if (gone === 'hidden') return 'unknown';
  if (gone.length === batch.length) return gone;
  if (gone.length === 0 && isAnsweredByDiscord(failure)) throw failure;
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

/**
 * Those of these adjacent messages that no longer exist. `hidden` if the bot may not see whether they do.
 *
 * @throws DiscordFailure
 */
export async function goneOf(
  deps: PerformerDeps,
  { guildId, input }: Action<'messages.purge'>,
  ids: readonly string[],
  waits: Waits,
): Promise<readonly string[] | 'hidden'> {
  const channelId = input.channel_id;
  try {
    const there = await thereOf(deps, channelId, ids, waits);
    const gone = ids.filter((id) => !there.has(id));
    if (gone.length === 0) return gone;
    // Discord shows who may not read there no messages, as if there were none. Somebody may have seen to that just now.
    const place = { guildId, channelId, signal: waits.signal };
    const found = await requireAccess(deps, place, 'ViewChannel', 'ReadMessageHistory');
    return 'refusal' in found ? 'hidden' : gone;
  } catch (error) {
    if (error instanceof DiscordFailure && error.kind === 'refused' && !hasToWait(error)) return 'hidden';
    throw error;
  }
}

/** The messages that Discord shows from the oldest of these to the newest. */
async function thereOf(
  { api }: PerformerDeps,
  channelId: string,
  ids: readonly string[],
  waits: Waits,
): Promise<ReadonlySet<string>> {
  const newest = ids.reduce((a, b) => (BigInt(a) > BigInt(b) ? a : b));
  const oldest = ids.reduce((a, b) => (BigInt(a) < BigInt(b) ? a : b));
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
  return there;
}
