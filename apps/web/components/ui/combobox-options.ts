import { folded } from '#src/folded.ts';

export interface ComboboxOption {
  readonly id: string;
  readonly text: string;
  /** The heading under which it stands; options of one group follow each other. */
  readonly group?: string | null;
  /** A colour beside it, as Discord writes one; 0 is none. */
  readonly color?: number;
  readonly detail?: string | null;
  /** What to know before choosing it. */
  readonly note?: string | null;
}

/** What a typed or pasted text stands for, besides the options that contain it. */
export type Offer = (typed: string) => ComboboxOption | null;

/** The text as it is compared: folded, and without the sign before the name of a channel or role. */
export function plain(text: string): string {
  return folded(text).replace(/^[#@]/, '').trim();
}

/** The options whose text contains what was typed, and first what was offered for it. */
export function matches(
  options: readonly ComboboxOption[],
  typed: string,
  offer?: Offer,
): readonly ComboboxOption[] {
  const wanted = plain(typed);
  const containing = options.filter(({ text }) => plain(text).includes(wanted));
  const offered = offer?.(typed.trim()) ?? null;
  if (offered === null) return containing;
  return [offered, ...containing.filter(({ id }) => id !== offered.id)];
}

/** The one option that has the text as its name, or that was offered for it. */
export function meantBy(
  options: readonly ComboboxOption[],
  typed: string,
  offer?: Offer,
): ComboboxOption | null {
  const named = options.filter(({ text }) => plain(text) === plain(typed));
  return (named.length === 1 ? named[0] : offer?.(typed)) ?? null;
}

/** Options under the headings under which they stand; the first one may have none. */
export function groupsOf(options: readonly ComboboxOption[]): [string, ComboboxOption[]][] {
  return [...Map.groupBy(options, ({ group }) => group ?? '')];
}
