import type { InputOf, OutputOf } from '@bailiff/core';
import {
  type Action,
  type ActionError,
  type ClaimedAction,
  forbidden,
  notFound,
  type Outcome,
  only,
  type Performer,
} from '@bailiff/engine';
import { type APIChannel, type APIMessage, RESTJSONErrorCodes as Code, Routes } from 'discord.js';
import { DiscordFailure } from '../discord-api.ts';
import { reasonOf } from './audit-log.ts';
import { discordFailed, outcomeUnknown, usualRefusal } from './carry-out.ts';
import type { PerformerDeps } from './deps.ts';
import { actorName, readScene } from './members.ts';
import { inBatches, type Selection, selectMessages } from './purge-selection.ts';

type Input = InputOf<'messages.purge'>;
type Counts = OutputOf<'messages.purge'>['purge'];

/** A message as the archive keeps it. */
interface ArchivedMessage {
  id: string;
  author_id: string;
  author_name: string;
  sent_at: string;
  text: string;
  attachments: string[];
}

/** Of an action's time, kept for the last look and the settling. */
const RESERVE_MS = 1_500;

/**
 * Deletes by Discord's bulk delete and archives what it deletes (decisions: Operations). The archive is written before
 * the first deletion, so that a crash loses nothing, and corrected to what was really deleted when the action is settled.
 */
export function purgeMessages(deps: PerformerDeps): Performer {
  return {
    perform: async (action, signal) => {
      try {
        return await purge(deps, action, signal);
      } catch (error) {
        if (!(error instanceof DiscordFailure)) throw error;
        // Only reading and the first deletion, when refused, end here: nothing was deleted.
        return { state: 'failed', error: channelRefusal(error, action) };
      }
    },
    verify: (action, signal) => verify(deps, action, signal),
  };
}

async function purge(deps: PerformerDeps, action: ClaimedAction, signal: AbortSignal): Promise<Outcome> {
  const input = action.input as Input;
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(Math.max(0, action.remainingMs - RESERVE_MS))]);
  const flaw = await flawOf(deps, action, input, inTime);
  if ('error' in flaw) return { state: 'failed', error: flaw.error };
  const selection = await selectMessages(deps.api, input, inTime);
  if (selection.messages.length === 0) return doneWith(action, selection, null, new Set());

  const archiveId = await writeArchive(deps, action, input.channel_id, selection.messages);
  const deleted = new Set<string>();
  const reason = reasonOf(action, flaw.name, input.reason ?? null);
  for (const batch of inBatches(selection.messages.map(({ id }) => id))) {
    try {
      await deleteBatch(deps, input.channel_id, batch, reason, inTime);
      for (const id of batch) deleted.add(id);
    } catch (error) {
      if (!(error instanceof DiscordFailure)) throw error;
      if (error.kind === 'unclear') {
        const gone = await goneOf(deps, input.channel_id, batch, signal).catch(() => null);
        if (gone === null || gone.length < batch.length) return outcomeUnknown(action);
        for (const id of gone) deleted.add(id);
      } else if (deleted.size === 0) {
        await dropArchive(deps, archiveId);
        throw error;
      }
      // What is done is done: the answer says how many were deleted.
      break;
    }
  }
  return doneWith(action, selection, archiveId, deleted);
}

/** Why the purge may not be done, or under whose name it is. */
async function flawOf(
  deps: PerformerDeps,
  action: Action,
  input: Input,
  signal: AbortSignal,
): Promise<{ error: ActionError } | { name: string }> {
  const channel = await deps.api.get<APIChannel>(Routes.channel(input.channel_id), { signal });
  // A channel of another guild is none of this one's.
  if (!('guild_id' in channel) || channel.guild_id !== action.guildId) {
    return { error: notFound('channel', input.channel_id) };
  }
  const scene = await readScene(deps, action, action.actor.userId, signal);
  return { name: actorName(action, scene) };
}

function channelRefusal(failure: DiscordFailure, action: Action): ActionError {
  const { channel_id } = action.input as Input;
  if (failure.code === Code.UnknownChannel) return notFound('channel', channel_id);
  if (failure.code === Code.MissingAccess) return forbidden('BOT_MISSING_PERMISSION');
  return usualRefusal(failure);
}

