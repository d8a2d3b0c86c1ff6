import { folded } from './folded.ts';
import type { PersonWire } from './person-wire.ts';
import type { Destination } from './shortcuts.ts';

/** Something that the palette offers. Choosing it opens an address, or continues with another text in the field. */
export interface PaletteItem {
  readonly key: string;
  readonly group: 'cases' | 'people' | 'pages' | 'settings' | 'tokens' | 'acts';
  readonly label: string;
  readonly detail?: string | undefined;
  readonly leads: { readonly href: string } | { readonly text: string };
}

/** A setting that the reader may change, and the section of the settings that has it. */
export interface PaletteSetting {
  readonly label: string;
  readonly section: string;
  readonly href: string;
}

/** An action on a person that the reader may do, such as Ban. */
export interface PaletteAct {
  readonly operation: string;
  readonly label: string;
}

export type PalettePerson = Pick<PersonWire, 'user_id' | 'display_name' | 'username'>;

interface Offered {
  readonly text: string;
  /** The address of the guild's pages. */
  readonly base: string;
  readonly pages: readonly Destination[];
  readonly settings: readonly PaletteSetting[];
  readonly acts: readonly PaletteAct[];
  readonly people: readonly PalettePerson[];
  readonly tokens: readonly { readonly id: string; readonly name: string }[];
  readonly caseLabel: (number: string) => string;
  readonly canReadCases: boolean;
}

const MOST_PEOPLE = 8;
const MOST_TOKENS = 5;

/** What the palette offers for a text, the likeliest first. */
export function paletteItems(offered: Offered): readonly PaletteItem[] {
  const { text, base, pages, settings, acts, people, tokens, caseLabel, canReadCases } = offered;
  const { act, wanted } = readText(text, acts);
  const named = people.slice(0, MOST_PEOPLE).map((person) => ({
    id: person.user_id,
    name: person.display_name ?? person.username ?? person.user_id,
    detail: person.username === null ? undefined : `@${person.username}`,
  }));
  if (act !== null) {
    return named.map(({ id, name, detail }) => ({
      key: `act-${id}`,
      group: 'acts',
      label: `${act.label}: ${name}`,
      detail,
      leads: { href: `${base}/members/${id}?act=${act.operation}` },
    }));
  }
  const number = /^#?([1-9]\d{0,8})$/.exec(wanted)?.[1];
  const contains = (label: string) => folded(label).includes(folded(wanted));
  return [
    ...(number === undefined || !canReadCases
      ? []
      : [
          {
            key: 'case',
            group: 'cases' as const,
            label: caseLabel(number),
            leads: { href: `${base}/cases/${number}` },
          },
        ]),
    ...pages
      .filter(({ label }) => contains(label))
      .map(({ label, href }) => ({ key: href, group: 'pages' as const, label, leads: { href } })),
    ...(wanted === '' ? [] : settings)
      .filter(({ label, section }) => contains(label) || contains(section))
      .map(({ label, section, href }) => ({
        key: `${href}-${label}`.replaceAll(' ', '-'),
        group: 'settings' as const,
        label,
        detail: section,
        leads: { href },
      })),
    ...named.map(({ id, name, detail }) => ({
      key: id,
      group: 'people' as const,
      label: name,
      detail,
      leads: { href: `${base}/members/${id}` },
    })),
    ...acts
      .filter(({ label }) => contains(label))
      .map(({ operation, label }) => ({
        key: operation,
        group: 'acts' as const,
        label: `${label} …`,
        leads: { text: `${label} ` },
      })),
    ...(wanted === '' ? [] : tokens)
      .filter(({ name }) => contains(name))
      .slice(0, MOST_TOKENS)
      .map(({ id, name }) => ({
        key: id,
        group: 'tokens' as const,
        label: name,
        leads: { href: `${base}/tokens#${id}` },
      })),
  ];
}

/** The name or id to look for; null if the text is too short to look for anybody. */
export function personWanted(text: string, acts: readonly PaletteAct[]): string | null {
  const { wanted } = readText(text, acts);
  return Array.from(wanted).length < 2 ? null : wanted;
}

/** A text such as `ban hugo` is an action and the person it is for; any other is only what is looked for. */
function readText(text: string, acts: readonly PaletteAct[]): { act: PaletteAct | null; wanted: string } {
  const act = acts.find(({ label }) => folded(text).startsWith(`${folded(label)} `)) ?? null;
  return { act, wanted: (act === null ? text : text.slice(act.label.length)).trim() };
}
