import { addAbortListener } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { authorizePerson } from '@bailiff/engine/calls/authorize';
import {
  attachEvidence,
  dropEvidence,
  type FoundMessage,
  MOST_EVIDENCE_BYTES,
} from '@bailiff/engine/cases/evidence';
import type { Engine } from '@bailiff/engine/engine';
import { type ReportedMessage, reportedMessage } from '@bailiff/engine/reports/reports';
import { CATALOGUES, DEFAULT_LOCALE, type Locale, translator } from '@bailiff/messages';
import {
  type APIApplicationCommandBasicOption,
  type APIMessage,
  ApplicationCommandOptionType,
  type Attachment,
  type ChatInputCommandInteraction,
  type Message,
  Routes,
} from 'discord.js';
import type { AccessDeps } from '#src/channel-access.ts';
import { type DiscordApi, DiscordFailure } from '#src/discord-api.ts';
import {
  type AttachedFile,
  type EvidenceDeps,
  fetchEvidence,
  type KeptEvidence,
  MOST_BYTES_TOGETHER,
  withinBounds,
} from '#src/evidence.ts';
import { readableMessage } from '#src/readable-message.ts';
import { type WholeMessage, wholeMessage } from '#src/whole-message.ts';
import { caseIn } from './case-in.ts';
import { hasTexts } from './closing.ts';
import { descriptionOf, namingOf } from './command-texts.ts';
import { isOutcomeUnknown } from './explain.ts';
import { KeptForPeople } from './kept-for-people.ts';
import { InputProblem } from './read-input.ts';
import { quoted } from './text.ts';

const MEGABYTE = 1024 * 1024;
/** Files that one command takes. */
const MOST_OPTIONS = 3;
/** The names of their options for the program; people read the translations. */
const OPTION_NAMES = Array.from({ length: MOST_OPTIONS }, (_, index) =>
  numbered(CATALOGUES[DEFAULT_LOCALE].commands.evidence.name, index),
);

function numbered(name: string, index: number): string {
  return index === 0 ? name : `${name}-${index + 1}`;
}

const LINK_NAME = CATALOGUES[DEFAULT_LOCALE].commands.messageLink.name;

/** The options of the commands that take evidence: files, and the link of a message. */
export const EVIDENCE_OPTIONS: readonly APIApplicationCommandBasicOption[] = [
  ...OPTION_NAMES.map((_, index) => ({
    ...namingOf((locale) => numbered(CATALOGUES[locale].commands.evidence.name, index)),
    ...descriptionOf((locale) => CATALOGUES[locale].commands.evidence.description),
    type: ApplicationCommandOptionType.Attachment as const,
  })),
  {
    ...namingOf((locale) => CATALOGUES[locale].commands.messageLink.name),
    ...descriptionOf((locale) => CATALOGUES[locale].commands.messageLink.description),
    type: ApplicationCommandOptionType.String,
    max_length: 200,
  },
];

/**
 * The files that were given to a command. Null if there are none.
 *
 * @throws InputProblem that names the first one that is too large to be kept
 */
function filesGiven(
  options: ChatInputCommandInteraction['options'],
  locale: Locale,
): readonly AttachedFile[] | null {
  const files = OPTION_NAMES.flatMap((name) => options.getAttachment(name) ?? []).map(attachedFile);
  const tooLarge = files.find(({ bytes }) => bytes > MOST_EVIDENCE_BYTES);
  if (tooLarge === undefined) return files.length === 0 ? null : files;
  throw new InputProblem(
    translator(locale, 'evidence')('isTooLarge', {
      name: quoted(tooLarge.name, MOST_OF_NAME),
      size: (tooLarge.bytes / MEGABYTE).toLocaleString(locale, { maximumFractionDigits: 1 }),
      megabytes: String(MOST_EVIDENCE_BYTES / MEGABYTE),
    }),
  );
}

const MOST_OF_NAME = 80;

function attachedFile({ url, name, size }: Attachment): AttachedFile {
  return { url, name, bytes: size };
}

/** What somebody attaches to the case that they are about to open. */
export interface Attached {
  readonly messages: readonly FoundMessage[];
  readonly files: readonly AttachedFile[];
  /** Whether a message could not be read any more, so that only where it was is kept. */
  readonly isGone: boolean;
}

/** Discord's link of a message, as its menu copies it. */
const LINK =
  /^<?https:\/\/(?:(?:ptb|canary)\.)?discord(?:app)?\.com\/channels\/(\d{17,20})\/(\d{17,20})\/(\d{17,20})\/?>?$/;

/** The command and who gave it. */
interface Given {
  readonly options: ChatInputCommandInteraction['options'];
  readonly guildId: string;
  readonly userId: string;
  readonly locale: Locale;
}

/**
 * What was given to a command as evidence: files, and the message of a link. Null if there is nothing.
 *
 * @throws InputProblem that names a file that is too large, or a link to no message that the person can read here
 */
