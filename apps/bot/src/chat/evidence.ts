import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { MOST_EVIDENCE_BYTES } from '@bailiff/engine/cases/evidence';
import type { Engine } from '@bailiff/engine/engine';
import { CATALOGUES, DEFAULT_LOCALE, type Locale, translator } from '@bailiff/messages';
import {
  type APIApplicationCommandAttachmentOption,
  ApplicationCommandOptionType,
  type Attachment,
  type ChatInputCommandInteraction,
  type Message,
} from 'discord.js';
import {
  type AttachedFile,
  type Evidence,
  type EvidenceDeps,
  type KeptEvidence,
  keepEvidence,
  MOST_BYTES_TOGETHER,
} from '#src/evidence.ts';
import { caseIn } from './case-in.ts';
import { descriptionOf, namingOf } from './command-texts.ts';
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

/** The options for files of the commands that take some. */
export const EVIDENCE_OPTIONS: readonly APIApplicationCommandAttachmentOption[] = OPTION_NAMES.map(
  (_, index) => ({
    ...namingOf((locale) => numbered(CATALOGUES[locale].commands.evidence.name, index)),
    ...descriptionOf((locale) => CATALOGUES[locale].commands.evidence.description),
    type: ApplicationCommandOptionType.Attachment,
  }),
);

/**
 * The files that were given to a command. Null if there are none.
 *
 * @throws InputProblem that names the first one that is too large to be kept
 */
export function filesGiven(
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
    this.#open.set(key, attachments.map(attachedFile));
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
 * Opens a case and keeps files with it. What opens the case may delete the message that has them. Then the files are
 * fetched first, but the case does not wait for them longer than `fetchFirstMs`.
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
  if (files === null) return { opened: await open(), kept: Promise.resolve(null) };
  if (files === 'forgotten')
    return { opened: await open(), kept: Promise.resolve(translator(locale, 'evidence')('forgotten')) };
  const fetched = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<Awaited<Evidence['opened']>>();
  const evidence = { files, opened: opened.promise, onFetched: fetched.resolve };
  const keeping = keepEvidence({ db: engine.db, ...deps }, evidence).then((kept) =>
    kept === null
      ? null
      : evidenceText(locale, kept, `${engine.dashboardUrl}/guilds/${guildId}/cases/${kept.caseNumber}`),
  );
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

/** A text about what happened to the files of a case. */
function evidenceText(locale: Locale, outcome: KeptEvidence, link: string): string {
  const say = translator(locale, 'evidence');
  const { kept, tooLarge, unread, full } = outcome;
  const megabytes = String(MOST_EVIDENCE_BYTES / MEGABYTE);
  const together = String(MOST_BYTES_TOGETHER / MEGABYTE);
  return [
    kept === 0 ? '' : say('kept', { count: kept, link }),
    tooLarge === 0 ? '' : say('tooLarge', { count: tooLarge, megabytes, together }),
    unread === 0 ? '' : say('unread', { count: unread }),
    full === 0 ? '' : say('full', { count: full }),
  ]
    .filter(Boolean)
    .join(' ');
}
