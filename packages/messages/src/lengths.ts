import type { Locale } from './locales.ts';

const SECONDS = [
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** About how long something took: `95 minutes`, `3 Stunden`, `2 jours`. */
export function roughLengthIn(locale: Locale, seconds: number): string {
  const size = [86_400, 3_600, 60].find((each) => seconds >= 2 * each) ?? 1;
  return lengthIn(locale, Math.round(seconds / size) * size);
}

/** A duration in the largest unit that gives a whole number: `1 day`, `90 Minuten`, `2 semaines`. */
export function lengthIn(locale: Locale, seconds: number): string {
  const [unit, size] = SECONDS.find((each) => seconds !== 0 && seconds % each[1] === 0) ?? ['second', 1];
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / size);
}
