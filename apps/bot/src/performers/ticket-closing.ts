import { forbidden, notFound } from '@bailiff/engine/calls/action-errors';
import type { Action } from '@bailiff/engine/calls/actions';
import type { Outcome } from '@bailiff/engine/calls/settle';
import { endQuestionIfObjected, isStillAsked } from '@bailiff/engine/tickets/close-questions';
import { feedbackJob } from '@bailiff/engine/tickets/feedback';
import { transcriptJob } from '@bailiff/engine/tickets/shared-transcripts';
import { closeTicket, lockTicket, TICKET, TICKET_COLUMNS, ticketWire } from '@bailiff/engine/tickets/tickets';
import type { LongPerformer, Run } from '@bailiff/engine/worker/long-actions';
import { sql } from '@bailiff/prisma';
import { type APIGuildChannel, Routes } from 'discord.js';
import { DiscordFailure } from '#src/discord-api.ts';
import { discordFailed, usualRefusal } from '#src/discord-errors.ts';
import { waited } from '#src/rate-limits.ts';
import { dropPages, keptPages } from './action-pages.ts';
import type { ArchivedMessage } from './archived-message.ts';
import { reasonOf } from './audit-log.ts';
import { isAnsweredByDiscord, isSettledByTime, logFailure, outcomeUnknown, Refusal } from './carry-out.ts';
import type { PerformerDeps } from './deps.ts';
import { hasToWait, isOver, mayPass, waitedForLimit, waitsOf } from './long-requests.ts';
import { actorName } from './members.ts';
import { readTranscript, type Transcript, UNREAD, unlessGone } from './ticket-reading.ts';
import { channelRefusal } from './tickets.ts';

type Close = Action<'tickets.close'>;
type CloseOutcome = Outcome<{ ticket: ReturnType<typeof ticketWire> }>;
type Step = CloseOutcome | 'unfinished';

const PAUSE_MS = 5_000;
/**
 * How much of a conversation is stored, in characters of JSON: that is one statement, which has some seconds, and the
 * channel is gone by then. Of a longer one the oldest messages are left out.
 */
const LONGEST_TRANSCRIPT = 8 * 1024 * 1024;
/** How long the deletion waits for Discord's limits before what was written meanwhile is read. */
const LONGEST_WAIT_MS = 1_000;

/**
 * Reads a ticket's transcript, deletes its channel once nothing is missing, and closes the ticket. Every page is stored
 * when it is read, so that a crash loses nothing.
 */
export function closeTicketChannel(deps: PerformerDeps): LongPerformer<'tickets.close'> {
  return {
    work: async (action, run) => {
      const step = await close(deps, action, run).catch((error: unknown) => {
        if (!(error instanceof DiscordFailure)) throw error;
        logFailure(deps.log, action, error, 'an action was not performed');
        return failed(action, channelRefusal(error) ?? usualRefusal(error));
      });
      const hasFailed = step !== 'unfinished' && step.state === 'failed';
      if (!hasFailed || !(await savedOf(deps, action)).isDeleting) return step;
      // A deletion may have arrived, or do so later. Then what was read is all that is left of the conversation.
      return look(deps, action, run.signal).catch((error: unknown) => {
        if (!(error instanceof DiscordFailure)) throw error;
        return outcomeUnknown(action);
      });
    },
    verify: (action, signal) => look(deps, action, signal),
  };
}

/** Checks whether the channel is gone. */
async function look(deps: PerformerDeps, action: Close, signal: AbortSignal): Promise<CloseOutcome> {
  const ticket = await findTicket(deps, action);
  const channelId = ticket?.channel_id ?? null;
  const isThere = channelId !== null && (await hasChannel(deps, channelId, { signal }));
  const read = await savedOf(deps, action);
  if (!isThere) return closed(action, channelId, { ...read, isGone: channelId !== null });
  if (!(await isSettledByTime(deps.db, action.id))) return outcomeUnknown(action);
  return failed(action, discordFailed('The channel was looked for, and it had not been deleted.'));
}

