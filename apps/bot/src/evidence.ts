import type { ActionError } from '@bailiff/engine/calls/actions';
import { guildSettings } from '@bailiff/engine/guilds/guild-settings';
import { translator } from '@bailiff/messages';
import type { Database } from '@bailiff/prisma';
import { type APIMessage, messageLink, type RawFile, Routes } from 'discord.js';
import { requireAccess } from './channel-access.ts';
import { type DiscordApi, DiscordFailure } from './discord-api.ts';
import { usualRefusal } from './discord-errors.ts';
import type { Logger } from './log.ts';
import { Slots } from './slots.ts';

/** A file of a message at Discord. Its link expires within a day. */
export interface AttachedFile {
  readonly url: string;
  readonly name: string;
  readonly bytes: number;
}

/** A case, as the message with its files names it. */
export interface CaseOfEvidence {
  readonly caseNumber: number;
  readonly userId: string;
}

/** The files that are evidence, and the case that is being opened about them. */
export interface Evidence {
  readonly guildId: string;
  /** Null if it was not opened. */
  readonly opened: Promise<CaseOfEvidence | null>;
  /** Called when the files have been fetched: their message is not needed any longer. */
  readonly onFetched: () => void;
  readonly files: readonly AttachedFile[];
}

export interface EvidenceDeps {
  readonly db: Database;
  readonly api: DiscordApi;
  readonly botUserId: string;
  /** Hosts that files may be fetched from. Links to any other host are not followed. */
  readonly fileOrigins: readonly string[];
  readonly log: Logger;
}

/** The result for the files, in numbers. */
export interface KeptEvidence {
  /** The message that has them now. Null if there is none. */
  readonly link: string | null;
  readonly kept: number;
  readonly tooLarge: number;
  readonly unread: number;
  /** Files that were fetched but not accepted by the log channel. */
  readonly unposted: number;
  /** The channel where cases are posted. Null if the guild has set none. */
  readonly channelId: string | null;
  /** What the bot lacks to post there, if that is known. */
  readonly refusal: ActionError | null;
}

/** The size that Discord accepts in one message from a bot, and that this process holds for one case. */
export const MOST_EVIDENCE_BYTES = 10 * 1024 * 1024;
const MOST_FILES = 10;
/** How many cases are processed at once, which limits the memory. */
const AT_ONCE = new Slots(2);
/** The person who acted waits for it. */
const TIMEOUT_MS = 6_000;

/** Discord's hosts for files. For another API, such as the sandbox, its own host. */
export function fileOriginsOf(apiUrl: string): readonly string[] {
  const { hostname, origin } = new URL(apiUrl);
  const isDiscord = hostname === 'discord.com';
  return isDiscord ? ['https://cdn.discordapp.com', 'https://media.discordapp.net'] : [origin];
}

/**
 * Posts the files of a message to the guild's log channel, so that they outlast the message and Discord's links. They
 * are fetched while the case is being opened. Never throws for a file that cannot be kept, because its case remains
 * valid. Null if no case was opened.
 */
export function keepEvidence(deps: EvidenceDeps, evidence: Evidence): Promise<KeptEvidence | null> {
  return AT_ONCE.run(async () => {
    const { logChannelId, language } = await guildSettings(deps.db, evidence.guildId);
    if (logChannelId === null) return { ...NOTHING_KEPT, channelId: null };
    const fetching = AbortSignal.timeout(TIMEOUT_MS);
    const { files, tooLarge, unread } = await fetchAll(deps, evidence.files, fetching);
    evidence.onFetched();
    const opened = await evidence.opened;
    if (opened === null) return null;
    const told = { ...NOTHING_KEPT, channelId: logChannelId, tooLarge, unread };
    if (files.length === 0) return told;
    const say = translator(language, 'evidence');
    const content = say('caption', {
      number: String(opened.caseNumber),
      user: `<@${opened.userId}>`,
    });
    const posting = AbortSignal.timeout(TIMEOUT_MS);
    const channel = { guildId: evidence.guildId, channelId: logChannelId };
    const messageId = await post(deps, channel, content, files, posting);
    if (typeof messageId !== 'string') return { ...told, unposted: files.length, refusal: messageId };
    return { ...told, kept: files.length, link: messageLink(logChannelId, messageId, evidence.guildId) };
  });
}

const NOTHING_KEPT = { link: null, kept: 0, tooLarge: 0, unread: 0, unposted: 0, refusal: null } as const;

/** Posts the files. Returns the id of the message, or why there is none. */
async function post(
  deps: EvidenceDeps,
  { guildId, channelId }: { guildId: string; channelId: string },
  content: string,
  files: RawFile[],
  signal: AbortSignal,
): Promise<string | ActionError> {
  try {
    const found = await requireAccess(
      deps,
      { guildId, channelId, signal },
      'ViewChannel',
      'SendMessages',
      'AttachFiles',
    );
    if ('refusal' in found) return found.refusal;
    const body = { content, allowed_mentions: { parse: [] } };
    const posted = await deps.api.send('POST', Routes.channelMessages(channelId), { signal, body, files });
    return (posted as APIMessage).id;
  } catch (error) {
    if (!(error instanceof DiscordFailure)) throw error;
    deps.log.warn({ err: error, channel_id: channelId }, 'evidence could not be posted');
    return usualRefusal(error);
  }
}

interface Fetched {
  readonly files: RawFile[];
  readonly tooLarge: number;
  readonly unread: number;
}

/** Files of a message, as many as fit. Their names hide them until a person chooses to see them. */
export function fetchFiles(
  deps: Pick<EvidenceDeps, 'fileOrigins' | 'log'>,
  attached: readonly AttachedFile[],
  signal: AbortSignal,
): Promise<RawFile[]> {
  return AT_ONCE.run(async () => (await fetchAll(deps, attached, signal)).files);
}

async function fetchAll(
  { fileOrigins, log }: Pick<EvidenceDeps, 'fileOrigins' | 'log'>,
  attached: readonly AttachedFile[],
  signal: AbortSignal,
): Promise<Fetched> {
  const files: RawFile[] = [];
  let tooLarge = 0;
  let unread = 0;
  let roomBytes = MOST_EVIDENCE_BYTES;
  for (const [index, file] of attached.entries()) {
    const isOurs = fileOrigins.includes(URL.parse(file.url)?.origin ?? '');
    if (!isOurs || index >= MOST_FILES) {
      unread += 1;
    } else if (file.bytes > roomBytes) {
      tooLarge += 1;
    } else {
      const data = await download(file.url, roomBytes, signal).catch((error: unknown) => {
        log.info({ err: error }, 'an attached file could not be fetched');
        return null;
      });
      if (data === null) {
        unread += 1;
      } else {
        roomBytes -= data.byteLength;
        files.push({ name: spoilerName(file.name), data });
      }
    }
  }
  return { files, tooLarge, unread };
}

/** The content at an address, up to a maximum size. @throws Error */
async function download(url: string, mostBytes: number, signal: AbortSignal): Promise<Buffer> {
  const response = await fetch(url, { signal, redirect: 'error' });
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new Error(`The file was answered with ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > mostBytes) throw new Error('The file is larger than it was said to be');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Discord hides a file with this prefix until a person chooses to see it. */
function spoilerName(name: string): string {
  return `SPOILER_${name
    .replace(/^SPOILER_/, '')
    .replace(/[^\w.-]+/g, '_')
    .slice(-80)}`;
}
