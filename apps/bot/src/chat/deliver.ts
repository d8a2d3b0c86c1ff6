import { setTimeout as delay } from 'node:timers/promises';
import {
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  RESTJSONErrorCodes as Code,
  type ContextMenuCommandInteraction,
  DiscordAPIError,
  HTTPError,
  type InteractionEditReplyOptions,
  MessageFlags,
  type ModalSubmitInteraction,
  RateLimitError,
  type StringSelectMenuInteraction,
} from 'discord.js';
import { causeCode } from '#src/discord-api.ts';

/** An interaction that is acknowledged first and answered when the work is done. */
type Deferrable = Pick<
  | ChatInputCommandInteraction<'cached' | 'raw'>
  | ContextMenuCommandInteraction<'cached' | 'raw'>
  | ModalSubmitInteraction<'cached' | 'raw'>
  | ButtonInteraction<'cached' | 'raw'>
  | StringSelectMenuInteraction<'cached' | 'raw'>,
  'deferred' | 'fetchReply' | 'editReply' | 'followUp'
>;

/** Discord accepts the first response within three seconds: the second attempt has to begin early. */
const FIRST_SIGN_MS = 1_200;
/** The answer comes within ten seconds, of which the work may take nine. */
const ANSWER_MS = 2_000;
/** The pauses before it is tried again to show an answer. Discord accepts one for fifteen minutes. */
const PAUSES_MS = [2_000, 15_000, 60_000, 300_000];
/** What the answers to interactions replace. */
const replaced = new WeakMap<Deferrable, Set<string>>();

/**
 * Acknowledges an interaction. Retries once if Discord's answer was lost or is late: a second acknowledgement changes
 * nothing, and Discord says so. Discord may also have taken one whose answer comes late or never, and shows then that the
 * bot is thinking. So both are waited for, and if neither answer says so, the bot looks.
 */
export async function acknowledge(interaction: Deferrable, defer: () => Promise<unknown>): Promise<void> {
  const first = defer();
  try {
    await within(FIRST_SIGN_MS, first);
  } catch (error) {
    if (!isLost(error)) throw error;
    const second = defer().catch((refusal: unknown) => {
      if (!hasCode(refusal, Code.InteractionHasAlreadyBeenAcknowledged)) throw refusal;
      interaction.deferred = true;
    });
    await Promise.any([first, second]).catch(async () => {
      // There is an answer to look at only if Discord has taken one of them.
      await interaction.fetchReply().catch(() => second);
      interaction.deferred = true;
    });
  }
}

/**
 * Sends the outcome to the person who asked. They must learn of it because it has already happened. If Discord loses
 * the answer it is sent again, and if Discord limits that route or does not respond, or somebody has deleted the message,
 * it is sent as a new one. (The library would queue another edit behind the one that hangs.) What is lost then too is
 * shown later, so that the bot is not said to be thinking for ever, and no question stays whose answer was carried out.
 *
 * @param closing fires when the bot ends: it tries once more at once
 */
export async function deliver(
  interaction: Deferrable,
  answer: InteractionEditReplyOptions,
  closing: AbortSignal,
): Promise<void> {
  try {
    await edit(interaction, answer).catch((error: unknown) => {
      if (!isLost(error) || error instanceof NoAnswer) throw error;
      return edit(interaction, answer);
    });
  } catch (error) {
    // If the command closed a ticket, its channel is deleted, and the answer with it.
    if (hasCode(error, Code.UnknownChannel)) return;
    const isUnseen = isPassing(error) || hasCode(error, Code.UnknownMessage);
    if (!isUnseen) throw error;
    if (isLost(error) && (await lookAt(interaction, answer)) === 'answer') return;
    const { flags: _, ...message } = answer;
    const followUp = { ...message, content: answer.content ?? '', flags: MessageFlags.Ephemeral } as const;
    await interaction.followUp(followUp).catch(async (refusal: unknown) => {
      if (hasCode(refusal, Code.UnknownChannel)) return;
      if (!isPassing(refusal)) throw refusal;
      await showLater(interaction, answer, refusal, closing);
    });
  }
}

/**
 * Shows an answer while what it replaces is still shown. It looks first: Discord may have taken what got lost, and nobody
 * is to read it twice. A first message to a command that comes after all takes the same place.
 *
 * @throws `cause` if the answer is not seen in the end
 */
async function showLater(
  interaction: Deferrable,
  answer: InteractionEditReplyOptions,
  cause: unknown,
  closing: AbortSignal,
): Promise<void> {
  for (const ms of PAUSES_MS) {
    const isClosing = await delay(ms, false, { signal: closing }).catch(() => true);
    const seen = await lookAt(interaction, answer);
    if (seen === 'answer') return;
    if (seen === 'other') throw cause;
    if (seen === 'replaced') {
      const edited = edit(interaction, answer).then(() => true);
      const isShown = await edited.catch((error: unknown) => {
        if (!isPassing(error)) throw error;
        return false;
      });
      if (isShown) return;
    }
    if (isClosing) break;
  }
  throw cause;
}

/**
 * What the person sees where the answer is to be: the answer, what it replaces, or something else, as after a later press;
 * `unknown` if Discord does not say.
 */
async function lookAt(
  interaction: Deferrable,
  answer: InteractionEditReplyOptions,
): Promise<'answer' | 'replaced' | 'other' | 'unknown'> {
  try {
    const { flags, content } = await within(ANSWER_MS, interaction.fetchReply());
    if (flags.has(MessageFlags.Loading)) return 'replaced';
    if (content === textOf(answer)) return 'answer';
    return replaced.get(interaction)?.has(content) ? 'replaced' : 'other';
  } catch (error) {
    if (!isPassing(error) && !(error instanceof DiscordAPIError)) throw error;
    return isPassing(error) ? 'unknown' : 'other';
  }
}

/** Shows in the answer how far something has got. It is not sent again if it gets lost: what comes next says more. */
export async function showMeanwhile(
  interaction: Deferrable,
  answer: InteractionEditReplyOptions,
): Promise<void> {
  await edit(interaction, answer);
}

/** The answer to an interaction, if it is shown later, takes the place of a message with this text. */
export function replaceLater(interaction: Deferrable, content: string): void {
  replaced.set(interaction, (replaced.get(interaction) ?? new Set()).add(content));
}

/** Changes what is shown. What comes after it replaces it, also where Discord has taken it and not said so. */
function edit(interaction: Deferrable, answer: InteractionEditReplyOptions): Promise<unknown> {
  replaceLater(interaction, textOf(answer));
  return within(ANSWER_MS, interaction.editReply(answer));
}

/** The text of an answer as Discord shows it. */
function textOf({ content }: InteractionEditReplyOptions): string {
  return (content ?? '').trim();
}

/** There was no answer in time. The request may take effect anyway. */
class NoAnswer extends Error {}

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new NoAnswer(`Discord did not answer within ${ms} ms`)), ms);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

/** Whether it may be tried again: Discord has lost it, or limits it for now. */
function isPassing(error: unknown): boolean {
  return isLost(error) || error instanceof RateLimitError;
}

/** Whether Discord gave no definite answer: it failed, cut the connection or did not respond. */
function isLost(error: unknown): boolean {
  if (error instanceof DiscordAPIError || error instanceof RateLimitError) return false;
  return error instanceof HTTPError || error instanceof NoAnswer || isOfNetwork(error);
}

function isOfNetwork(error: unknown): boolean {
  return error instanceof Error && /^(E[A-Z]|UND_ERR_|AbortError)/.test(causeCode(error));
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof DiscordAPIError && error.code === code;
}
