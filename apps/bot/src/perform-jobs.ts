import type { ActionError } from '@bailiff/engine/calls/actions';
import { cancelAction } from '@bailiff/engine/calls/settle';
import { DEADLINES } from '@bailiff/engine/engine';
import type { Tracer } from '@bailiff/engine/tracing/spans';
import { continueAction } from '@bailiff/engine/worker/continue-action';
import { MOST_OF_GUILD, SLOW_OPERATIONS } from '@bailiff/engine/worker/lanes';
import { performAction, type WorkerContext } from '@bailiff/engine/worker/perform-action';
import { z } from 'zod';
import { FairTurns, type Turn } from './fair-turns.ts';
import type { Logger } from './log.ts';
import type { BotMeter } from './metrics/bot-meter.ts';
import { Offer } from './offers.ts';

/** The tasks whose jobs are actions that somebody waits for. */
export interface PerformTasks {
  /** Performs the action when its guild's turn has come, and ends with it, so that the job's queue is free only then. */
  readonly perform_in_queue: (payload: unknown) => Promise<void>;
  /** Goes on with a long action for which nobody waits any more. */
  readonly continue_action: (payload: unknown) => Promise<void>;
}

const BOUNDS = { slots: 10, ofOwner: MOST_OF_GUILD, waitingOfOwner: 30 };

const ContinueJob = z.object({ action_id: z.string() });

const TOO_MANY: ActionError = {
  code: 'UPSTREAM_UNAVAILABLE',
  message:
    'Too many actions of this guild are waiting for the bot. It was cancelled and will not happen; try again.',
  status: 503,
  details: { upstream: 'bot', outcome: 'not_performed', retry_after_seconds: 5 },
};

/** How actions are performed. */
export interface Performing {
  /** Takes an action up, if that has not been done. It is performed when its guild's turn has come. */
  readonly offer: (offer: Offer) => void;
  readonly tasks: PerformTasks;
  /** Resolves when none of them runs or waits. */
  readonly idle: () => Promise<void>;
}

interface PerformingContext extends WorkerContext {
  readonly log: Logger;
  /** Absent if no metrics are kept. */
  readonly meter?: BotMeter | undefined;
  /** Absent if no traces are made. */
  readonly tracer?: Tracer | undefined;
}

export function performActions(context: PerformingContext): Performing {
  const { db, performers, log, closing, meter, tracer } = context;
  const turns = new FairTurns(BOUNDS);
  const taken = new Set<string>();
  const take = (job: Offer): { begun: () => boolean; finished: Promise<void> } => {
    let begun = false;
    const takenAt = performance.now();
    const finished = turns.run(turnOf(job), async () => {
      begun = true;
      const state = await performAction(db, performers, job.action_id, log, { closing, tracer });
      if (state !== null) meter?.action(job.operation, state, (performance.now() - takenAt) / 1000);
    });
    return {
      begun: () => begun,
      finished: finished ?? cancelAction(db.pool, job.action_id, TOO_MANY).then(() => {}),
    };
  };
  return {
    offer: (offer) => {
      if (taken.has(offer.action_id)) return;
      taken.add(offer.action_id);
      take(offer)
        .finished.catch((error: unknown) => log.error({ err: error }, 'an action could not be taken up'))
        .finally(() => taken.delete(offer.action_id));
    },
    tasks: {
      perform_in_queue: async (payload) => {
        const { begun, finished } = take(Offer.parse(payload));
        const waited = AbortSignal.timeout(DEADLINES.claimMs);
        await Promise.race([
          finished,
          new Promise<void>((resolve) => waited.addEventListener('abort', () => resolve())),
        ]);
        // Nobody can claim it any more, unless it has been claimed.
        if (begun()) await finished;
        else finished.catch(() => {});
      },
      continue_action: (payload) => continueAction(context, ContinueJob.parse(payload).action_id),
    },
    idle: () => turns.idle(),
  };
}

function turnOf({ guild_id: guildId, operation, person, is_system: isSystem }: Offer): Turn {
  const awaited = isSystem ? 'system' : 'quick';
  return {
    guildId,
    lane: SLOW_OPERATIONS.includes(operation) ? 'slow' : awaited,
    target: person === null ? null : `${guildId}/${person}`,
  };
}
