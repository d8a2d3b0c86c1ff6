import { caseKind, type LogTopic } from '@bailiff/core';
import {
  type CasePost,
  claimCasePost,
  leaveCasePost,
  logChannelsOf,
  noteLogChannel,
  settleCasePost,
} from '@bailiff/engine/cases/case-posts';
import { DEFAULT_LOCALE, type Locale, localeOf, translator } from '@bailiff/messages';
import type { Database, LogChannelProblem } from '@bailiff/prisma';
import {
  type APIChannel,
  type APIEmbed,
  type APIMessage,
  RESTJSONErrorCodes as Code,
  Routes,
} from 'discord.js';
import { embedUnless, sayBlocked, unlessBlocked, type Words } from './blocked-text.ts';
import { COLOUR_OVER, caseEmbed } from './case-embed.ts';
import { caseLink } from './case-link.ts';
import { type ClosedChannels, type IfClosed, KnownRefusal } from './closed-channels.ts';
import { isDeletedSince, sentOnce, unlessDeleted } from './direct-message.ts';
import { type DiscordApi, DiscordFailure } from './discord-api.ts';
import { meaningOf } from './discord-errors.ts';
import { postCaseAt, postCaseLater } from './jobs.ts';
import type { Logger } from './log.ts';
import { type Paces, pacedApi } from './pacing.ts';

export interface LogChannelDeps {
  readonly db: Database;
  readonly api: DiscordApi;
  readonly paces: Paces;
  readonly closed: ClosedChannels;
  readonly botUserId: string;
  /** Where its messages lead. */
  readonly dashboardUrl: string;
  readonly log: Logger;
}

const LATEST = 100;
/** For the limit of all requests, which ends within a second. What a channel's limit keeps back is put off instead. */
export const LONGEST_WAIT_MS = 1_000;

/**
 * Shows the present state of a case in its guild's log channel: posts a message, or edits the existing one, also one
 * whose answer was lost. Throws if the queue should try again.
 */
export async function postCase(deps: LogChannelDeps, caseId: string, signal: AbortSignal): Promise<void> {
  if (await isRefused(deps, caseId, 'topic', signal)) await isRefused(deps, caseId, 'log channel', signal);
}

/** Whether it is refused in the channel of its topic, so that it belongs in the log channel. */
async function isRefused(
  deps: LogChannelDeps,
  caseId: string,
  where: 'topic' | 'log channel',
  signal: AbortSignal,
): Promise<boolean> {
  const post = await claimCasePost(deps.db, caseId, where);
  if (post === 'busy') await postCaseLater(deps.db.pool, caseId);
  if (post === null || post === 'busy') return false;
  const { shown } = post;
  const inPace = { ...deps, api: pacedApi(deps.api, deps.paces, shown.guild_id) };
  const isMovable = post.isOfTopic && post.messageId === null && !post.beganBefore;
  const ifClosed = isMovable ? 'go elsewhere' : 'wait';
  const posted = () => write(inPace, post, signal);
  try {
    // Where the bot may not send it may edit what it sent before.
    const place = post.messageId === null ? post.channelId : `${post.channelId} edits`;
    const messageId = await deps.closed.ask(place, caseId, ifClosed, posted);
    await settleCasePost(deps.db, caseId, messageId);
    await noteLogChannel(deps.db, shown.guild_id, post.channelId, null);
    // A sanction that Discord ends changes no case. A ban is lifted when it expires, and then the case changes.
    const endsUnseen = caseKind(shown.kind).endedInTimeBy === 'discord';
    if (shown.active && endsUnseen && shown.expires_at !== null) {
      await postCaseAt(deps.db.pool, caseId, shown.expires_at);
    }
    return false;
  } catch (error) {
    const mayBeThere = mayBePosted(post, error);
    await leaveCasePost(deps.db, caseId, { mayBeThere });
    const problem = error instanceof DiscordFailure ? problemOf(error) : null;
    if (problem === null) throw error;
    if (!(error instanceof KnownRefusal))
      await noteLogChannel(deps.db, shown.guild_id, post.channelId, problem);
    deps.log.info({ err: error, case_id: caseId, guild_id: shown.guild_id }, 'case not posted');
    return post.isOfTopic && post.messageId === null && !mayBeThere;
  }
}

/**
 * Posts a greeting in a newly chosen log channel, or in that of a topic, so that its owner sees at once whether the bot
 * can write there.
 */
export async function openLogChannel(
  deps: LogChannelDeps,
  guildId: string,
  topic: LogTopic | null,
  signal: AbortSignal,
): Promise<void> {
  const chosen = await logChannelsOf(deps.db.pool, guildId, topic);
  const channelId = topic === null ? chosen?.logChannelId : chosen?.topicChannelId;
  if (chosen === null || channelId == null) return;
  const t = translator(localeOf(chosen.language) ?? DEFAULT_LOCALE, 'notices');
  const description = topic === null ? t('log.hello') : t('log.topic', { what: t(`log.topicOf.${topic}`) });
  const about = `${channelId}${topic?.slice(0, 5) ?? ''}`;
  const bodyIn = () => bodyOf({ description });
  await postOnce(deps, { guildId, channelId, about, bodyIn, ifClosed: 'ask' }, signal);
}

