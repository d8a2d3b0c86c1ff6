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
} from 'discord.js';
import { causeCode } from '#src/discord-api.ts';

/** What is acknowledged first and answered when the work is done. */
type Deferrable = Pick<
  | ChatInputCommandInteraction<'cached' | 'raw'>
  | ContextMenuCommandInteraction<'cached' | 'raw'>
  | ModalSubmitInteraction<'cached' | 'raw'>
  | ButtonInteraction<'cached' | 'raw'>,
  'deferred' | 'editReply' | 'followUp'
>;

/** Discord takes a first sign for three seconds: two attempts fit in. */
const FIRST_SIGN_MS = 1_200;
/** What is done is told within ten seconds, of which doing it may take nine. */
const ANSWER_MS = 2_000;

/**
 * Shows Discord that the bot is at it, and tries once more when the answer to that was lost: a second sign changes
 * nothing, and Discord says so.
 */
export async function acknowledge(interaction: Deferrable, defer: () => Promise<unknown>): Promise<void> {
  try {
    await within(FIRST_SIGN_MS, defer());
  } catch (error) {
    if (!isLost(error)) throw error;
    await within(FIRST_SIGN_MS, defer()).catch((again: unknown) => {
      if (!hasCode(again, Code.InteractionHasAlreadyBeenAcknowledged)) throw again;
      interaction.deferred = true;
    });
  }
}

/**
 * Tells the outcome to who asked. What was done is done, and they must know: where Discord loses the answer it is given
 * again, and where it limits that route or keeps silent, as a message of its own. (The library would have another edit
 * wait for the one that hangs.)
 */
export async function deliver(interaction: Deferrable, answer: InteractionEditReplyOptions): Promise<void> {
  const edit = () => within(ANSWER_MS, interaction.editReply(answer));
  try {
    await edit().catch((error: unknown) => {
      if (!isLost(error) || error instanceof NoAnswer) throw error;
      return edit();
    });
  } catch (error) {
    // Whoever closed a ticket saw its channel go, and with it the place of the answer.
    if (hasCode(error, Code.UnknownChannel)) return;
    if (!isLost(error) && !(error instanceof RateLimitError)) throw error;
    const { flags: _, ...message } = answer;
    await interaction.followUp({ ...message, content: answer.content ?? '', flags: MessageFlags.Ephemeral });
  }
}

/** No answer in time: what was asked may come about all the same. */
class NoAnswer extends Error {}

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new NoAnswer(`Discord did not answer within ${ms} ms`)), ms);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

/** Whether Discord gave no word of its own: it failed, cut the connection or kept silent. */
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
