import type { Engine } from '#src/engine.ts';
import { type ActionRecord, getAction, type Progress } from './actions.ts';

const LOOK_EVERY_MS = 3_000;

interface Following {
  readonly guildId: string;
  readonly actionId: string;
  readonly requestId: string;
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Receives how far the action has got, whenever that is news. */
  readonly onProgress: (progress: Progress) => Promise<void>;
}

/** The action once it has ended. Null if `signal` fired first. */
export async function followAction(
  { db, waiters }: Engine,
  { guildId, actionId, requestId, signal, onProgress }: Following,
): Promise<ActionRecord | null> {
  const waiter = waiters.expect(requestId);
  let told = '';
  try {
    while (!signal.aborted) {
      const action = await getAction(db, guildId, actionId);
      if (action === null || (action.state !== 'running' && action.state !== 'pending')) return action;
      const news = JSON.stringify(action.progress);
      if (action.progress !== null && news !== told) await onProgress(action.progress);
      told = news;
      await waiter.within(LOOK_EVERY_MS);
    }
    return null;
  } finally {
    waiter.release();
  }
}