async function deleteBatch(
  { api }: PerformerDeps,
  channelId: string,
  ids: readonly string[],
  reason: string,
  signal: AbortSignal,
): Promise<void> {
  const [first = ''] = ids;
  if (ids.length > 1) {
    await api.send('POST', Routes.channelBulkDelete(channelId), { signal, reason, body: { messages: ids } });
    return;
  }
  await api
    .send('DELETE', Routes.channelMessage(channelId, first), { signal, reason })
    .catch((error: unknown) => {
      // Somebody else was faster.
      if (!(error instanceof DiscordFailure && error.code === Code.UnknownMessage)) throw error;
    });
}

/** Which of these messages, neighbours in their channel, are not there any more. */
async function goneOf(
  { api }: PerformerDeps,
  channelId: string,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const left = new Set(ids);
  const newest = [...left].reduce((a, b) => (BigInt(a) > BigInt(b) ? a : b));
  const oldest = [...left].reduce((a, b) => (BigInt(a) < BigInt(b) ? a : b));
  const there = new Set<string>();
  for (let before = String(BigInt(newest) + 1n); BigInt(before) > BigInt(oldest); ) {
    const page = await api.get<APIMessage[]>(Routes.channelMessages(channelId), {
      signal,
      query: { limit: '100', before },
    });
    for (const { id } of page) there.add(id);
    const last = page.at(-1);
    if (last === undefined) break;
    before = last.id;
  }
  return ids.filter((id) => !there.has(id));
}

async function writeArchive(
  { db }: PerformerDeps,
  action: Action,
  channelId: string,
  messages: readonly APIMessage[],
): Promise<string> {
  const { rows } = await db.pool.query<{ id: string }>(
    `INSERT INTO message_archives (guild_id, action_id, channel_id, messages, expires_at)
     VALUES ($1, $2, $3, $4, clock_timestamp() + interval '30 days') RETURNING id`,
    [action.guildId, action.id, channelId, JSON.stringify(messages.map(archived))],
  );
  return only(rows).id;
}

async function dropArchive({ db }: PerformerDeps, archiveId: string): Promise<void> {
  await db.pool.query('DELETE FROM message_archives WHERE id = $1', [archiveId]);
}

function archived(message: APIMessage): ArchivedMessage {
  return {
    id: message.id,
    author_id: message.author.id,
    author_name: message.author.username,
    sent_at: message.timestamp,
    text: storable(message.content),
    attachments: message.attachments.map(({ filename }) => storable(filename)),
  };
}

/** PostgreSQL holds neither U+0000 nor half a character. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd');
}

function doneWith(
  action: Action,
  selection: Pick<Selection, 'skippedPinned' | 'skippedTooOld'>,
  archiveId: string | null,
  deleted: ReadonlySet<string>,
): Outcome {
  return {
    state: 'done',
    write: async (tx) => {
      if (archiveId !== null) {
        await tx.query(
          `UPDATE message_archives SET messages = (
             SELECT coalesce(jsonb_agg(message), '[]') FROM jsonb_array_elements(messages) AS message
             WHERE message->>'id' = ANY ($2)) WHERE id = $1`,
          [archiveId, [...deleted]],
        );
      }
      const purge: Counts = {
        requested: (action.input as Input).count,
        deleted: deleted.size,
        skipped_pinned: selection.skippedPinned,
        skipped_too_old: selection.skippedTooOld,
        archive_id: deleted.size === 0 ? null : archiveId,
      };
      return { purge };
    },
  };
}

/** Looks which of the messages that were archived for deletion are gone. */
async function verify(deps: PerformerDeps, action: Action, signal: AbortSignal): Promise<Outcome> {
  const { rows } = await deps.db.pool.query<{ id: string; channel_id: string; messages: ArchivedMessage[] }>(
    'SELECT id, channel_id, messages FROM message_archives WHERE action_id = $1',
    [action.id],
  );
  const [archive] = rows;
  if (archive === undefined) {
    return { state: 'failed', error: discordFailed('The purge ended before it deleted anything.') };
  }
  const ids = archive.messages.map(({ id }) => id);
  try {
    const gone = await goneOf(deps, archive.channel_id, ids, signal);
    if (gone.length === 0) {
      await dropArchive(deps, archive.id);
      return {
        state: 'failed',
        error: discordFailed('Its messages are all still there: nothing was deleted.'),
      };
    }
    return doneWith(action, { skippedPinned: 0, skippedTooOld: 0 }, archive.id, new Set(gone));
  } catch (error) {
    if (error instanceof DiscordFailure) return outcomeUnknown(action);
    throw error;
  }
}
