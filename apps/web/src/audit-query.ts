import { ACTOR_SOURCES, AUDIT_OUTCOMES } from '@bailiff/core';
import { dayOf } from './page-query.ts';

/** The parameters in the audit log's address, each with the pattern of its values. */
const PATTERNS = {
  q: /^[^\p{Cc}\p{Cs}]{1,100}$/u,
  source: new RegExp(`^(${ACTOR_SOURCES.join('|')})$`),
  outcome: new RegExp(`^(${AUDIT_OUTCOMES.join('|')})$`),
  operation: /^[a-z_]{1,40}(\.[a-z_]{1,40})?$/,
  actor: /^\d{17,20}$/,
  token: /^tok_[0-9a-f]{32}$/,
  target: /^[0-9a-z_]{1,64}$/i,
  request: /^[\x21-\x7e]{1,128}$/,
  from: /^[\d-]{10}$/,
  to: /^[\d-]{10}$/,
  reads: /^shown$/,
} as const;

export type AuditParameter = keyof typeof PATTERNS;
export const AUDIT_PARAMETERS = Object.keys(PATTERNS) as readonly AuditParameter[];

/** The valid parameters of an address, by name. */
export type AuditParameters = Readonly<Partial<Record<AuditParameter, string>>>;

export interface ReadParameters {
  readonly given: AuditParameters;
  /** The names of the invalid parameters. */
  readonly wrong: readonly AuditParameter[];
}

/** The parameters of an address or of another source. Empty ones, which a form sends, count as absent. */
export function readAuditParameters(rawOf: (name: AuditParameter) => unknown): ReadParameters {
  const given: Partial<Record<AuditParameter, string>> = {};
  const wrong: AuditParameter[] = [];
  for (const name of AUDIT_PARAMETERS) {
    const raw = rawOf(name);
    const value = typeof raw === 'string' ? raw.trim() : raw;
    if (value === undefined || value === null || value === '') continue;
    if (typeof value === 'string' && PATTERNS[name].test(value) && (!isDay(name) || dayOf(value) !== null)) {
      given[name] = value;
    } else wrong.push(name);
  }
  return { given, wrong };
}

function isDay(name: AuditParameter): boolean {
  return name === 'from' || name === 'to';
}