interface LogPost {
  readonly guildId: string;
  readonly topic: LogTopic;
  /** The id of what it is about. */
  readonly about: string;
  /** Where in the guild's dashboard it can be read if Discord blocks its text. */
  readonly page: string;
  embedIn(locale: Locale, words: Words): APIEmbed | Promise<APIEmbed>;
}

/**
 * Posts a message in the channel of a topic, or if that has none or refuses, in the guild's log channel; without one,
 * nowhere. A repetition within some minutes makes no second message.
 *
 * @throws DiscordFailure if the queue should try again
 */
export async function postToLog(deps: LogChannelDeps, post: LogPost, signal: AbortSignal): Promise<void> {
  const { guildId, about, topic } = post;
  const chosen = await logChannelsOf(deps.db.pool, guildId, topic);
  if (chosen === null) return;
  const { topicChannelId, logChannelId, language } = chosen;
  const locale = localeOf(language) ?? DEFAULT_LOCALE;
  const sentence = sayBlocked(locale, `${deps.dashboardUrl}/guilds/${guildId}/${post.page}`);
  const bodyIn = async (isBlocked: boolean) =>
    bodyOf(await embedUnless(isBlocked, (words) => post.embedIn(locale, words), sentence));
  const postIn = (channelId: string, ifClosed: IfClosed) =>
    postOnce(deps, { guildId, channelId, about, bodyIn, ifClosed }, signal);
  const isPosted = topicChannelId !== null && (await postIn(topicChannelId, 'go elsewhere'));
  if (!isPosted) await postIn(logChannelId, 'wait');
}

/**
 * Posts a sentence in the guild's log channel; without one, nowhere. A repetition within some minutes makes no second
 * message.
 *
 * @throws DiscordFailure if the queue should try again
 */
export async function postToLogChannel(
  deps: LogChannelDeps,
  post: { readonly guildId: string; readonly about: string; readonly words: string },
  signal: AbortSignal,
): Promise<void> {
  const { guildId, about, words } = post;
  const chosen = await logChannelsOf(deps.db.pool, guildId, null);
  if (chosen === null) return;
  const { logChannelId: channelId } = chosen;
  const bodyIn = () => ({ content: words });
  await postOnce(deps, { guildId, channelId, about, bodyIn, ifClosed: 'wait' }, signal);
}

const bodyOf = (embed: APIEmbed) => ({ embeds: [{ color: COLOUR_OVER, ...embed }] });

/** Whether Discord has taken it. If not, the owner sees why. */
async function postOnce(
  deps: LogChannelDeps,
  post: {
    readonly guildId: string;
    readonly channelId: string;
    readonly about: string;
    /** With what people wrote, or if Discord blocks that, without. */
    readonly bodyIn: (isBlocked: boolean) => object | Promise<object>;
    readonly ifClosed: IfClosed;
  },
  signal: AbortSignal,
): Promise<boolean> {
  const { guildId, channelId, about, bodyIn, ifClosed } = post;
  const api = pacedApi(deps.api, deps.paces, guildId);
  const send = async () => {
    requireTurn(api, channelId);
    await requireChannelOf(api, guildId, channelId, signal);
    await unlessBlocked(async (isBlocked) =>
      api.send('POST', Routes.channelMessages(channelId), {
        signal,
        body: { ...(await bodyIn(isBlocked)), ...sentOnce(about, channelId) },
      }),
    ).catch(unlessDeleted);
  };
  try {
    await deps.closed.ask(channelId, about, ifClosed, send);
    await noteLogChannel(deps.db, guildId, channelId, null);
    return true;
  } catch (error) {
    const problem = error instanceof DiscordFailure ? problemOf(error) : null;
    if (problem === null) throw error;
    if (!(error instanceof KnownRefusal)) await noteLogChannel(deps.db, guildId, channelId, problem);
    return false;
  }
}

/**
 * Checks that a channel belongs to the guild: its id comes from a process that is reachable from the internet, and only
 * the guild may see its cases.
 *
 * @throws DiscordFailure
 */
export async function requireChannelOf(
  api: DiscordApi,
  guildId: string,
  channelId: string,
  signal: AbortSignal,
): Promise<void> {
  const channel = await api.get<APIChannel>(Routes.channel(channelId), { signal });
  if ('guild_id' in channel && channel.guild_id === guildId) return;
  throw new DiscordFailure('refused', `Channel ${channelId} is not one of guild ${guildId}`, {
    code: Code.UnknownChannel,
  });
}

/**
 * Asks Discord nothing about a post that has to be put off.
 *
 * @throws DiscordFailure
 */
function requireTurn(api: DiscordApi, channelId: string): void {
  api.checkLimits('POST', Routes.channelMessages(channelId), LONGEST_WAIT_MS);
}

