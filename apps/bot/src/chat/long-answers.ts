import type { LongOperation, OutputOf, WriteOperation } from '@bailiff/core';
import type { ActionRecord, Progress } from '@bailiff/engine/calls/actions';
import { followAction } from '@bailiff/engine/calls/follow-action';
import { apiErrorOf, type StillRunning } from '@bailiff/engine/calls/write-call';
import { stopAction } from '@bailiff/engine/worker/long-actions';
import { type Translator, translator } from '@bailiff/messages';
import { type ButtonInteraction, ButtonStyle, ComponentType } from 'discord.js';
import { type Answerable, type Answering, languageOf, type Where } from './answering.ts';
import { acknowledge, deliver } from './deliver.ts';
import { InputProblem } from './read-input.ts';

/** Discord takes changes of an answer for 15 minutes. */
const ANSWER_LIVES_MS = 14 * 60_000;

const WORDS = {
  'messages.purge': (t, { done, of }) =>
    of === null || done === 0 ? t('long.purgeBegins') : t('long.purge', { done: String(done), of }),
  'tickets.close': (t, { done }) => t('long.transcript', { count: done }),
} satisfies Record<LongOperation, (t: Translator<'chat'>, progress: Progress) => string>;

/**
 * The result of an action that goes on. Until it has ended, the answer shows how far it has got.
 *
 * @throws ApiError if it failed, InputProblem if it takes longer than the answer can be changed
 */
export async function followToEnd<N extends WriteOperation>(
  { engine, log, closing }: Answering,
  interaction: Answerable | ButtonInteraction<Where>,
  { body: { action } }: StillRunning,
  requestId: string,
): Promise<OutputOf<N>> {
  const t = translator(languageOf(interaction), 'chat');
  const operation = action.operation as LongOperation;
  const show = async (progress: Progress) => {
    const content = WORDS[operation](t, progress);
    const components = [stopRow(t, action.id)];
    await deliver(interaction, { content, components, allowedMentions: { parse: [] } }).catch(
      (error: unknown) => log.warn({ err: error, action_id: action.id }, 'progress was not shown'),
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
  if (ended === null) throw new InputProblem(t('long.later'));
  return resultOf(ended) as OutputOf<N>;
}

const STOP = 'stop:';

function stopRow(t: Translator<'chat'>, actionId: string) {
  const button = {
    style: ButtonStyle.Secondary,
    label: t('long.stop'),
    custom_id: `${STOP}${actionId}`,
  } as const;
  return {
    type: ComponentType.ActionRow,
    components: [{ type: ComponentType.Button, ...button }],
  } as const;
}

/** The action that a button stops. Null for another button. */
export function actionOfStopButton(customId: string): string | null {
  return customId.startsWith(STOP) ? customId.slice(STOP.length) : null;
}

/** Stops an action of the person who pressed. The answer that follows it says how it ended. */
export async function pressedStop(
  { engine }: Pick<Answering, 'engine'>,
  interaction: ButtonInteraction<Where>,
  id: string,
): Promise<void> {
  await acknowledge(interaction, () => interaction.deferUpdate());
  await stopAction(engine.db.pool, { id, guildId: interaction.guildId, userId: interaction.user.id });
}

function resultOf({ state, result, error }: ActionRecord): object {
  if (state === 'done' && result !== null) return result;
  throw error === null ? new Error(`The action ended as ${state} without a reason`) : apiErrorOf(error);
}
