import {
  evidenceToFetch,
  MOST_EVIDENCE_BYTES,
  settleEvidence,
  type WaitingFile,
} from '@bailiff/engine/cases/evidence';
import type { Database, EvidenceProblem } from '@bailiff/prisma';
import type { RawFile } from 'discord.js';
import { fetchEvidenceLater } from './jobs.ts';
import type { Logger } from './log.ts';
import { Slots } from './slots.ts';
import { storable } from './storable.ts';

/** A file at Discord. Its link expires within a day. */
export interface AttachedFile {
  readonly url: string;
  readonly name: string;
  readonly bytes: number;
}

interface FetchDeps {
  /** Hosts that files may be fetched from. Links to any other host are not followed. */
  readonly fileOrigins: readonly string[];
  readonly log: Logger;
}

export interface EvidenceDeps extends FetchDeps {
  readonly db: Database;
}

/** How many files are kept, and how many are not. */
export interface KeptEvidence {
  readonly kept: number;
  readonly tooLarge: number;
  readonly unread: number;
  /** Files for which the guild has no room left. */
  readonly full: number;
  /** Files that Discord does not hand over at the moment. They are asked for again. */
  readonly later: number;
}

/** The size of all files that are attached to a case at a time. */
export const MOST_BYTES_TOGETHER = 4 * MOST_EVIDENCE_BYTES;
/** The size that Discord accepts in one message from a bot. */
const MOST_BYTES_OF_POST = 10 * 1024 * 1024;
const MOST_FILES = 10;
/** For how many cases files are fetched at once, which limits the memory. */
const AT_ONCE = new Slots(2);
const TIMEOUT_MS = 15_000;
const FILES_OF_POST_TIMEOUT_MS = 5_000;

/** Discord's hosts for files. For another API, such as the sandbox, its own host. */
export function fileOriginsOf(apiUrl: string): readonly string[] {
  const { hostname, origin } = new URL(apiUrl);
  const isDiscord = hostname === 'discord.com';
  return isDiscord ? ['https://cdn.discordapp.com', 'https://media.discordapp.net'] : [origin];
}

/** What is attached to a case, before any of it is fetched: files beyond the bounds have their problem. */
export function withinBounds(files: readonly AttachedFile[]) {
  let roomBytes = MOST_BYTES_TOGETHER;
  return files.slice(0, MOST_FILES).map(({ url, name, bytes }) => {
    const fits = bytes <= Math.min(MOST_EVIDENCE_BYTES, roomBytes);
    if (fits) roomBytes -= bytes;
    return {
      url,
      name: storable(name).slice(0, MOST_NAME),
      bytes,
      problem: fits ? null : 'too_large',
    } as const;
  });
}

/**
 * Fetches files that are on record, and keeps each or notes why not. Those that are not handed over now, or before `until`
 * fires, stay as they are.
 */
export function fetchEvidence(
  deps: EvidenceDeps,
  files: readonly WaitingFile[],
  until: AbortSignal,
): Promise<KeptEvidence> {
  return AT_ONCE.run(async () => {
    const counts = { kept: 0, tooLarge: 0, unread: 0, full: 0, later: 0 };
    const signal = AbortSignal.any([until, AbortSignal.timeout(TIMEOUT_MS)]);
    for (const { id, url, size_bytes: bytes } of files) {
      const content = await contentOf(deps, { url, bytes }, MOST_EVIDENCE_BYTES, signal);
      counts[
        content === 'later' ? 'later' : COUNTED[(await settleEvidence(deps.db, id, content)) ?? 'kept']
      ] += 1;
    }
    return counts;
  });
}

/** `elsewhere` is said of files of imported cases only. */
const COUNTED = {
  kept: 'kept',
  too_large: 'tooLarge',
  unread: 'unread',
  elsewhere: 'unread',
  full: 'full',
} as const satisfies Record<EvidenceProblem | 'kept', keyof KeptEvidence>;

/** How long Discord is asked for a file. */
const ASKED_FOR_MS = 60 * 60_000;

/**
 * Fetches what is left of the files of an action, because its process ended before, or Discord did not hand them over.
 * They are asked for again for an hour, with pauses that grow.
 *
 * @param closing fires when the bot ends. What is not fetched by then is left to the next start.
 */
export async function fetchRemaining(
  deps: EvidenceDeps,
  actionId: string,
  closing: AbortSignal,
): Promise<void> {
  const waiting = await evidenceToFetch(deps.db, actionId);
  const [first] = waiting;
  if (first === undefined) return;
  const { later } = await fetchEvidence(deps, waiting, closing);
  if (later === 0) return;
  const ageMs = Date.now() - first.attached_at.getTime();
  if (ageMs < ASKED_FOR_MS || closing.aborted) return fetchEvidenceLater(deps.db.pool, actionId, ageMs);
  for (const { id } of waiting) await settleEvidence(deps.db, id, 'unread');
}

const MOST_NAME = 255;

/**
 * Files of a message, as many as fit into another one and come within some seconds. Their names hide them until a person
 * chooses to see them.
 */
export async function fetchFiles(
  deps: FetchDeps,
  attached: readonly AttachedFile[],
  signal: AbortSignal,
): Promise<RawFile[]> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(FILES_OF_POST_TIMEOUT_MS)]);
  // Side by side, so that one that hangs keeps no other out of the post.
  const fetched = await Promise.all(
    thatFit(attached).map(async (file) => {
      const content = await contentOf(deps, file, file.bytes, inTime);
      return typeof content === 'string' ? [] : [{ name: spoilerName(file.name), data: content }];
    }),
  );
  return fetched.flat();
}

/** The first files that fit into one message together, by their declared sizes. */
function thatFit(attached: readonly AttachedFile[]): AttachedFile[] {
  let roomBytes = MOST_BYTES_OF_POST;
  return attached.slice(0, MOST_FILES).filter(({ bytes }) => {
    const fits = bytes <= roomBytes;
    if (fits) roomBytes -= bytes;
    return fits;
  });
}

type Content = Buffer | 'too_large' | 'unread' | 'later';

async function contentOf(
  { fileOrigins, log }: FetchDeps,
  { url, bytes }: Pick<AttachedFile, 'url' | 'bytes'>,
  mostBytes: number,
  signal: AbortSignal,
): Promise<Content> {
  if (!fileOrigins.includes(URL.parse(url)?.origin ?? '')) return 'unread';
  if (bytes > mostBytes) return 'too_large';
  return download(url, mostBytes, signal).catch((error: unknown) => {
    log.info({ err: error }, 'an attached file could not be fetched');
    return error instanceof Unavailable ? ('unread' as const) : ('later' as const);
  });
}

/** What is there will not be handed over later either. */
class Unavailable extends Error {}

/** The content at an address, up to a maximum size. @throws Unavailable if asking again is no use, or another Error */
async function download(url: string, mostBytes: number, signal: AbortSignal): Promise<Buffer> {
  const response = await fetch(url, { signal, redirect: 'manual' });
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    const { status } = response;
    const problem = `The file was answered with ${status}`;
    throw status < 500 && status !== 429 ? new Unavailable(problem) : new Error(problem);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > mostBytes) throw new Unavailable('The file is larger than it was said to be');
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
