import { keepEvidenceFile, MOST_EVIDENCE_BYTES } from '@bailiff/engine/cases/evidence';
import type { Database } from '@bailiff/prisma';
import type { RawFile } from 'discord.js';
import type { Logger } from './log.ts';
import { storable } from './performers/archived-message.ts';
import { Slots } from './slots.ts';

/** A file at Discord. Its link expires within a day. */
export interface AttachedFile {
  readonly url: string;
  readonly name: string;
  readonly bytes: number;
}

/** The files that are evidence, and the case that is being opened about them. */
export interface Evidence {
  /** Null if it was not opened. */
  readonly opened: Promise<{ readonly caseId: string; readonly caseNumber: number } | null>;
  /** Called when the files have been fetched: their message is not needed any longer. */
  readonly onFetched: () => void;
  readonly files: readonly AttachedFile[];
}

interface FetchDeps {
  /** Hosts that files may be fetched from. Links to any other host are not followed. */
  readonly fileOrigins: readonly string[];
  readonly log: Logger;
}

export interface EvidenceDeps extends FetchDeps {
  readonly db: Database;
}

/** The case, and how many of its files are kept and how many are not. */
export interface KeptEvidence {
  readonly caseNumber: number;
  readonly kept: number;
  readonly tooLarge: number;
  readonly unread: number;
  /** Files for which the guild has no room left. */
  readonly full: number;
}

/** The size of all files of one case together, which this process holds until the case is open. */
export const MOST_BYTES_TOGETHER = 4 * MOST_EVIDENCE_BYTES;
/** The size that Discord accepts in one message from a bot. */
const MOST_BYTES_OF_POST = 10 * 1024 * 1024;
const MOST_FILES = 10;
/** How many cases are processed at once, which limits the memory. */
const AT_ONCE = new Slots(2);
const TIMEOUT_MS = 15_000;

/** Discord's hosts for files. For another API, such as the sandbox, its own host. */
export function fileOriginsOf(apiUrl: string): readonly string[] {
  const { hostname, origin } = new URL(apiUrl);
  const isDiscord = hostname === 'discord.com';
  return isDiscord ? ['https://cdn.discordapp.com', 'https://media.discordapp.net'] : [origin];
}

/**
 * Keeps files with a case. They are fetched while the case is being opened. Those that cannot be kept are on record with
 * the case, which remains valid. Null if no case was opened.
 */
export function keepEvidence(deps: EvidenceDeps, evidence: Evidence): Promise<KeptEvidence | null> {
  return AT_ONCE.run(async () => {
    const fetched = await fetchAll(
      deps,
      evidence.files,
      { each: MOST_EVIDENCE_BYTES, together: MOST_BYTES_TOGETHER },
      AbortSignal.timeout(TIMEOUT_MS),
    );
    evidence.onFetched();
    const opened = await evidence.opened;
    if (opened === null) return null;
    const { caseId, caseNumber } = opened;
    const problems: Awaited<ReturnType<typeof keepEvidenceFile>>[] = [];
    for (const { name, bytes, content } of fetched) {
      const file = { caseId, name: storable(name).slice(0, MOST_NAME), sizeBytes: bytes, content };
      problems.push(await keepEvidenceFile(deps.db, file));
    }
    const count = (problem: (typeof problems)[number]) => problems.filter((each) => each === problem).length;
    return {
      caseNumber,
      kept: count(null),
      tooLarge: count('too_large'),
      unread: count('unread'),
      full: count('full'),
    };
  });
}

const MOST_NAME = 255;

/** Files of a message, as many as fit into another one. Their names hide them until a person chooses to see them. */
export function fetchFiles(
  deps: FetchDeps,
  attached: readonly AttachedFile[],
  signal: AbortSignal,
): Promise<RawFile[]> {
  return AT_ONCE.run(async () => {
    const most = { each: MOST_BYTES_OF_POST, together: MOST_BYTES_OF_POST };
    const fetched = await fetchAll(deps, attached, most, signal);
    return fetched.flatMap(({ name, content }) =>
      typeof content === 'string' ? [] : [{ name: spoilerName(name), data: content }],
    );
  });
}

interface FetchedFile extends AttachedFile {
  readonly content: Buffer | 'too_large' | 'unread';
}

async function fetchAll(
  deps: FetchDeps,
  attached: readonly AttachedFile[],
  most: { readonly each: number; readonly together: number },
  signal: AbortSignal,
): Promise<FetchedFile[]> {
  const files: FetchedFile[] = [];
  let roomBytes = most.together;
  for (const file of attached.slice(0, MOST_FILES)) {
    const content = await contentOf(deps, file, Math.min(most.each, roomBytes), signal);
    if (typeof content !== 'string') roomBytes -= content.byteLength;
    files.push({ ...file, content });
  }
  return files;
}

async function contentOf(
  { fileOrigins, log }: FetchDeps,
  { url, bytes }: AttachedFile,
  mostBytes: number,
  signal: AbortSignal,
): Promise<FetchedFile['content']> {
  if (!fileOrigins.includes(URL.parse(url)?.origin ?? '')) return 'unread';
  if (bytes > mostBytes) return 'too_large';
  return download(url, mostBytes, signal).catch((error: unknown) => {
    log.info({ err: error }, 'an attached file could not be fetched');
    return 'unread' as const;
  });
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