async function close(deps: PerformerDeps, action: Close, run: Run): Promise<Step> {
  const id = action.input.ticket_id;
  const ticket = await findTicket(deps, action);
  if (ticket === null) return { state: 'failed', error: notFound('ticket', id) };
  if (ticket.status === 'closed') {
    const message = `Ticket #${ticket.number} is closed already.`;
    return { state: 'failed', error: { code: 'NOT_FOUND', message } };
  }
  if (ticket.is_closing) return failed(action, forbidden('STILL_RUNNING'));
  const { channel_id: channelId } = ticket;
  // What was saved is what this function saved.
  let transcript = (run.saved as Transcript | null) ?? UNREAD;
  if (channelId === null) return closed(action, channelId, transcript);
  if (run.stop !== null) return failed(action, run.stop);
  for (;;) {
    const read = await readTranscript(deps, action, run, channelId, transcript);
    if (read === 'unfinished') return read;
    if (read instanceof Refusal) return failed(action, read.error);
    if (read.isGone) return closed(action, channelId, read);
    if (run.stop !== null) return failed(action, run.stop);
    transcript = { ...read, isDeleting: true };
    await run.save(transcript, { done: transcript.count, of: null });
    // Until a try may have reached Discord, the ticket can be kept open, and a channel that is gone is a loss.
    const unsent = () => {
      transcript = read;
      return run.save(transcript, { done: transcript.count, of: null });
    };
    // Somebody may have stopped it while the last page was read.
    if (run.stop !== null) {
      await unsent();
      return failed(action, run.stop);
    }
    // The opener may have kept the ticket open, or have written since they were asked.
    const isWithdrawn = action.actor.source === 'system' && !(await isStillAsked(deps.db, id, action.id));
    if (isWithdrawn) {
      await unsent();
      return failed(action, notFound('due_change', id));
    }
    if (isOver(run)) {
      await unsent();
      return 'unfinished';
    }
    const deleted = await deleteChannel(deps, action, run, channelId, unsent);
    if (deleted === 'unfinished') return deleted;
    // People can write until it is gone.
    if (deleted !== 'again') return deleted ? closed(action, channelId, transcript) : outcomeUnknown(action);
  }
}

const savedWork = sql.statement({
  parameters: [sql.text],
  columns: { work: sql.jsonb<Transcript>().orNull },
  text: 'SELECT work FROM actions WHERE id = $1',
});

async function savedOf({ db }: PerformerDeps, action: Close): Promise<Transcript> {
  return (await savedWork.only(db.pool, [action.id])).work ?? UNREAD;
}

/**
 * Deletes the channel. True if it is gone, false if that is not known. Deleting it twice is the same as once, so it is
 * tried again where no caller waits, and wherever Discord's limits are the reason.
 *
 * @param unsent is called when Discord has certainly not taken it, before it is tried again or given up
 */
async function deleteChannel(
  deps: PerformerDeps,
  action: Close,
  run: Run,
  channelId: string,
  unsent: () => Promise<void>,
): Promise<boolean | 'again' | 'unfinished'> {
  const reason = reasonOf(action, await actorName(deps, action), action.input.reason ?? null);
  const waits = { ...waitsOf(run), longestWaitMs: LONGEST_WAIT_MS };
  try {
    await deps.api.send('DELETE', Routes.channel(channelId), { ...waits, reason }).catch(unlessGone);
    return true;
  } catch (error) {
    if (error instanceof DiscordFailure && error.kind !== 'unclear') await unsent();
    if (hasToWait(error)) return (await waitedForLimit(run, error.retryAfterMs)) ? 'again' : 'unfinished';
    if (!mayPass(error)) throw error;
    if (run.deadline !== null) {
      if (error.kind === 'not_sent') throw error;
      logFailure(deps.log, action, error, 'a deletion has no certain answer; looking whether it happened');
      const isThere = await hasChannel(deps, channelId, { signal: run.deadline }).catch(() => null);
      if (isThere !== true || !isAnsweredByDiscord(error)) return isThere === false;
      await unsent();
      throw error;
    }
    return (await waited(PAUSE_MS, run.signal)) ? 'again' : 'unfinished';
  }
}

