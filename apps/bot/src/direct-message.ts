import { createHash } from 'node:crypto';
import {
  holdConversationTurns,
  keepDirectChannel,
  takeConversationTurn,
} from '@bailiff/engine/cases/direct-channels';
import type { Database } from '@bailiff/prisma';
import {
  type APIActionRowComponent,
  type APIButtonComponent,
  type APIDMChannel,
  type APIEmbed,
  type APIMessage,
  RESTJSONErrorCodes as Code,
  type RawFile,
  Routes,
} from 'discord.js';
import { isBlocked, unlessBlocked } from './blocked-text.ts';
import { type DiscordApi, DiscordFailure } from './discord-api.ts';
import type { Logger } from './log.ts';
import type { BotMeter } from './metrics/bot-meter.ts';
import type { Paces } from './pacing.ts';

/** Errors for a user who accepts no messages from the bot, or who no longer exists. */
const CLOSED: readonly (number | undefined)[] = [
  Code.CannotSendMessagesToThisUser,
  Code.InvalidRecipients,
  Code.UnknownUser,
];
/** Errors for a conversation that is not there any more. */
const GONE: readonly (number | undefined)[] = [Code.UnknownChannel, Code.MissingAccess];
/** Discord's code for a bot that has opened too many conversations. Its documentation does not have it. */
const QUARANTINED = 20026;
/** How long no conversation is opened after Discord refused one for their number. */
const HELD_MS = new Map<number | undefined, number>([
  [Code.OpeningDirectMessagesTooFast, 5_000],
  [QUARANTINED, 3_600_000],
]);

/**
 * What has Discord recognise a repetition of a message for some minutes, and post no second one. To Discord a nonce is the
 * same one in all channels, so the channel is a part of it, within the length that Discord allows.
 *
 * @param id the id of what it is about, which differs from that of any other message in the channel
 */
export function sentOnce(
  id: string,
  channelId: string,
): { readonly nonce: string; readonly enforce_nonce: true } {
  const nonce = createHash('sha256').update(`${channelId} ${id}`).digest('hex').slice(0, 25);
  return { nonce, enforce_nonce: true };
}

/** Whether a message is refused because it was there, and somebody has deleted it since: Discord remembers its nonce. */
export function isDeletedSince(error: unknown): boolean {
  return error instanceof DiscordFailure && error.code === Code.UnknownMessage;
}

/** Leaves a message alone that a person has deleted: they do not want it back. */
export function unlessDeleted(error: unknown): null {
  if (!isDeletedSince(error)) throw error;
  return null;
}

/** The result of a message: `closed` if the user accepts none from the bot, `absent` if they share no guild with it. */
export type DirectMessageState = 'told' | 'closed' | 'absent' | 'not_sent' | 'unknown';

export interface DirectMessage {
  readonly state: DirectMessageState;
  /** Whether it was not sent, and may be when it is tried again: Discord does not block its text. */
  readonly isForLater: boolean;
  readonly channelId?: string;
  readonly messageId?: string;
}

interface MessageDeps {
  readonly db: Database;
  readonly api: DiscordApi;
  readonly paces: Paces;
  readonly log: Logger;
  /** Absent if no metrics are kept. */
  readonly meter?: BotMeter | undefined;
}

/** What a message says. */
interface Said {
  readonly content: string;
  readonly embeds?: readonly APIEmbed[];
}

interface NewMessage extends Said {
  /** The id of the subject. Within some minutes, Discord treats a message with the same id as the same message. */
  readonly id: string;
  readonly userId: string;
  /** What it says where Discord blocks the words of moderators in it. Absent if it has none. */
  readonly withoutWords?: Said | undefined;
  readonly files?: RawFile[];
  readonly components?: readonly APIActionRowComponent<APIButtonComponent>[];
  /** The channel of the conversation. Null: it has to be opened. */
  readonly channelId: string | null;
  /** Whether it cannot be sent later. */
  readonly isUrgent: boolean;
}

/**
 * The result of a direct message to a user. It pings nobody. A conversation that has to be opened waits for its turn,
 * because Discord bounds how many a bot opens; messages in known ones do not (decisions: Pacing).
 *
 * @param turn ends the wait for the turn
 * @returns the result; an unexpected refusal is `not_sent`
 */