async function write(
  deps: LogChannelDeps,
  { shown, isOfTopic: _, ...post }: CasePost,
  signal: AbortSignal,
): Promise<string> {
  if (post.messageId === null) requireTurn(deps.api, post.channelId);
  const locale = localeOf(shown.language) ?? DEFAULT_LOCALE;
  const link = { guildId: shown.guild_id, number: shown.case_number };
  const about = {
    ...{ guildId: shown.guild_id, about: shown.id, locale, page: `cases/${shown.case_number}` },
    embedIn: (words: Words) => caseEmbed(shown, locale, words),
    components: caseLink(deps.dashboardUrl, locale, link),
  };
  return showMessage(deps, { ...post, ...about }, signal);
}

/** A message of the bot's that shows something, and follows what happens to it. */
interface ShownMessage extends Omit<CasePost, 'shown' | 'isOfTopic'> {
  readonly guildId: string;
  /** The id of what it shows, which is also the footer of its first embed. */
  readonly about: string;
  readonly embedIn: (words: Words) => APIEmbed;
  readonly components: readonly object[];
  readonly locale: Locale;
  /** Where in the guild's dashboard it can be read if Discord blocks its text. */
  readonly page: string;
  /** Posts it. Default: the body alone. */
  readonly post?: (body: object) => Promise<unknown>;
}

/** Whether a message may be in its channel although it could not be shown: the next attempt must look for it there. */
export function mayBePosted({ beganBefore }: Pick<ShownMessage, 'beganBefore'>, error: unknown): boolean {
  if (!(error instanceof DiscordFailure) || error.kind === 'unclear') return true;
  // With the channel its messages are gone.
  return beganBefore && error.code !== Code.UnknownChannel;
}

/**
 * Posts a message in a channel of the guild, or edits the existing one. Returns its id. One that a person deleted is
 * left alone.
 *
 * @throws DiscordFailure; {@link mayBePosted} says whether it may be there all the same
 */
export function showMessage(
  deps: Pick<LogChannelDeps, 'api' | 'botUserId' | 'dashboardUrl'>,
  shown: ShownMessage,
  signal: AbortSignal,
): Promise<string> {
  const { components, guildId, locale, page } = shown;
  const sentence = sayBlocked(locale, `${deps.dashboardUrl}/guilds/${guildId}/${page}`);
  return unlessBlocked(async (isBlocked) => {
    const embed = await embedUnless(isBlocked, shown.embedIn, sentence);
    return showBody(deps, shown, { embeds: [embed], components }, signal);
  });
}

async function showBody(
  deps: Pick<LogChannelDeps, 'api' | 'botUserId'>,
  shown: ShownMessage,
  body: object,
  signal: AbortSignal,
): Promise<string> {
  const { api } = deps;
  const { channelId, about, beganBefore } = shown;
  const edited = async (messageId: string) => {
    const route = Routes.channelMessage(channelId, messageId);
    await api.send('PATCH', route, { signal, body }).catch(unlessDeleted);
    return messageId;
  };
  const known = shown.messageId ?? (beganBefore ? await findPosted(deps, shown, signal) : null);
  if (known !== null) return edited(known);
  await requireChannelOf(api, shown.guildId, channelId, signal);
  const {
    post = () =>
      api.send('POST', Routes.channelMessages(channelId), {
        signal,
        body: { ...body, ...sentOnce(about, channelId) },
      }),
  } = shown;
  const repeated = (error: unknown) => {
    if (!(error instanceof DiscordFailure && error.kind === 'unclear')) throw error;
    // Whatever becomes of the repetition, the first may be there.
    return post(body).catch((again: unknown) => Promise.reject(isDeletedSince(again) ? again : error));
  };
  const posted = await post(body).catch(repeated).catch(unlessDeleted);
  // No message has the id of its channel, so this one is found deleted from now on.
  if (posted === null) return channelId;
  const { id } = posted as APIMessage;
  // Where the bot does not see older messages it has not found it, and Discord has answered with the first one.
  return beganBefore ? edited(id) : id;
}

/**
 * Finds a message whose answer was lost, by the footer of its first embed. If it were only sent again, Discord would
 * answer with the first one, which shows what was true then, or after some minutes post a second one.
 */
async function findPosted(
  { api, botUserId }: Pick<LogChannelDeps, 'api' | 'botUserId'>,
  { about, channelId }: ShownMessage,
  signal: AbortSignal,
): Promise<string | null> {
  const messages = await api.get<APIMessage[]>(Routes.channelMessages(channelId), {
    signal,
    query: { limit: String(LATEST) },
  });
  const posted = messages.find(
    ({ author, embeds }) => author.id === botUserId && embeds[0]?.footer?.text === about,
  );
  return posted?.id ?? null;
}

/** The problem that an owner must solve. Null for one that passes by itself. */
export function problemOf(failure: DiscordFailure): LogChannelProblem | null {
  const { kind, code, status } = failure;
  if (kind !== 'refused' || status === 401) return null;
  if (code === Code.UnknownChannel) return 'unknown_channel';
  if (meaningOf(failure) === 'temporary') return null;
  return code === Code.MissingAccess || code === Code.MissingPermissions ? 'missing_permission' : 'refused';
}
