import {
  type Call,
  isBotOperation,
  isWriteOperation,
  type OutputOf,
  type StoreOperation,
  type WriteOperation,
} from '@bailiff/core';
import { refuseAppeal, voteOnAppeal } from '#src/appeals/appeals.ts';
import { attachToCase } from '#src/cases/attaching.ts';
import { type CaseRow, endCase, lockCase, openCase, strikeWire, warningWire } from '#src/cases/cases.ts';
import { changeStrike, editCase } from '#src/cases/changes.ts';
import { escalate } from '#src/cases/escalation.ts';
import { linkCases, unlinkCases } from '#src/cases/links.ts';
import { addNote, removeNote } from '#src/cases/notes.ts';
import type { Transaction } from '#src/database/transaction.ts';
import { addReport, claimReport, closeReport } from '#src/reports/reports.ts';
import { addIdentity, identityOfStrike, removeIdentity } from '#src/servers/identities.ts';
import { askLink, confirmLink } from '#src/servers/identity-links.ts';
import { askToClose } from '#src/tickets/close-questions.ts';
import { addTicketNote, removeTicketNote } from '#src/tickets/ticket-notes.ts';
import { assignTicket, claimTicket, unclaimTicket } from '#src/tickets/tickets.ts';
import { forbidden, notFound } from './action-errors.ts';
import type { Outcome } from './settle.ts';
import { stopAction } from './stop-action.ts';
import { actorUserId, type WriteCall } from './submit.ts';
import { strikeRefusal } from './target-refusals.ts';

/** Writes that take effect in the database only. */
export type StoreWrite = Extract<WriteOperation, StoreOperation>;

export type StorePerformer<N extends StoreWrite> = (
  tx: Transaction,
  call: WriteCall<N>,
) => Promise<Outcome<OutputOf<N>>>;

/**
 * How each of them is performed, inside the transaction that records it. Each one reads first, before it is known
 * whether the call is admitted. Only its outcome's `write` changes anything.
 */
const storePerformers: { readonly [N in StoreWrite]: StorePerformer<N> } = {
  'strikes.add': async (tx, call) => {
    const { input } = call;
    const reason = await strikeRefusal(tx, call.guildId, actorUserId(call.actor), input.user_id);
    if (reason !== null) return { state: 'failed', error: forbidden(reason) };
    const identity = await identityOfStrike(tx, call);
    return {
      state: 'done',
      write: async (_tx, actionId) => {
        if (identity?.state === 'done') await identity.write(tx, actionId);
        const row = await openCase(tx, {
          guildId: call.guildId,
          kind: 'strike',
          userId: input.user_id,
          reason: input.reason,
          issuedBy: actorUserId(call.actor),
          actionId,
          severity: input.severity,
          category: input.category,
          playerName: input.player_name,
          inGameId: input.in_game_id,
        });
        // A strike by a token escalates to nothing (decisions: Escalation).
        if (call.actor.source !== 'token') await escalate(tx, row, call.foreseen);
        return strikeAdded(row);
      },
    };
  },

  'strikes.change': changeStrike,

  'strikes.remove': (tx, call) =>
    removeCase(tx, call, { kind: 'strike', id: call.input.strikeId, reason: call.input.reason }, (row) => ({
      strike: strikeWire(row),
    })),

  'warnings.add': async (tx, call) => {
    const { input } = call;
    const issuedBy = actorUserId(call.actor);
    const reason = await strikeRefusal(tx, call.guildId, issuedBy, input.user_id);
    if (reason !== null) return { state: 'failed', error: forbidden(reason) };
    return {
      state: 'done',
      write: async (_tx, actionId) => {
        const row = await openCase(tx, {
          guildId: call.guildId,
          kind: 'warning',
          userId: input.user_id,
          reason: input.reason,
          issuedBy,
          actionId,
          category: input.category,
        });
        return { warning: warningWire(row) };
      },
    };
  },

  'warnings.remove': (tx, call) =>
    removeCase(tx, call, { kind: 'warning', id: call.input.warningId, reason: call.input.reason }, (row) => ({
      warning: warningWire(row),
    })),

  'cases.edit': editCase,
  'cases.attach': attachToCase,
  'cases.link': linkCases,
  'cases.unlink': unlinkCases,

  'notes.add': addNote,
  'notes.remove': removeNote,

  'identities.add': addIdentity,
  'identities.remove': removeIdentity,
  'identities.link': askLink,
  'identities.confirm': confirmLink,

  'tickets.claim': claimTicket,
  'tickets.assign': assignTicket,
  'tickets.unclaim': unclaimTicket,
  'tickets.ask': askToClose,
  'tickets.note': addTicketNote,
  'tickets.unnote': removeTicketNote,

  'appeals.vote': voteOnAppeal,
  'appeals.refuse': refuseAppeal,
  'reports.add': addReport,
  'reports.claim': claimReport,
  'reports.close': closeReport,

  'actions.stop': stopAction,
};

/** Performs a call with the performer of its operation. */
export function performStored<N extends StoreWrite>(
  tx: Transaction,
  call: WriteCall<N>,
): Promise<Outcome<OutputOf<N>>> {
  return storePerformers[call.operation](tx, call);
}

/** Whether a call is a write. */
export function isWrite<Made extends Call>(call: Made): call is Made & Call<WriteOperation> {
  return isWriteOperation(call.operation);
}

/** Whether a call takes effect in the database only. */
export function isStoreWrite<Made extends Call<WriteOperation>>(call: Made): call is Made & Call<StoreWrite> {
  return !isBotOperation(call.operation);
}

/** Removes a case that is in force. Nobody removes their own. */
async function removeCase<Output extends object>(
  tx: Transaction,
  { guildId, actor }: Pick<WriteCall, 'guildId' | 'actor'>,
  { kind, id, reason }: { kind: 'strike' | 'warning'; id: string; reason: string | undefined },
  answer: (row: CaseRow) => Output,
): Promise<Outcome<Output>> {
  const endedBy = actorUserId(actor);
  const found = await lockCase(tx, guildId, kind, id);
  if (found === null) return { state: 'failed', error: notFound(kind, id) };
  if (found.user_id === endedBy) return { state: 'failed', error: forbidden('TARGET_IS_SELF') };
  return {
    state: 'done',
    write: async (_tx, actionId) =>
      answer(await endCase(tx, id, { endedBy, endReason: reason ?? null, actionId })),
  };
}

/** Both shapes that the specification gives, combined (decisions: Operations). */
function strikeAdded(row: CaseRow) {
  const strike = strikeWire(row);
  return {
    strike,
    strike_id: strike.id,
    user_id: strike.user_id,
    severity: strike.severity,
    issued_by: strike.issued_by,
    issued_at: strike.issued_at,
  };
}
