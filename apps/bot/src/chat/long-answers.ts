import type { LongOperation, OutputOf, WriteOperation } from '@bailiff/core';
import type { ActionRecord, Progress } from '@bailiff/engine/calls/actions';
import { followAction } from '@bailiff/engine/calls/follow-action';
import { apiErrorOf, type StillRunning } from '@bailiff/engine/calls/write-call';
import { translator } from '@bailiff/messages';
import { type Answered, type Answering, languageOf } from './answering.ts';
import { showMeanwhile } from './deliver.ts';
import { GoesOn } from './explain.ts';
import { sayProgress, stopRow } from './stopping.ts';

/** Discord takes changes of an answer for 15 minutes. */
const ANSWER_LIVES_MS = 14 * 60_000;

/** The result of a write, and who stopped it before its end. */
export interface Written<N extends WriteOperation> {
  readonly body: OutputOf<N>;
  readonly stoppedBy: string | null;
}

/**
 * The result of an action that goes on. Until it has ended, the answer shows how far it has got.
 *
 * @throws ApiError if it failed, GoesOn if it takes longer than the answer can be changed
 */
export async function followToEnd<N extends WriteOperation>(
  { engine, log, closing }: Answering,
  interaction: Answered,
  { body: { action } }: StillRunning,
  requestId: string,
): Promise<Written<N>> {
  const t = translator(languageOf(interaction), 'chat');
  const operation = action.operation as LongOperation;
  const show = async (progress: Progress) => {
    const content = sayProgress(t, operation, progress);
    const components = [stopRow(t, action.id)];
    await showMeanwhile(interaction, { content, components }).catch((error: unknown) =>
      log.warn({ err: error, action_id: action.id }, 'progress was not shown'),
    );
  };
  if (action.progress !== null) await show(action.progress);
  const left = interaction.createdTimestamp + ANSWER_LIVES_MS - Date.now();
  const ended = await followAction(engine, {
    guildId: interaction.guildId,
    actionId: action.id,
    requestId,
    signal: AbortSignal.any([closing, AbortSignal.timeout(Math.max(0, left))]),
    onProgress: show,
  });
  if (ended === null) throw new GoesOn(t('long.later'));
  return { body: resultOf(ended) as OutputOf<N>, stoppedBy: ended.stoppedBy };
}

function resultOf({ state, result, error }: ActionRecord): object {
  if (state === 'done' && result !== null) return result;
  throw error === null ? new Error(`The action ended as ${state} without a reason`) : apiErrorOf(error);
}
