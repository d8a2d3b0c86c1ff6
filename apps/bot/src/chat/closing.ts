import type { InputOf } from '@bailiff/core';
import { type Locale, translator } from '@bailiff/messages';
import { ButtonStyle, ComponentType } from 'discord.js';
import { type DiscordApi, DiscordFailure } from '#src/discord-api.ts';
import { seesMessageContent } from '#src/message-content.ts';
import type { Reply } from './answers.ts';

export type Closing = InputOf<'tickets.close'>;

const BUTTON = 'close:';
const LOOK_TIMEOUT_MS = 1_500;

/** The id in the custom id of the button of a closing. Null for another button. */
export function closingOfButton(customId: string): string | null {
  return customId.startsWith(BUTTON) ? customId.slice(BUTTON.length) : null;
}

/** Whether a transcript would have texts. If Discord does not say so now, it is not a reason to ask. */
export async function hasTexts(api: DiscordApi): Promise<boolean> {
  try {
    return await seesMessageContent(api, AbortSignal.timeout(LOOK_TIMEOUT_MS));
  } catch (error) {
    if (error instanceof DiscordFailure) return true;
    throw error;
  }
}

/** The warning before the channel is deleted, because the answer to the command goes with it. */
export function closingQuestion(locale: Locale, buttonId: string): Reply {
  const t = translator(locale, 'chat');
  return {
    content: t('tickets.textHidden'),
    components: [
      {
        type: ComponentType.ActionRow,
        components: [
          {
            type: ComponentType.Button,
            style: ButtonStyle.Danger,
            label: t('tickets.closeAnyway'),
            custom_id: `${BUTTON}${buttonId}`,
          },
        ],
      },
    ],
  };
}
