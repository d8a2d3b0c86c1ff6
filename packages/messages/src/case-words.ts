import { CASE_KINDS, type CaseKind, type Severity } from '@bailiff/core';
import { translator } from './catalogues.ts';
import { lengthIn } from './lengths.ts';
import type { Locale } from './locales.ts';
import { byKey } from './make.ts';

/** What a case is called within a sentence: "major strike". */
export function sayCase(
  locale: Locale,
  { kind, severity }: { readonly kind: CaseKind; readonly severity: Severity | null },
): string {
  return say(locale, kind, 'inline', { severity: severity ?? 'none' });
}

/** A case as its target is told of it. */
export interface ToldCase {
  readonly kind: CaseKind;
  readonly severity: Severity | null;
  /** Null if it is permanent, and where such a case has no length. */
  readonly durationMinutes: number | null;
  /** When it ends by itself, as Discord shows times; null where it does not. */
  readonly date: string | null;
}

/** What the target of a case is told: what happened, and how it ends; the latter is empty where nothing is said of it. */
export function sayToTarget(
  locale: Locale,
  guild: string,
  { kind, severity, durationMinutes, date }: ToldCase,
): { what: string; ending: string } {
  const length = lengthIn(locale, (durationMinutes ?? 0) * 60);
  const permanent = date === null ? 'yes' : 'no';
  const what = say(locale, kind, 'told', { guild, severity: severity ?? 'minor', permanent, length });
  if (date !== null && CASE_KINDS[kind].term !== 'none')
    return { what, ending: say(locale, kind, 'ends', { date }) };
  const hasMore = byKey(translator(locale, 'operations')).has(keyOf(kind, 'stays'));
  return { what, ending: hasMore ? say(locale, kind, 'stays', {}) : '' };
}

const UNDELIVERED = {
  closed: 'undelivered.closed',
  absent: 'undelivered.absent',
  not_sent: 'undelivered.notSent',
  unknown: 'undelivered.unknown',
} as const;

/** Says that the target of a case was not told, or not for certain. Null for the other results of a message. */
export function sayUndelivered(locale: Locale, result: string, who: string): string | null {
  if (!isUndelivered(result)) return null;
  return translator(locale, 'chat')(UNDELIVERED[result], { who });
}

function isUndelivered(result: string): result is keyof typeof UNDELIVERED {
  return Object.hasOwn(UNDELIVERED, result);
}

type CaseWord = 'inline' | 'told' | 'ends' | 'stays';

function keyOf(kind: CaseKind, word: CaseWord): string {
  return `${CASE_KINDS[kind].words}.case.${word}`;
}

function say(
  locale: Locale,
  kind: CaseKind,
  word: CaseWord,
  values: Readonly<Record<string, string>>,
): string {
  return byKey(translator(locale, 'operations'))(keyOf(kind, word), values);
}
