/** Part of a User-Agent, and its name. The first that is found counts: Edge also says Chrome, and Chrome says Safari. */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;
const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Macintosh', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** What a User-Agent says of itself; null for what it does not say. It can lie, so nothing may depend on it. */
export function browserName(userAgent: string): { browser: string | null; system: string | null } {
  const named = (table: readonly (readonly [string, string])[]) =>
    table.find(([part]) => userAgent.includes(part))?.[1] ?? null;
  return { browser: named(BROWSERS), system: named(SYSTEMS) };
}
