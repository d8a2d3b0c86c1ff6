import { type APIDMChannel, type APIMessage, RESTJSONErrorCodes as Code, Routes } from 'discord.js';
import { type DiscordApi, DiscordFailure } from './discord-api.ts';

/** Errors for a user who accepts no messages from the bot, or who no longer exists. */
const CLOSED: readonly (number | undefined)[] = [
  Code.CannotSendMessagesToThisUser,
  Code.InvalidRecipients,
  Code.UnknownUser,
];

/** The part of an id that makes it unique, within the length that Discord allows for a nonce. */
export function nonceOf(id: string): string {
  return id.slice(-25);
}

/** The result of a message: `closed` if the user accepts none from the bot, `absent` if they share no guild with it. */
export type DirectMessageState = 'told' | 'closed' | 'absent' | 'not_sent' | 'unknown';

interface DirectMessage {
  readonly state: DirectMessageState;
  readonly channelId?: string;
  readonly messageId?: string;
}

/**
 * The result of a direct message to a user. It opens the conversation and sends one message, which pings nobody.
 *
 * @param id of the subject: within some minutes, Discord treats a message with the same id as the same message
 * @returns the result; an unexpected refusal is `not_sent`
 */
export async function sendDirectMessage(
  api: DiscordApi,
  message: { readonly id: string; readonly userId: string; readonly content: string },
  signal: AbortSignal,
): Promise<DirectMessage> {
  let channelId: string | undefined;
  try {
    const channel = (await api.send('POST', Routes.userChannels(), {
      signal,
      body: { recipient_id: message.userId },
    })) as APIDMChannel;
    channelId = channel.id;
    const sent = (await api.send('POST', Routes.channelMessages(channelId), {
      signal,
      body: {
        content: message.content,
        allowed_mentions: { parse: [] },
        nonce: nonceOf(message.id),
        enforce_nonce: true,
      },
    })) as APIMessage;
    return { state: 'told', channelId, messageId: sent.id };
  } catch (error) {
    if (!(error instanceof DiscordFailure)) throw error;
    // Opening a conversation shows nothing to anybody, so its outcome does not matter.
    return { state: stateAfter(error, channelId !== undefined) };
  }
}

function stateAfter({ kind, code }: DiscordFailure, wasOpened: boolean): DirectMessageState {
  if (kind === 'refused' && CLOSED.includes(code)) return 'closed';
  if (code === Code.CannotSendMessagesToThisUserDueToHavingNoMutualGuilds) return 'absent';
  return kind === 'unclear' && wasOpened ? 'unknown' : 'not_sent';
}
