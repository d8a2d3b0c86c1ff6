import type { OutputOf } from '@bailiff/core';
import type { Action, ActionRecord } from '@bailiff/engine/calls/actions';
import type { Outcome } from '@bailiff/engine/calls/settle';
import type { ClaimedAction, Performer } from '@bailiff/engine/worker/perform-action';
import { sql } from '@bailiff/prisma';
import { type APIMessage, RESTJSONErrorCodes as Code, Routes } from 'discord.js';
import { DiscordFailure } from '#src/discord-api.ts';
import { discordFailed } from '#src/discord-errors.ts';
import { type ArchivedMessage, archived } from './archived-message.ts';
import { reasonOf } from './audit-log.ts';
import { isAnsweredByDiscord, outcomeUnknown } from './carry-out.ts';
import type { PerformerDeps } from './deps.ts';
import { actorName } from './members.ts';
import { purgeFailure, purgeRefusal } from './purge-access.ts';
import { inBatches, type Selection, selectMessages } from './purge-selection.ts';

type Purge = Action<'messages.purge'>;
type PurgeOutcome = Outcome<OutputOf<'messages.purge'>>;
type Counts = OutputOf<'messages.purge'>['purge'];

/** Time of an action that is reserved for the last check and the settlement. */
const RESERVE_MS = 1_500;

/**
 * Deletes messages with Discord's bulk delete and archives them (decisions: Operations). The archive is written before
 * the first deletion, so that a crash loses nothing. When the action is settled, it is corrected to what was really
 * deleted.
 */
export function purgeMessages(deps: PerformerDeps): Performer<'messages.purge'> {
  return {
    perform: async (action, signal) => {
      try {
        return await purge(deps, action, signal);
      } catch (error) {
        if (!(error instanceof DiscordFailure)) throw error;
        // Only a refusal of the reads or of the first deletion ends here: nothing was deleted.
        return { state: 'failed', error: purgeFailure(error, action.input.channel_id) };
      }
    },
    verify: (action, signal) => verify(deps, action, signal),
  };
}

async function purge(
  deps: PerformerDeps,
  action: ClaimedAction<'messages.purge'>,
  signal: AbortSignal,
): Promise<PurgeOutcome> {
  const { input } = action;
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(Math.max(0, action.remainingMs - RESERVE_MS))]);
  const [refusal, name] = await Promise.all([purgeRefusal(deps, action, inTime), actorName(deps, action)]);
  if (refusal !== null) return { state: 'failed', error: refusal };
  const selection = await selectMessages(deps.api, input, inTime);
  if (selection.messages.length === 0) return doneWith(action, selection, null, new Set());

  const archiveId = await writeArchive(deps, action, input.channel_id, selection.messages);
  const deleted = new Set<string>();
  const reason = reasonOf(action, name, input.reason ?? null);
  for (const batch of inBatches(selection.messages.map(({ id }) => id))) {
    try {
      const gone = await deletedOf(deps, input.channel_id, batch, reason, { inTime, signal });
      if (gone === null) return outcomeUnknown(action);
      for (const id of gone) deleted.add(id);
    } catch (error) {
      if (!(error instanceof DiscordFailure)) throw error;
      if (deleted.size === 0) {
        await dropArchive(deps, archiveId);
        throw error;
      }
      // Some messages are already deleted, so the answer says how many.
      break;
    }
  }
  return doneWith(action, selection, archiveId, deleted);
}

/**
 * Deletes messages, once, and checks the result if the answer was lost. Returns the deleted ones, or null if that is
 * not certain.
 *
 * @throws DiscordFailure if none of them was deleted
 */
async function deletedOf(
  deps: PerformerDeps,
  channelId: string,
  ids: readonly string[],
  reason: string,
  { inTime, signal }: { inTime: AbortSignal; signal: AbortSignal },
): Promise<readonly string[] | null> {
  try {
    await deleteBatch(deps, channelId, ids, reason, inTime);
    return ids;
  } catch (error) {
    if (!(error instanceof DiscordFailure) || error.kind !== 'unclear') throw error;
    const gone = await goneOf(deps, channelId, ids, signal).catch(() => null);
    if (gone?.length === 0 && isAnsweredByDiscord(error)) throw error;
    return gone?.length === ids.length ? gone : null;
  }
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
      // Another person deleted it meanwhile.
      if (!(error instanceof DiscordFailure && error.code === Code.UnknownMessage)) throw error;
    });
}

/** Those of these adjacent messages that no longer exist. */
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

const insertArchive = sql.statement({
  parameters: [sql.text, sql.text, sql.text, sql.jsonb<readonly ArchivedMessage[]>()],
  columns: { id: sql.text },
  text: `INSERT INTO message_archives (guild_id, action_id, channel_id, messages, expires_at)
    VALUES ($1, $2, $3, $4, clock_timestamp() + interval '30 days') RETURNING id`,
});

async function writeArchive(
  { db }: PerformerDeps,
  action: ActionRecord,
  channelId: string,
  messages: readonly APIMessage[],
): Promise<string> {
  const values = [action.guildId, action.id, channelId, messages.map(archived)] as const;
  const { id } = await insertArchive.only(db.pool, values);
  return id;
}

async function dropArchive({ db }: PerformerDeps, archiveId: string): Promise<void> {
  await db.prisma.messageArchive.deleteMany({ where: { id: archiveId } });
}

const keepInArchive = sql.command({
  parameters: [sql.text, sql.arrayOf(sql.text)],
  text: `UPDATE message_archives SET messages = (
      SELECT coalesce(jsonb_agg(message), '[]') FROM jsonb_array_elements(messages) AS message
      WHERE message->>'id' = ANY ($2))
    WHERE id = $1`,
});

function doneWith(
  action: Purge,
  selection: Pick<Selection, 'skippedPinned' | 'skippedTooOld'>,
  archiveId: string | null,
  deleted: ReadonlySet<string>,
): PurgeOutcome {
  return {
    state: 'done',
    write: async (tx) => {
      if (archiveId !== null) await keepInArchive.run(tx, [archiveId, [...deleted]]);
      const purge: Counts = {
        requested: action.input.count,
        deleted: deleted.size,
        skipped_pinned: selection.skippedPinned,
        skipped_too_old: selection.skippedTooOld,
        archive_id: deleted.size === 0 ? null : archiveId,
      };
      return { purge };
    },
  };
}

const archiveOfAction = sql.statement({
  parameters: [sql.text],
  columns: { id: sql.text, channel_id: sql.text, messages: sql.jsonb<ArchivedMessage[]>() },
  text: 'SELECT id, channel_id, messages FROM message_archives WHERE action_id = $1',
});

/** Checks which of the archived messages are deleted. */
async function verify(deps: PerformerDeps, action: Purge, signal: AbortSignal): Promise<PurgeOutcome> {
  const archive = await archiveOfAction.first(deps.db.pool, [action.id]);
  if (archive === null) {
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
