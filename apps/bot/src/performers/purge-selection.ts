import type { InputOf } from '@bailiff/core';
import { type APIMessage, Constants, type MessageType, Routes } from 'discord.js';
import type { DiscordApi, RequestOptions } from '#src/discord-api.ts';
import { isTooLarge } from '#src/too-large-ids.ts';
import { wholeMessage } from '#src/whole-message.ts';

/** The messages of a purge. */
export interface Selection {
  /** The messages to delete, newest first. */
  readonly messages: readonly APIMessage[];
  readonly skippedPinned: number;
  readonly skippedTooOld: number;
}

const DISCORD_EPOCH_MS = 1_420_070_400_000n;
/** Bulk delete accepts messages younger than 14 days. One minute less, because clocks may differ. */
const OLDEST_MS = 14 * 86_400_000 - 60_000;
const UNDELETABLE: readonly MessageType[] = Constants.UndeletableMessageTypes;
const PAGE = 100;
/** For one page, its wait for Discord's limits included. */
const PAGE_TIMEOUT_MS = 8_000;
/** How many pages back to look for matching messages. */
const MOST_PAGES = 30;
const MOST_PER_BATCH = 100;

/** How far the selection has read. */
export interface Cursor {
  /** The oldest message that was read; null: none yet. */
  readonly before: string | null;
  readonly pages: number;
  readonly selected: number;
  readonly skippedPinned: number;
  readonly skippedTooOld: number;
  readonly isComplete: boolean;
}

export const START: Cursor = {
  before: null,
  pages: 0,
  selected: 0,
  skippedPinned: 0,
  skippedTooOld: 0,
  isComplete: false,
};

/** What a selection reads with. */
type Reading = Pick<RequestOptions, 'signal' | 'until' | 'longestWaitMs'>;

/**
 * The latest messages of a channel that match the filters. Pinned messages stay and do not count towards the requested
 * number. Messages too old for bulk delete do count (decisions: Operations).
 *
 * @throws DiscordFailure
 */
export async function selectMessages(
  api: DiscordApi,
  input: InputOf<'messages.purge'>,
  signal: AbortSignal,
): Promise<Selection> {
  const messages: APIMessage[] = [];
  let cursor = START;
  while (!cursor.isComplete) {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(PAGE_TIMEOUT_MS)]);
    const page = await selectPage(api, input, cursor, { signal: inTime });
    messages.push(...page.messages);
    cursor = page.cursor;
  }
  return { messages, skippedPinned: cursor.skippedPinned, skippedTooOld: cursor.skippedTooOld };
}

/** The id that all messages of a purge are older than; undefined if any message is. Discord refuses one that is too large. */
function endOf({ before }: InputOf<'messages.purge'>): string | undefined {
  const end = before === undefined ? undefined : snowflakeOf(before);
  return end === undefined || isTooLarge(end) ? undefined : end;
}

/**
 * The next messages of a selection.
 *
 * @throws DiscordFailure
 */
export async function selectPage(
  api: DiscordApi,
  input: InputOf<'messages.purge'>,
  cursor: Cursor,
  reading: Reading,
): Promise<{ messages: APIMessage[]; cursor: Cursor }> {
  const before = cursor.before ?? endOf(input);
  const after = input.after === undefined ? 0n : BigInt(snowflakeOf(input.after));
  const page = await api.get<APIMessage[]>(Routes.channelMessages(input.channel_id), {
    ...reading,
    query: { limit: String(PAGE), ...(before === undefined ? {} : { before }) },
  });
  const messages: APIMessage[] = [];
  let { skippedPinned, skippedTooOld } = cursor;
  let isComplete = page.length < PAGE || cursor.pages + 1 >= MOST_PAGES;
  for (const message of page) {
    if (BigInt(message.id) <= after) isComplete = true;
    if (BigInt(message.id) <= after || !fits(message, input)) continue;
    if (message.pinned && !input.include_pinned) skippedPinned += 1;
    else if (isTooOld(message.id)) skippedTooOld += 1;
    else messages.push(message);
    if (cursor.selected + messages.length + skippedTooOld === input.count) {
      isComplete = true;
      break;
    }
  }
  return {
    messages,
    cursor: {
      before: page.at(-1)?.id ?? cursor.before,
      pages: cursor.pages + 1,
      selected: cursor.selected + messages.length,
      skippedPinned,
      skippedTooOld,
      isComplete,
    },
  };
}

/** Messages that nobody can delete never fit: one of them would make Discord refuse a whole batch. */
function fits(message: APIMessage, input: InputOf<'messages.purge'>): boolean {
  return (
    !UNDELETABLE.includes(message.type) &&
    (input.user_id === undefined || message.author.id === input.user_id) &&
    (input.bots_only !== true || message.author.bot === true) &&
    (input.contains === undefined || hasText(message, input.contains))
  );
}

/** Whether a text stands in what the archive keeps of a message: spam is forwarded too. */
function hasText(message: APIMessage, text: string): boolean {
  return wholeMessage(message).text.toLowerCase().includes(text.toLowerCase());
}

/** Whether bulk delete may not take a message any more. */
export function isTooOld(messageId: string): boolean {
  return Date.now() - Number((BigInt(messageId) >> 22n) + DISCORD_EPOCH_MS) >= OLDEST_MS;
}

/** A message id unchanged; for a time, the first id that Discord could have given at that time. */
function snowflakeOf(point: string): string {
  if (/^\d+$/.test(point)) return point;
  const sinceEpochMs = BigInt(Date.parse(point)) - DISCORD_EPOCH_MS;
  return String((sinceEpochMs < 0n ? 0n : sinceEpochMs) << 22n);
}

/** Batches of at most 100. None has a single message if there are two or more, because bulk delete accepts 2 to 100. */
export function inBatches<T>(items: readonly T[]): T[][] {
  const batches: T[][] = [];
  for (let at = 0; at < items.length; ) {
    const left = items.length - at;
    const size = left === MOST_PER_BATCH + 1 ? MOST_PER_BATCH - 1 : Math.min(left, MOST_PER_BATCH);
    batches.push(items.slice(at, at + size));
    at += size;
  }
  return batches;
}