export async function attachedTo(deps: AccessDeps, given: Given): Promise<Attached | null> {
  const files = filesGiven(given.options, given.locale);
  const link = given.options.getString(LINK_NAME);
  if (link === null) return files === null ? null : { messages: [], files, isGone: false };
  const message = await messageOf(deps, link.trim(), given);
  return {
    messages: [message.found],
    files: [...(files ?? []), ...message.files],
    isGone: message.found.text === null,
  };
}

async function messageOf(deps: AccessDeps, link: string, { guildId, userId, locale }: Given) {
  const say = translator(locale, 'evidence');
  const [, ofGuild, channelId = '', messageId = ''] = LINK.exec(link) ?? [];
  if (ofGuild === undefined) throw new InputProblem(say('noLink', { link: quoted(link, MOST_OF_NAME) }));
  if (ofGuild !== guildId) throw new InputProblem(say('notReadable'));
  const named = { guildId, channelId, messageId, userId };
  const read = await readableMessage(deps, named, AbortSignal.timeout(READ_MS)).catch((error: unknown) => {
    throw error instanceof DiscordFailure ? new InputProblem(say('notAnswered')) : error;
  });
  if (read === null) throw new InputProblem(say('notReadable'));
  const { text, files } = await shownOf(deps.api, read);
  return { found: { channelId, messageId, authorId: read.author.id, text }, files };
}

/** What a message holds that was read. Its text is null if Discord hides it, because the bot has no intent for texts. */
async function shownOf(api: DiscordApi, message: APIMessage) {
  const { text, files } = wholeMessage(message);
  const isHidden = text === '' && !(await hasTexts(api));
  return { text: isHidden ? null : text, files };
}

/** Most open forms. */
const MOST_OPEN = 500;
/** How long Discord is asked for a message before somebody is acted on for it. */
const READ_MS = 3_000;

/** Where a message is, in the id of a form about it. */
export function evidenceKey({ channelId, id }: { readonly channelId: string; readonly id: string }): string {
  return `${channelId}-${id}`;
}

/** A form about a message that was filled in. */
interface OpenedForm {
  readonly guildId: string;
  readonly key: string;
  readonly authorId: string;
  /** Who opened it. */
  readonly userId: string;
}

interface FormDeps extends Pick<AccessDeps, 'api' | 'botUserId'> {
  readonly engine: Engine;
}

// Several people may have a form about the same message open, and each of them keeps it for their own.
function placeFor(userId: string, key: string): string {
  return `${userId}-${key}`;
}

/**
 * Messages with an open form, as they were when it was opened. Only this process stores them. If it was restarted
 * meanwhile, the message is read again.
 */
export class OpenEvidence {
  readonly #open = new KeptForPeople<Omit<Attached, 'isGone'> & { readonly userId: string }>(MOST_OPEN);

  /** @returns the key that the form carries */
  keep(
    message: Pick<Message, 'id' | 'channelId'> & { author: { id: string } },
    { text, files }: WholeMessage,
    userId: string,
  ): string {
    const { id: messageId, channelId, author } = message;
    const key = evidenceKey(message);
    const messages = [{ channelId, messageId, authorId: author.id, text }];
    this.#open.keep(placeFor(userId, key), { messages, files, userId });
    return key;
  }

  /**
   * The message of a form about `authorId` that `userId` opened: as it was reported, if the form was opened from a
   * report; read from Discord if this process does not know it. A changed client can send the form of any message, so
   * one that the person cannot read, and one of another author, are gone.
   *
   * @throws ApiError CAPABILITY_DENIED for the form of a report, for who may not read reports
   */
  async of(deps: FormDeps, form: OpenedForm): Promise<Attached> {
    const { guildId, key, authorId, userId } = form;
    const known = this.#open.get(placeFor(userId, key));
    if (known !== undefined) return { messages: known.messages, files: known.files, isGone: false };
    const [channelId = '', messageId] = key.split('-');
    if (messageId === undefined) return ofReport(deps, form);
    const { engine, api, botUserId } = deps;
    const reading = { db: engine.db, api, botUserId };
    const named = { guildId, channelId, messageId, userId };
    const read = await readableMessage(reading, named, AbortSignal.timeout(READ_MS)).catch(
      nullIfDiscordFailed,
    );
    const own = read?.author.id === authorId ? read : null;
    const { text, files } = own === null ? { text: null, files: [] } : await shownOf(api, own);
    return { messages: [{ channelId, messageId, authorId, text }], files, isGone: own === null };
  }
}

/** The message of a report, if the person may read reports and this one is about the author. */
async function ofReport(
  { engine, api }: FormDeps,
  { guildId, key: reportId, authorId, userId }: OpenedForm,
): Promise<Attached> {
  await authorizePerson(engine, { operation: 'reports.get', guildId, userId });
  const reported = await reportedMessage(engine.db.pool, { guildId, reportId, authorId });
  if (reported === null) return { messages: [], files: [], isGone: true };
  const { channelId, id: messageId, text } = reported;
  const files = await freshLinks(api, reported);
  return { messages: [{ channelId, messageId, authorId, text }], files, isGone: false };
}

