import { ApiError, type Call, callOf, MOST_REPLY_CHARACTERS } from '@bailiff/core';
import { appealById, type PostedAppeal } from '@bailiff/engine/appeals/appeal-posts';
import { isWaiting } from '@bailiff/engine/appeals/appeals';
import { forbidden, notFound } from '@bailiff/engine/calls/action-errors';
import { authorizePerson } from '@bailiff/engine/calls/authorize';
import { DEFAULT_LOCALE, type Locale, localeOf, translator } from '@bailiff/messages';
import {
  type APIModalInteractionResponseCallbackData,
  type ButtonInteraction,
  ComponentType,
  MessageFlags,
  type ModalSubmitInteraction,
  TextInputStyle,
} from 'discord.js';
import { type Answering, answer, fulfil, languageOf, openForm, type Where } from './answering.ts';
import { replyTo } from './answers.ts';
import { acknowledge } from './deliver.ts';
import { write } from './perform.ts';

/** What the custom ids of the buttons on the message of an appeal begin with. */
export const APPEAL_BUTTON = 'appeal:';
const FORM = 'appeal-refusal:';
const REPLY_ID = 'reply';

const PRESSES = ['accept', 'refuse', 'for', 'against'] as const;
/** What the buttons do. */
export type AppealPress = (typeof PRESSES)[number];

export function isAppealButton({ customId }: ButtonInteraction): boolean {
  return customId.startsWith(APPEAL_BUTTON);
}

export function isAppealForm({ customId }: ModalSubmitInteraction): boolean {
  return customId.startsWith(FORM);
}

/** Votes on an appeal, accepts it by ending its case, or opens the form that refuses it. */
export async function pressedAppeal(deps: Answering, interaction: ButtonInteraction<Where>): Promise<void> {
  const [, pressed, appealId = ''] = interaction.customId.split(':');
  const press = PRESSES.find((each) => each === pressed);
  if (press === undefined) return;
  const locale = languageOf(interaction);
  if (press === 'refuse') {
    return openForm(deps, interaction, 'appeals.refuse', () => refusalForm(locale, appealId));
  }
  await acknowledge(interaction, () => interaction.deferReply({ flags: MessageFlags.Ephemeral }));
  if (press === 'accept') return accept(deps, interaction, appealId);
  await fulfil(deps, interaction, 'appeals.vote', async (requestId) => {
    await write(deps, interaction, callOf('appeals.vote', { appealId, vote: press }), requestId);
    return { content: translator(locale, 'chat')('appeals.voted') };
  });
}

/** Refuses an appeal with the answer from the form. */
export async function refusedAppeal(
  deps: Answering,
  interaction: ModalSubmitInteraction<Where>,
): Promise<void> {
  const appealId = interaction.customId.slice(FORM.length);
  const reply = interaction.fields.getTextInputValue(REPLY_ID).trim();
  await answer(deps, interaction, 'appeals.refuse', async (requestId) => {
    const input = { appealId, ...(reply === '' ? {} : { reply }) };
    const { body } = await write(deps, interaction, callOf('appeals.refuse', input), requestId);
    const { case_number, user_id } = body.appeal;
    const t = translator(languageOf(interaction), 'chat');
    return { content: t('appeals.refused', { number: String(case_number), user: `<@${user_id}>` }) };
  });
}

/** Ends the case of an appeal, by the operation that ends its kind, for who pressed the button. */
async function accept(
  deps: Answering,
  interaction: ButtonInteraction<Where>,
  appealId: string,
): Promise<void> {
  const { guildId } = interaction;
  const locale = languageOf(interaction);
  // What fails here is told below: Discord already says that the bot is thinking.
  const [read] = await Promise.allSettled([appealById(deps.engine.db, appealId)]);
  const found = read.status === 'fulfilled' ? read.value : null;
  const appeal = found?.guild_id === guildId ? found : null;
  const ending = appeal === null ? null : endingOf(appeal);
  const needed = ending?.operation ?? 'appeals.get';
  await fulfil(deps, interaction, needed, async (requestId) => {
    if (read.status === 'rejected') throw read.reason;
    // First, so that who may do nothing about an appeal does not learn how it stands.
    await authorizePerson(deps.engine, { operation: needed, guildId, userId: interaction.user.id });
    if (appeal === null || ending === null) {
      throw new ApiError('NOT_FOUND', notFound('appeal', appealId).message);
    }
    if (appeal.user_id === interaction.user.id) throw refusal('TARGET_IS_SELF');
    if (!isWaiting(appeal)) throw refusal('APPEAL_DECIDED');
    if (appeal.votes_for < appeal.votes_needed) throw refusal('VOTES_NEEDED');
    const { operation, input } = ending;
    const { body } = await write(deps, interaction, callOf(operation, input), requestId);
    return replyTo(operation, input, body, { guildId, locale, names: {} });
  });
}

function refusal(reason: 'TARGET_IS_SELF' | 'APPEAL_DECIDED' | 'VOTES_NEEDED'): ApiError {
  const { code, message, details } = forbidden(reason);
  return new ApiError(code, message, details === undefined ? {} : { details });
}

type Ending = Call<'bans.lift' | 'mutes.lift' | 'strikes.remove' | 'warnings.remove'>;

/**
 * The call that ends the case of an appeal, with a reason in the language of the guild, whose record it is. Null for a
 * kind that nothing ends.
 */
function endingOf({ kind, case_id, user_id, guild_language }: PostedAppeal): Ending | null {
  const reason = translator(localeOf(guild_language) ?? DEFAULT_LOCALE, 'chat')('appeals.acceptReason');
  switch (kind) {
    case 'ban':
      return callOf('bans.lift', { userId: user_id, reason });
    case 'mute':
      return callOf('mutes.lift', { userId: user_id, reason });
    case 'strike':
      return callOf('strikes.remove', { strikeId: case_id, reason });
    case 'warning':
      return callOf('warnings.remove', { warningId: case_id, reason });
    default:
      return null;
  }
}

function refusalForm(locale: Locale, appealId: string): APIModalInteractionResponseCallbackData {
  const t = translator(locale, 'chat');
  return {
    custom_id: `${FORM}${appealId}`,
    title: t('appeals.refuseTitle'),
    components: [
      {
        type: ComponentType.Label,
        label: t('appeals.reply'),
        component: {
          type: ComponentType.TextInput,
          custom_id: REPLY_ID,
          style: TextInputStyle.Paragraph,
          required: false,
          max_length: MOST_REPLY_CHARACTERS,
        },
      },
    ],
  };
}