async function hasChannel(
  { api }: PerformerDeps,
  channelId: string,
  options: { signal: AbortSignal },
): Promise<boolean> {
  return (await api.get<APIGuildChannel>(Routes.channel(channelId), options).catch(unlessGone)) !== null;
}

/** Adds to what was kept when it was closed before. Who answered first is not known if messages are or were missing. */
const addTranscript = sql.command({
  parameters: [sql.text, sql.jsonb<readonly ArchivedMessage[]>(), sql.bool],
  text: `UPDATE tickets SET is_cut = is_cut OR $3,
      transcript = CASE WHEN $2::jsonb = '[]' THEN transcript ELSE coalesce(transcript, '[]') || $2 END,
      answered_at = coalesce(answered_at, CASE WHEN NOT (is_cut OR $3) THEN (
        SELECT min((m->>'sent_at')::timestamptz) FROM jsonb_array_elements($2) AS m
        WHERE m->>'author_id' <> opened_by AND NOT (m->>'author_is_bot')::boolean) END)
    WHERE id = $1`,
});

function closed(action: Close, channelId: string | null, transcript: Transcript): CloseOutcome {
  const { ticket_id: id, reason } = action.input;
  const { hasThreads, hasMore, isDeleting, isGone } = transcript;
  const isCut = hasThreads || (isGone && (hasMore || !isDeleting));
  return {
    state: 'done',
    write: async (tx) => {
      const read = await keptPages<ArchivedMessage>(tx, action.id);
      const messages = newestOf(read);
      await dropPages(tx, action.id);
      const ticket = await lockTicket(tx, action.guildId, id);
      // Somebody else has closed it meanwhile, and perhaps it was opened again since: they stored what was written.
      if (ticket !== null && (ticket.status === 'closed' || ticket.channel_id !== channelId))
        return { ticket: ticketWire(ticket) };
      await addTranscript.run(tx, [id, messages.toReversed(), isCut || messages.length < read.length]);
      const row = await closeTicket(tx, { id, closedBy: action.actor.userId, reason: reason ?? null });
      await transcriptJob.soon(tx, id);
      await feedbackJob.soon(tx, id);
      return { ticket: ticketWire(row) };
    },
  };
}

/** The newest messages, of which the newest is the first, that fit into a transcript. */
function newestOf(messages: readonly ArchivedMessage[]): readonly ArchivedMessage[] {
  let length = 0;
  const tooMany = messages.findIndex((message) => {
    length += JSON.stringify(message).length;
    return length > LONGEST_TRANSCRIPT;
  });
  return tooMany === -1 ? messages : messages.slice(0, tooMany);
}

/** What was read is kept until the failure is on record: whoever goes on without that record needs it. */
function failed(action: Close, error: Extract<CloseOutcome, { state: 'failed' }>['error']): CloseOutcome {
  return {
    state: 'failed',
    error,
    write: async (tx) => {
      await endQuestionIfObjected(tx, action.input.ticket_id, action.id);
      await dropPages(tx, action.id);
    },
  };
}

// Where two close it at once, the one that was claimed first goes on. While nobody knows whether that one has deleted the
// channel, only it has what was written there.
const ticketOfGuild = sql.statement({
  parameters: [sql.text, sql.text, sql.text],
  columns: { ...TICKET, is_closing: sql.bool },
  text: `SELECT ${TICKET_COLUMNS}, EXISTS (
      SELECT FROM actions a JOIN actions own ON own.id = $3 AND (a.claimed_at, a.id) < (own.claimed_at, own.id)
      WHERE a.guild_id = $2 AND a.operation = 'tickets.close' AND a.target_id = $1
        AND a.state IN ('running', 'unknown') AND a.looked_at IS DISTINCT FROM 'infinity') AS is_closing
    FROM tickets WHERE id = $1 AND guild_id = $2`,
});

function findTicket({ db }: PerformerDeps, action: Close) {
  return ticketOfGuild.first(db.pool, [action.input.ticket_id, action.guildId, action.id]);
}
