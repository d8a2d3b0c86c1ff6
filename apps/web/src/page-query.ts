/** The query of a page's address, as Next passes it. */
export type PageQuery = Readonly<Record<string, string | string[] | undefined>>;

const MOST_CHARACTERS = 200;

/** A parameter without surrounding spaces; undefined if it is absent, empty or given twice. */
export function textIn(query: PageQuery, name: string): string | undefined {
  const value = query[name];
  const text =
    typeof value === 'string' ? value.replaceAll('\u0000', '').trim().slice(0, MOST_CHARACTERS) : '';
  return text === '' ? undefined : text.toWellFormed();
}

/** A parameter with one of these values; undefined for any other value. */
export function choiceIn<const Choice extends string>(
  query: PageQuery,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  return choices.find((choice) => choice === query[name]);
}

/** A parameter with the id of a Discord user; undefined for any other value. */
export function userIn(query: PageQuery, name: string): string | undefined {
  const text = textIn(query, name);
  return text !== undefined && isUserId(text) ? text : undefined;
}

export function isUserId(text: string): boolean {
  return /^\d{17,20}$/.test(text);
}

/** Whether a text is an id of Discord's or of Bailiff's. */
export function isId(text: string): boolean {
  return isUserId(text) || /^[a-z]{3}_[0-9a-f]{32}$/.test(text);
}

/** The number in a path or query, such as a case number; undefined if it is not one. */
export function numberOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^[1-9]\d{0,9}$/.test(text)) return undefined;
  const number = Number(text);
  return number <= 2_147_483_647 ? number : undefined;
}

/** The cursor of a page of a list, from its address. */
export function cursorIn(query: PageQuery, limit: number) {
  return { before: numberOf(textIn(query, 'before')), after: numberOf(textIn(query, 'after')), limit };
}

const DAY_MS = 86_400_000;

/** The start of a day in UTC; with `andAll`, its end. */
export function dayIn(query: PageQuery, name: string, andAll = false): Date | undefined {
  const day = dayOf(textIn(query, name) ?? '');
  return day === null ? undefined : new Date(day.getTime() + (andAll ? DAY_MS : 0));
}

/** Midnight in UTC at the start of a day such as `2026-11-22`; null if there is no such day in this century. */
export function dayOf(value: string): Date | null {
  if (!/^20\d{2}-\d{2}-\d{2}$/.test(value)) return null;
  const at = new Date(`${value}T00:00:00.000Z`);
  return Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== value ? null : at;
}

/** An address with these parameters, without the empty ones. */
export function addressWith(
  path: string,
  parameters: Readonly<Record<string, string | number | undefined>>,
): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** The addresses of the newer and older pages of a list. */
export function pagesBeside(
  path: string,
  parameters: Readonly<Record<string, string | undefined>>,
  { newer, older }: { newer: string | number | null; older: string | number | null },
): { newerHref: string | null; olderHref: string | null } {
  return {
    newerHref: newer === null ? null : addressWith(path, { ...parameters, after: newer }),
    olderHref: older === null ? null : addressWith(path, { ...parameters, before: older }),
  };
}