function nullIfDiscordFailed(error: unknown): null {
  if (error instanceof DiscordFailure) return null;
  throw error;
}

/** Null if it is gone, or if Discord does not say. */
function readMessage(api: DiscordApi, channelId: string, messageId: string): Promise<APIMessage | null> {
  const route = Routes.channelMessage(channelId, messageId);
  return api.get<APIMessage>(route, { signal: AbortSignal.timeout(READ_MS) }).catch(nullIfDiscordFailed);
}

/** The files of a reported message. Links expire within a day, and a message that is still there has new ones. */
async function freshLinks(api: DiscordApi, { channelId, id, files }: ReportedMessage) {
  const read = files.length === 0 ? null : await readMessage(api, channelId, id);
  const now = read === null ? [] : wholeMessage(read).files;
  return files.map((file) => now.find(({ url }) => placeOf(url) === placeOf(file.url)) ?? file);
}

/** What stays the same in the links of a file. */
function placeOf(url: string): string {
  return new URL(url).pathname;
}

/** What is needed to open a case with evidence. */
export interface EvidenceKeeping extends Omit<EvidenceDeps, 'db'> {
  readonly engine: Engine;
  /** Fires when the bot ends. */
  readonly closing: AbortSignal;
}

/**
 * Opens a case with evidence, which is on record before: whenever the bot ends, it is kept if the case is opened. What
 * opens the case may delete the message that has the files. Then they are fetched first, but the case does not wait for
 * them longer than `fetchFirstMs`. A bot that ends leaves the rest to its next start.
 *
 * @param open is given the id that the action has to have
 * @returns the answer of `open`, and what happened to the evidence, as a text; null without any
 * @throws the error of `open`. If that is certain to have opened nothing, the evidence is deleted.
 */
export async function withEvidence<Opened extends { readonly body: object }>(
  { engine, closing, ...deps }: EvidenceKeeping,
  about: {
    readonly guildId: string;
    readonly requestId: string;
    readonly locale: Locale;
    readonly evidence: Attached | null;
    /** 0 if the case does not wait for the files at all. */
    readonly fetchFirstMs: number;
  },
  open: (actionId: string | undefined) => Promise<Opened>,
): Promise<{ opened: Opened; kept: Promise<string | null> }> {
  const { guildId, requestId, locale, evidence, fetchFirstMs } = about;
  if (evidence === null) return { opened: await open(undefined), kept: Promise.resolve(null) };
  const { messages, isGone } = evidence;
  const files = withinBounds(evidence.files);
  const { actionId, waiting } = await attachEvidence(engine.db, { guildId, messages, files });
  const stopped = new AbortController();
  const fetching = fetchEvidence({ db: engine.db, ...deps }, waiting, stopped.signal);
  // Whoever asks for the text meets its error.
  const fetched = fetching.catch(() => {});
  if (fetchFirstMs > 0) await Promise.race([fetched, delay(fetchFirstMs, undefined, { ref: false })]);
  // Only now: a message that is about to be deleted has no files for the next start.
  const listening = addAbortListener(closing, () => stopped.abort());
  void fetched.then(() => listening[Symbol.dispose]());
  // What is refused again and again must not take the room of files that are needed. What cannot be deleted now lapses.
  const drop = () =>
    dropEvidence(engine.db, actionId).catch((err: unknown) => {
      deps.log.warn(
        { err, request_id: requestId, action_id: actionId },
        'evidence of a command that opened no case was not deleted',
      );
    });
  const opened = await open(actionId).catch(async (error: unknown) => {
    if (!isOutcomeUnknown(error)) await drop();
    throw error;
  });
  const found = caseIn(opened.body);
  if (found === null) await drop();
  const text = async () => {
    const counts = await fetching;
    const tooLarge = counts.tooLarge + files.filter(({ problem }) => problem !== null).length;
    const link = `${engine.dashboardUrl}/guilds/${guildId}/cases/${found?.caseNumber}`;
    return evidenceText(locale, { ...counts, tooLarge, isGone }, link) || null;
  };
  return { opened, kept: found === null ? Promise.resolve(null) : text() };
}

/** A text about what happened to the evidence of a case. */
function evidenceText(
  locale: Locale,
  outcome: KeptEvidence & Pick<Attached, 'isGone'>,
  link: string,
): string {
  const say = translator(locale, 'evidence');
  const { kept, tooLarge, unread, full, later, isGone } = outcome;
  const megabytes = String(MOST_EVIDENCE_BYTES / MEGABYTE);
  const together = String(MOST_BYTES_TOGETHER / MEGABYTE);
  return [
    kept === 0 ? '' : say('kept', { count: kept, link }),
    later === 0 ? '' : say('later', { count: later, link }),
    tooLarge === 0 ? '' : say('tooLarge', { count: tooLarge, megabytes, together }),
    unread === 0 ? '' : say('unread', { count: unread }),
    full === 0 ? '' : say('full', { count: full }),
    isGone ? say('gone') : '',
  ]
    .filter(Boolean)
    .join(' ');
}
