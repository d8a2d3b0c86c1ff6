import { hash } from 'node:crypto';
import type { InputOf, OperationName } from './operations/index.ts';

/**
 * One text per JSON value, whatever the order of its keys: RFC 8785, for what JSON can hold. Fields that are
 * `undefined` are left out.
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
 * SHA-256 of a call in hexadecimal, `_confirmation` aside: what an approval of "this call only" is bound to and what
 * audit rows keep (decisions: Approval requests, Audit). `guildId` is null only where the operation has none.
 */
export function digestOf<N extends OperationName>(
  name: N,
  guildId: string | null,
  input: InputOf<N>,
): string {
  return hash('sha256', canonicalJson([name, guildId, input]));
}
