import { setTimeout as delay } from 'node:timers/promises';
import { entryOf, OPERATION_NAMES } from '@bailiff/core';
import { type Database, listen, sql } from '@bailiff/prisma';
import { z } from 'zod';
import type { Logger } from './log.ts';

/** An action that waits to be performed, as far as its turn needs (SQL `offer_action`). */
export const Offer = z.object({
  action_id: z.string(),
  guild_id: z.string(),
  operation: z.string(),
  person: z.string().nullable(),
  /** Absent if it was offered before an update. */
  is_system: z.boolean().default(false),
});
export type Offer = z.output<typeof Offer>;

export interface Offers {
  /** Resolves when no more offers are passed on. */
  stop(): Promise<void>;
}

const CHANNEL = 'bailiff_actions';
const LOOK_EVERY_MS = 2_000;
/** Those are jobs of the queue, which performs them one at a time over all processes. */
const QUEUED = OPERATION_NAMES.filter((operation) => entryOf(operation).oneAtATime !== undefined);

const waitingActions = sql.statement({
  parameters: [sql.arrayOf(sql.text)],
  columns: {
    action_id: sql.text,
    guild_id: sql.text,
    operation: sql.text,
    person: sql.text.orNull,
    is_system: sql.bool,
  },
  text: `SELECT id AS action_id, guild_id, operation, CASE WHEN target_type = 'user' THEN target_id END AS person,
      actor_source = 'system' AS is_system
    FROM actions WHERE state = 'pending' AND claim_by > clock_timestamp() AND operation <> ALL ($1)
    ORDER BY id LIMIT 500`,
});

/**
 * Passes on every action that waits to be performed: the database notifies all bots of it, and whoever claims it first
 * performs it. What nobody heard of is found by a look every two seconds, as after a start. An action may be passed on
 * more than once.
 *
 * @param settings.onSilence called when the database does not answer on a connection that stands
 */
export async function followOffers(
  { db, log, onSilence }: { readonly db: Database; readonly log: Logger; readonly onSilence: () => void },
  onOffer: (offer: Offer) => void,
): Promise<Offers> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const look = async () => {
    const waiting = await waitingActions.all(db.pool, [QUEUED]).catch((error: unknown) => {
      log.warn({ err: error }, 'could not look for actions that wait');
      return [];
    });
    if (!signal.aborted) for (const offer of waiting) onOffer(offer);
  };
  const listener = await listen(
    db.url,
    [CHANNEL],
    (_channel, payload) => {
      const offer = offerIn(payload);
      if (offer === null) log.warn({ payload }, 'a notification that is no action');
      else if (!signal.aborted) onOffer(offer);
    },
    {
      applicationName: 'bailiff bot offers',
      onError: (error) => log.warn({ err: error }, 'notifications of actions were interrupted'),
      onReconnect: () => void look(),
      onSilence,
    },
  );
  const looking = (async () => {
    while (!signal.aborted) {
      await look();
      await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all([looking, listener.close()]);
    },
  };
}

/** Null for what is no offer: the web process can send notifications too. */
function offerIn(payload: string): Offer | null {
  try {
    return Offer.parse(JSON.parse(payload));
  } catch {
    return null;
  }
}
