import { type APIDMChannel, type APIMessage, RESTJSONErrorCodes as Code, Routes } from 'discord.js';
import { type DiscordApi, DiscordFailure } from './discord-api.ts';

/** Who takes no messages from the bot, or does not exist any more. */
const CLOSED: readonly (number | undefined)[] = [
  Code.CannotSendMessagesToThisUser,
  Code.InvalidRecipients,
  Code.UnknownUser,
];

/** The part of an id that tells it from others, as long as Discord takes a nonce. */
export function nonceOf(id: string): string {
  return id.slice(-25);
}

/** What became of a message: `closed` that they take none from the bot, `absent` that they share no guild with it. */
export type DirectMessageState = 'told' | 'closed' | 'absent' | 'not_sent' | 'unknown';

interface DirectMessage {
  readonly state: DirectMessageState;
  readonly channelId?: string;
  readonly messageId?: string;
}

/**
 * Opens the conversation with somebody and sends one message, which pings nobody.
 *
 * @param id of what is told: Discord takes a repetition of it, within some minutes, for the same message
 * @returns what became of it; an unexpected refusal is `not_sent`
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
    // Opening a conversation tells nobody anything, so it does not matter what became of that.
    return { state: stateAfter(error, channelId !== undefined) };
  }
}

function stateAfter({ kind, code }: DiscordFailure, wasOpened: boolean): DirectMessageState {
  if (kind === 'refused' && CLOSED.includes(code)) return 'closed';
  if (code === Code.CannotSendMessagesToThisUserDueToHavingNoMutualGuilds) return 'absent';
  return kind === 'unclear' && wasOpened ? 'unknown' : 'not_sent';
}