export async function sendDirectMessage(
  deps: MessageDeps,
  message: NewMessage,
  signals: { readonly turn: AbortSignal; readonly signal: AbortSignal },
): Promise<DirectMessage> {
  const sent = await sendOnce(deps, message, signals);
  deps.meter?.message(sent.state);
  return sent;
}

async function sendOnce(
  deps: MessageDeps,
  message: NewMessage,
  { turn, signal }: { readonly turn: AbortSignal; readonly signal: AbortSignal },
): Promise<DirectMessage> {
  let channelId = message.channelId;
  const open = async () => {
    channelId = null;
    channelId = await openConversation(deps, message, turn, signal);
    return post(deps, channelId, message, signal);
  };
  try {
    const sent = await (channelId === null
      ? open()
      : post(deps, channelId, message, signal).catch((error: unknown) => {
          if (error instanceof DiscordFailure && GONE.includes(error.code)) return open();
          throw error;
        }));
    return { state: 'told', isForLater: false, channelId: sent.channel_id, messageId: sent.id };
  } catch (error) {
    if (!(error instanceof DiscordFailure)) throw error;
    // Opening a conversation shows nothing to anybody, so its outcome does not matter.
    const state = stateAfter(error, channelId !== null);
    if (isBlocked(error))
      deps.log.warn({ about: message.id }, 'Discord blocks a direct message: it is given up');
    return { state, isForLater: state === 'not_sent' && !isBlocked(error) };
  }
}

async function openConversation(
  deps: MessageDeps,
  { userId, isUrgent }: NewMessage,
  turn: AbortSignal,
  signal: AbortSignal,
): Promise<string> {
  const { db, api, paces, log } = deps;
  const pace = isUrgent ? paces.paceDirectMessages : paces.paceLaterMessages;
  const body = { recipient_id: userId };
  try {
    const channel = await pace(async () => {
      await takeTurnOfBot(deps, isUrgent);
      return api.send('POST', Routes.userChannels(), { signal, body });
    }, turn);
    const { id } = channel as APIDMChannel;
    keepDirectChannel(db, userId, id).catch((error: unknown) =>
      log.warn({ err: error }, 'a conversation is not remembered, and will be opened again'),
    );
    return id;
  } catch (error) {
    const heldMs = error instanceof DiscordFailure ? HELD_MS.get(error.code) : undefined;
    if (heldMs !== undefined) {
      paces.holdConversations(heldMs);
      holdConversationTurns(db, heldMs).catch((err: unknown) =>
        log.warn({ err }, 'other processes do not learn that Discord lets the bot open no conversations'),
      );
      log.error({ err: error, held_ms: heldMs }, 'Discord lets the bot open no more conversations for now');
    }
    throw error;
  }
}

/** Takes one of the turns that the bot's processes share. While the database does not give it, nothing is opened. */
async function takeTurnOfBot({ db, paces, log }: MessageDeps, isUrgent: boolean): Promise<void> {
  const { conversations, laterConversations } = paces;
  const bounds = isUrgent ? [conversations] : [laterConversations, conversations];
  const isGiven = await takeConversationTurn(db, bounds).catch((err: unknown) => {
    log.warn({ err }, 'it is not known how many conversations the bot has opened, so it opens none');
    return false;
  });
  if (!isGiven)
    throw new DiscordFailure('not_sent', 'Discord was not sent the direct message: too many are new');
}

async function post(
  { api, log }: MessageDeps,
  channelId: string,
  message: NewMessage,
  signal: AbortSignal,
): Promise<APIMessage> {
  const { id, files, components = [], withoutWords } = message;
  const send = async ({ content, embeds = [] }: Said) =>
    (await api.send('POST', Routes.channelMessages(channelId), {
      signal,
      body: { content, embeds, components, ...sentOnce(id, channelId) },
      ...(files === undefined ? {} : { files }),
    })) as APIMessage;
  if (withoutWords === undefined) return send(message);
  return unlessBlocked((isRefused) => {
    if (!isRefused) return send(message);
    log.info(
      { about: id, user_id: message.userId },
      'Discord blocks a direct message: it is sent without its words',
    );
    return send(withoutWords);
  });
}

function stateAfter({ kind, code }: DiscordFailure, wasOpened: boolean): DirectMessageState {
  if (kind === 'refused' && CLOSED.includes(code)) return 'closed';
  if (code === Code.CannotSendMessagesToThisUserDueToHavingNoMutualGuilds) return 'absent';
  return kind === 'unclear' && wasOpened ? 'unknown' : 'not_sent';
}
