import type { OperationName } from '@bailiff/core';
import { translator } from '@bailiff/messages';
import { type ButtonInteraction, ButtonStyle, ComponentType } from 'discord.js';
import { type Answerable, type Answering, fulfil, languageOf, takePress, type Where } from './answering.ts';
import type { Answer } from './answers.ts';
import { BareLength, type Units } from './read-input.ts';

/** What a command or form does once its lengths have units. */
type Work = (requestId: string, units: Units) => Promise<Answer>;

/** A number without a unit, which somebody typed as a length. */
export interface AskedLength {
  readonly operation: OperationName;
  readonly option: string;
  /** The units that were chosen before. */
  readonly units: Units;
  readonly work: Work;
}

const BUTTON = /^length:([0-9a-f]{32}):(\d{1,6})$/;

/** The units that can be meant, by their seconds: those of a minute's length, and of a second's. */
const UNITS = [
  ['second', 1],
  ['minute', 60],
  ['hour', 3_600],
  ['day', 86_400],
] as const;

/** The question and the unit of a button. Null for another button. */
export function lengthOfButton(customId: string): { readonly id: string; readonly seconds: number } | null {
  const [, id, seconds] = BUTTON.exec(customId) ?? [];
  return id === undefined ? null : { id, seconds: Number(seconds) };
}

/** The answer of `work`. If a length has no unit, nothing is done, and the answer asks which one is meant. */
export async function askingUnits(
  deps: Answering,
  interaction: Answerable | ButtonInteraction<Where>,
  { operation, work, units }: Omit<AskedLength, 'option'>,
  requestId: string,
): Promise<Answer> {
  try {
    return await work(requestId, units);
  } catch (error) {
    if (!(error instanceof BareLength)) throw error;
    const { option, amount, secondsPerUnit } = error;
    const { user, createdTimestamp } = interaction;
    const id = deps.lengths.ask(user.id, createdTimestamp, { operation, option, units, work });
    const locale = languageOf(interaction);
    const button = ([unit, seconds]: (typeof UNITS)[number]) =>
      ({
        type: ComponentType.Button,
        style: ButtonStyle.Secondary,
        label: new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(amount),
        custom_id: `length:${id}:${seconds}`,
      }) as const;
    const offered = UNITS.filter(([, seconds]) => seconds >= secondsPerUnit).map(button);
    return {
      content: translator(locale, 'chat')('lengths.which', { option, number: String(amount) }),
      components: [{ type: ComponentType.ActionRow, components: offered }],
    };
  }
}

/** Goes on with what a length was asked for, once. */
export async function pressedLength(
  deps: Answering,
  interaction: ButtonInteraction<Where>,
  { id, seconds }: { readonly id: string; readonly seconds: number },
): Promise<void> {
  const t = translator(languageOf(interaction), 'escalation');
  const asked = await takePress(interaction, deps.lengths, id, t('lapsed'));
  if (asked === null) return;
  const { operation, option, work } = asked;
  const units = new Map([...asked.units, [option, seconds]]);
  await fulfil(deps, interaction, operation, (requestId) =>
    askingUnits(deps, interaction, { operation, work, units }, requestId),
  );
}
