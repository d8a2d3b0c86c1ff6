import type { Engine } from '@bailiff/engine/engine';
import { z } from 'zod';
import { askOpener, closeDueTicket } from './closing-questions.ts';
import type { PerformerDeps } from './performers/deps.ts';
import { announceAssignment } from './ticket-announcements.ts';
import { askFeedback } from './ticket-feedback.ts';
import { sendTranscript } from './ticket-transcripts.ts';

const JOB_TIMEOUT_MS = 8_000;
/** An action takes at most nine seconds before it goes on by itself. */
const CLOSE_TIMEOUT_MS = 15_000;

/** The file has megabytes at most. */
const SEND_TIMEOUT_MS = 30_000;

const TicketJob = z.object({ ticket_id: z.string() });

/** The jobs about tickets. */
export function ticketTasks(engine: Engine, deps: PerformerDeps) {
  const ticketIn = (payload: unknown) => TicketJob.parse(payload).ticket_id;
  return {
    announce_assignment: (payload: unknown) =>
      announceAssignment(deps, ticketIn(payload), AbortSignal.timeout(JOB_TIMEOUT_MS)),
    ask_opener: (payload: unknown) => askOpener(deps, ticketIn(payload), AbortSignal.timeout(JOB_TIMEOUT_MS)),
    send_transcript: (payload: unknown) =>
      sendTranscript(deps, ticketIn(payload), AbortSignal.timeout(SEND_TIMEOUT_MS)),
    ask_feedback: (payload: unknown) =>
      askFeedback(deps, ticketIn(payload), AbortSignal.timeout(JOB_TIMEOUT_MS)),
    close_due_ticket: (payload: unknown) =>
      closeDueTicket({ engine, deps }, ticketIn(payload), AbortSignal.timeout(CLOSE_TIMEOUT_MS)),
  };
}
