import { hash } from 'node:crypto';
import type { InputOf, OperationName } from './operations/index.ts';

/**
 * The canonical JSON text of a value (RFC 8785): the same for every order of its keys. Fields that are `undefined` are
 * left out.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`);
    return `{${fields.join(',')}}`;
  }
  return JSON.stringify(value);
}

/**
 * SHA-256 of a call in hexadecimal, without `_confirmation`. An approval of "this call only" is bound to it, and audit
 * rows store it (decisions: Approval requests, Audit). `guildId` is null only if the operation has no guild.
 */
export function digestOf<N extends OperationName>(
  name: N,
  guildId: string | null,
  input: InputOf<N>,
): string {
  return hash('sha256', canonicalJson([name, guildId, input]));
}
