import { z } from 'zod';
import { CASE_KIND_NAMES, CASE_KINDS, type CaseKind, caseKind } from './case-kinds.ts';

const CASE_PREFIXES = Object.fromEntries(
  Object.entries(CASE_KINDS).map(([kind, { idPrefix }]) => [kind, idPrefix]),
) as { readonly [K in CaseKind]: (typeof CASE_KINDS)[K]['idPrefix'] };

/**
 * The prefix of each kind of Bailiff's ids (decisions: Names). A UUIDv7 without dashes follows, made by the database.
 */
export const ID_PREFIXES = {
  token: 'tok',
  window: 'win',
  ...CASE_PREFIXES,
  ticket: 'tkt',
  ticket_note: 'tno',
  report: 'rpt',
  server: 'srv',
  action: 'act',
  approval: 'apr',
  audit: 'aud',
  archive: 'arc',
  appeal: 'apl',
  evidence: 'evi',
  message: 'msg',
  run: 'run',
  note: 'not',
  identity: 'idn',
  link: 'lnk',
  preset: 'pre',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

/** Schema of an id of Bailiff's. */
export function id(kind: IdKind) {
  const prefix = ID_PREFIXES[kind];
  return z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9a-f]{32}$`), `must be an id that begins with ${prefix}_`)
    .meta({ examples: [`${prefix}_0190b7c44a3c7d3a9c3f2f6f0e8a1b2c`] });
}

const OF_CASES = CASE_KIND_NAMES.map((kind) => ID_PREFIXES[kind]).join('|');

/** Schema of the id of a case of any kind. */
export const CaseId = z
  .string()
  .regex(new RegExp(`^(?:${OF_CASES})_[0-9a-f]{32}$`), 'must be the id of a case')
  .meta({ examples: [`${ID_PREFIXES.strike}_0190b7c44a3c7d3a9c3f2f6f0e8a1b2c`] });

/** The kind of a case, which the prefix of its id tells. Null for what is no id of a case. */
export function kindOfCaseId(text: string): CaseKind | null {
  if (!CaseId.safeParse(text).success) return null;
  return CASE_KIND_NAMES.find((kind) => text.startsWith(`${caseKind(kind).idPrefix}_`)) ?? null;
}

/**
 * Discord's ids: 17 to 20 digits, always a string (decisions: Names). A number has one spelling, without leading zeros,
 * so that a comparison of texts cannot be passed with another one. The bound is 18 × 10^18, a little under 2^64.
 */
export const Snowflake = z
  .string()
  .regex(/^(?:[1-9]\d{16,18}|1[0-7]\d{18})$/, 'must be a Discord id: a string of 17 to 20 digits')
  .meta({ examples: ['123456789012345678'] });

/** Discord's ids begin with the milliseconds since 2015. */
const DISCORD_EPOCH_MS = 1_420_070_400_000;

/** The moment in which Discord made an id, such as that in which a message was sent. */
export function madeAt(id: string): Date {
  return new Date(Number(BigInt(id) >> 22n) + DISCORD_EPOCH_MS);
}
