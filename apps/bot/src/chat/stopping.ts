import type { LongOperation } from '@bailiff/core';
import type { Progress } from '@bailiff/engine/calls/actions';
import { authorizePerson } from '@bailiff/engine/calls/authorize';
import { newRequestId } from '@bailiff/engine/calls/request-id';
import { performForPerson } from '@bailiff/engine/calls/write-call';
import { type RunningAction, runningActions } from '@bailiff/engine/desk/running-actions';
import type { Engine } from '@bailiff/engine/engine';
import { type Locale, type Translator, translator } from '@bailiff/messages';
import {
  type ApplicationCommandOptionChoiceData,
  type ButtonInteraction,
  ButtonStyle,
  ComponentType,
  MessageFlags,
} from 'discord.js';
import { type Answering, languageOf, type Where } from './answering.ts';
import { acknowledge } from './deliver.ts';
import { explain } from './explain.ts';
import { oneLine } from './text.ts';

const WORDS = {
  'messages.purge': (t, { done, of }) =>
    of === null || done === 0 ? t('long.purgeBegins') : t('long.purge', { done: String(done), of }),
  'tickets.close': (t, { done }) => t('long.transcript', { count: done }),
  'bans.preview': (t) => t('long.previewing'),
  'bans.many': ofPeople,
  'bans.undo': ofPeople,
  'mutes.preview': (t) => t('long.previewing'),
  'mutes.many': ofPeople,
  'mutes.undo': ofPeople,
} satisfies Record<LongOperation, (t: Translator<'chat'>, progress: Progress) => string>;

function ofPeople(t: Translator<'chat'>, { done, of }: Progress): string {
  return t('long.people', { done: String(done), of: of ?? 0 });
}

/** How far a long action has got. */
export function sayProgress(t: Translator<'chat'>, operation: LongOperation, progress: Progress): string {
  return WORDS[operation](t, progress);
}

const STOP = 'stop:';

/** The button that stops an action. */
export function stopRow(t: Translator<'chat'>, actionId: string) {
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

/** Stops an action, for who pressed its button. The answer that follows the action says how it ended. */
export async function pressedStop(
  { engine, log }: Pick<Answering, 'engine' | 'log'>,
  interaction: ButtonInteraction<Where>,
  actionId: string,
): Promise<void> {
  await acknowledge(interaction, () => interaction.deferUpdate());
  const { guildId, user } = interaction;
  const [requestId, operation] = [newRequestId(), 'actions.stop'] as const;
  try {
    const actor = { source: 'chat', userId: user.id } as const;
    const call = { operation, input: { actionId }, guildId, actor, requestId, address: null };
    await performForPerson(engine, call);
  } catch (error) {
    const refused = { guildId, requestId, locale: languageOf(interaction), operation };
    const content = await explain(engine, error, refused, log);
    await interaction.followUp({ content, flags: MessageFlags.Ephemeral });
  }
}

/** Discord's limit. */
const MOST_LABEL = 100;

interface Asking {
  readonly guildId: string;
  readonly userId: string;
  readonly locale: Locale;
}

/** Suggestions of running actions that this person may stop, and that match what is being typed. */
export async function runningChoices(
  engine: Engine,
  typed: string,
  { guildId, userId, locale }: Asking,
): Promise<ApplicationCommandOptionChoiceData[]> {
  const capabilities = await authorizePerson(engine, { operation: 'actions.stop', guildId, userId });
  const running = await runningActions(engine.db, { id: guildId, userId, capabilities });
  const sought = typed.trim().toLowerCase();
  return running
    .map((action) => ({ name: oneLine(labelOf(locale, action), MOST_LABEL), value: action.id }))
    .filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(sought));
}

function labelOf(locale: Locale, { operation, channelName, ticketNumber, progress }: RunningAction): string {
  const about = channelName !== null ? `#${channelName}` : ticketNumber !== null ? `#${ticketNumber}` : '';
  const what = translator(locale, 'operations')(`${operation}.name`);
  return `${what} ${about}: ${sayProgress(translator(locale, 'chat'), operation, progress)}`;
}
