import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from '@bailiff/engine/engine';
import { type Locale, sayError, translator } from '@bailiff/messages';
import type { Message } from 'discord.js';
import {
  type AttachedFile,
  type CaseOfEvidence,
  type EvidenceDeps,
  type KeptEvidence,
  keepEvidence,
  MOST_EVIDENCE_BYTES,
} from '#src/evidence.ts';
import { caseIn } from './case-in.ts';

/** Most open forms. Beyond that, the oldest are forgotten. */
const MOST_OPEN = 500;

/**
 * The files of messages with an open form, by a key that the form carries. Only this process stores them. If it was
 * restarted meanwhile, the person who sends the form is told that the files were not kept.
 */
export class OpenEvidence {
  readonly #open = new Map<string, readonly AttachedFile[]>();

  /** @returns the key; undefined for a message without files */
  keep({ attachments }: Pick<Message, 'attachments'>): string | undefined {
    if (attachments.size === 0) return undefined;
    const key = randomBytes(8).toString('hex');
    this.#open.set(
      key,
      attachments.map(({ url, name, size }) => ({ url, name, bytes: size })),
    );
    const [oldest] = this.#open.keys();
    if (this.#open.size > MOST_OPEN && oldest !== undefined) this.#open.delete(oldest);
    return key;
  }

  /** The files, once. `forgotten` if they are not known any more. */
  take(key: string): readonly AttachedFile[] | 'forgotten' {
    const files = this.#open.get(key);
    this.#open.delete(key);
    return files ?? 'forgotten';
  }
}

/**
 * Opens a case about a message and keeps the message's files with it. What opens the case may delete the message. Then
 * the files are fetched first, but the case does not wait for them longer than `fetchFirstMs`.
 *
 * @returns the answer of `open`, and what happened to the files, as a text; null without files
 */
export async function withFiles<Opened extends { readonly body: object }>(
  { engine, ...deps }: Omit<EvidenceDeps, 'db'> & { readonly engine: Engine },
  about: {
    readonly guildId: string;
    readonly locale: Locale;
    readonly files: readonly AttachedFile[] | 'forgotten' | null;
    /** 0 if the case does not wait for the files at all. */
    readonly fetchFirstMs: number;
  },
  open: () => Promise<Opened>,
): Promise<{ opened: Opened; kept: Promise<string | null> }> {
  const { guildId, locale, files, fetchFirstMs } = about;
  if (files === null || files === 'forgotten') {
    const text = files === null ? null : evidenceText(locale, files, 0);
    return { opened: await open(), kept: Promise.resolve(text) };
  }
  const fetched = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<CaseOfEvidence | null>();
  const keeping = keepEvidence(
    { db: engine.db, ...deps },
    { guildId, files, opened: opened.promise, onFetched: fetched.resolve },
  ).then((kept) => (kept === null ? null : evidenceText(locale, kept, files.length)));
  // Whoever asks for the text meets its error.
  keeping.catch(() => {}).finally(fetched.resolve);
  try {
    if (fetchFirstMs > 0)
      await Promise.race([fetched.promise, delay(fetchFirstMs, undefined, { ref: false })]);
    const answer = await open();
    opened.resolve(caseIn(answer.body));
    return { opened: answer, kept: keeping };
  } finally {
    opened.resolve(null);
  }
}

/** A text about what happened to the files. */
export function evidenceText(locale: Locale, outcome: KeptEvidence | 'forgotten', given: number): string {
  const say = translator(locale, 'evidence');
  if (outcome === 'forgotten') return say('forgotten');
  const { link, kept, tooLarge, unread, unposted, channelId, refusal } = outcome;
  if (channelId === null) return say('noChannel', { count: given });
  const megabytes = MOST_EVIDENCE_BYTES / 1024 / 1024;
  return [
    link === null ? '' : say('kept', { count: kept, link }),
    tooLarge === 0 ? '' : say('tooLarge', { count: tooLarge, megabytes: String(megabytes) }),
    unread === 0 ? '' : say('unread', { count: unread }),
    unposted === 0 ? '' : say('unposted', { count: unposted, channel: `<#${channelId}>` }),
    refusal === null ? '' : sayError(translator(locale, 'errors'), refusal),
  ]
    .filter(Boolean)
    .join(' ');
}
