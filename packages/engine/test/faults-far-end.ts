import type { BotOperation } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import type { Action } from '#src/calls/actions.ts';
import type { Outcome } from '#src/calls/settle.ts';
import { banWire, openCase } from '#src/cases/cases.ts';
import { type FakePerformer, performersOf } from '#src/testing.ts';
import { performAction, recoverActions } from '#src/worker/perform-action.ts';

const NO_LOG = { info: () => {}, error: () => {} };

/** The place where the bot's actions take effect, and the worker that performs them. */
export interface FarEnd {
  /** Ids of the actions that took effect, each as often as it did. */
  readonly done: readonly string[];
  /** Performs every action that waits, as a worker would that starts now. */
  work(db: Database): Promise<void>;
  /** Settles what a worker left running, as another worker does once the lease has lapsed. */
  recover(db: Database): Promise<void>;
}

export function createFarEnd(): FarEnd {
  const done: string[] = [];
  const performer: FakePerformer = {
    perform: async (action) => {
      done.push(action.id);
      return asDone(action);
    },
    verify: async (action) =>
      done.includes(action.id)
        ? asDone(action)
        : { state: 'failed', error: { code: 'UPSTREAM_UNAVAILABLE', message: 'It did not happen.' } },
  };
  const performers = performersOf(performer);
  return {
    done,
    work: async (db) => {
      const { rows } = await db.pool.query<{ id: string }>("SELECT id FROM actions WHERE state = 'pending'");
      for (const { id } of rows) await performAction(db, performers, id, NO_LOG);
    },
    recover: async (db) => {
      await db.pool.query(
        "UPDATE actions SET lease_expires_at = now() - interval '1 second' WHERE state = 'running'",
      );
      await recoverActions(db, performers, NO_LOG);
    },
  };
}

/** Only bans leave a case here. For the others, the tests look at the action. */
function asDone(action: Action<BotOperation>): Outcome<never> {
  if (action.operation !== 'bans.add') return { state: 'done', write: async () => ({}) as never };
  const { input } = action;
  return {
    state: 'done',
    write: async (tx) => {
      const row = await openCase(tx, {
        guildId: action.guildId,
        kind: 'ban',
        userId: input.user_id,
        reason: input.reason,
        issuedBy: action.actor.userId,
        actionId: action.id,
      });
      return { ban: banWire(row) } as never;
    },
  };
}
