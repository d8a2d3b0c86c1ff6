import { randomBytes } from 'node:crypto';
import { type Locale, sayError, translator } from '@bailiff/messages';
import type { Message } from 'discord.js';
import { type AttachedFile, type KeptEvidence, MOST_EVIDENCE_BYTES } from '#src/evidence.ts';

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
