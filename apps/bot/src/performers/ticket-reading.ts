import type { Action } from '@bailiff/engine/calls/actions';
import type { Run } from '@bailiff/engine/worker/long-actions';
import { type APIMessage, RESTJSONErrorCodes as Code, MessageType, Routes } from 'discord.js';
import { requireAccess } from '#src/channel-access.ts';
import { DiscordFailure } from '#src/discord-api.ts';
import { keepPage } from './action-pages.ts';
import { archived } from './archived-message.ts';
import { Refusal } from './carry-out.ts';
import type { PerformerDeps } from './deps.ts';
import { isOver, readPatiently, type Waits } from './long-requests.ts';

/** How far a transcript is read. Pages with negative numbers have messages that came while the others were read. */
export interface Transcript {
  /** The oldest message that was read; null: none yet. */
  readonly oldest: string | null;
  /** The newest message that was read; null: the channel was empty. */
  readonly newest: string | null;
  readonly hasAllOlder: boolean;
  readonly older: number;
  readonly newer: number;
  readonly count: number;
  /** The channel has or had threads. What was written there is not read, and ends with it. */
  readonly hasThreads: boolean;
  /** Whether the last page was full, so that there may be messages that are not read. */
  readonly hasMore: boolean;
  /** A deletion may have reached Discord. If the channel is gone then, nothing is lost but what was not read yet. */
  readonly isDeleting: boolean;
  readonly isGone: boolean;
}

export const UNREAD: Transcript = {
  oldest: null,
  newest: null,
  hasAllOlder: false,
  older: 0,
  newer: 0,
  count: 0,
  hasThreads: false,
  hasMore: false,
  isDeleting: false,
  isGone: false,
};
const PAGE = 100;

/** Reads what is missing in the transcript: what is older than the messages it has, then what has been written since. */
export async function readTranscript(
  deps: PerformerDeps,
  action: Action<'tickets.close'>,
  run: Run,
  channelId: string,
  from: Transcript,
): Promise<Transcript | Refusal | 'unfinished'> {
  let now = from;
  for (let isComplete = false; !isComplete; ) {
    const isFirst = now.count === 0;
    const page = await readPatiently(run, isFirst, (waits) =>
      readPage(deps, { guildId: action.guildId, channelId }, queryOf(now), waits),
    ).catch(unlessGone);
    if (page === 'unfinished' || page instanceof Refusal) return page;
    if (page === null) return { ...now, isGone: true };
    const hasMore = page.length === PAGE;
    isComplete = now.hasAllOlder && !hasMore;
    const unread = page.filter(({ id }) => id !== now.newest);
    if (unread.length === 0 && isComplete) return { ...now, hasMore };
    await keepPage(
      deps.db.pool,
      action.id,
      now.hasAllOlder ? -1 - now.newer : now.older,
      unread.map(archived),
    );
    now = withPage(now, unread, hasMore);
    // A short conversation is read and closed at once; then nobody needs to see how far it has got.
    if (!isComplete) await run.save(now, { done: now.count, of: null });
    if (run.stop !== null) return now;
    if (isOver(run)) return 'unfinished';
  }
  return now;
}

/** A page of the channel's messages, or why the bot may not read it. Null if the channel is gone. */
async function readPage(
  deps: PerformerDeps,
  place: { readonly guildId: string; readonly channelId: string },
  query: Record<string, string>,
  waits: Waits,
): Promise<readonly APIMessage[] | Refusal | null> {
  const route = Routes.channelMessages(place.channelId);
  const page = await deps.api.get<APIMessage[]>(route, { ...waits, query });
  if (page.length > 0) return page;
  // Discord shows who may not read there no messages, as if there were none.
  const access = { ...place, signal: waits.signal };
  const found = await requireAccess(deps, access, 'ViewChannel', 'ReadMessageHistory');
  if ('access' in found) return page;
  return found.refusal.code === 'NOT_FOUND' ? null : new Refusal(found.refusal);
}

function queryOf({ oldest, newest, hasAllOlder }: Transcript): Record<string, string> {
  const limit = { limit: String(PAGE) };
  // The newest one is asked for again: if it comes, Discord hides nothing.
  if (hasAllOlder) return { ...limit, after: newest === null ? '0' : String(BigInt(newest) - 1n) };
  return oldest === null ? limit : { ...limit, before: oldest };
}

/** The transcript with a page, which has its newest message first. */
function withPage(before: Transcript, page: readonly APIMessage[], hasMore: boolean): Transcript {
  const count = before.count + page.length;
  const now = {
    ...before,
    count,
    hasThreads: before.hasThreads || page.some(beginsThread),
    hasMore,
  };
  if (now.hasAllOlder) return { ...now, newest: page[0]?.id ?? now.newest, newer: now.newer + 1 };
  return {
    ...now,
    oldest: page.at(-1)?.id ?? now.oldest,
    newest: now.newest ?? page[0]?.id ?? null,
    older: now.older + 1,
    hasAllOlder: !hasMore,
  };
}

function beginsThread({ type, thread }: APIMessage): boolean {
  return type === MessageType.ThreadCreated || thread !== undefined;
}

/** Null in place of Discord's answer that a channel is gone. */
export function unlessGone(error: unknown): null {
  if (error instanceof DiscordFailure && error.code === Code.UnknownChannel) return null;
  throw error;
}
