import {
  entryOf,
  expectedSentinel,
  type InputOf,
  isDestructive,
  pathParams,
  pathTemplate,
  type RestOperation,
} from '@bailiff/core';
import type { ApiRequest } from './api.ts';

/** A call with its input already validated. */
export interface Call {
  readonly operation: RestOperation;
  readonly guildId: string;
  readonly input: InputOf<RestOperation>;
}

/**
 * The request of a call. The sentinel is made here, out of the validated input alone (spec §1): no text that a model wrote is
 * ever sent as `_confirmation`.
 *
 * @param idempotencyKey of this call; a read has none
 */
export function requestOf({ operation, guildId, input }: Call, idempotencyKey = ''): ApiRequest {
  const { method } = entryOf(operation).http;
  const params = pathParams(operation);
  const values: Readonly<Record<string, unknown>> = input;
  const path = pathTemplate(operation).replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(name === 'guildId' ? guildId : String(values[name])),
  );
  const fields = Object.entries(values).filter(
    ([name, value]) => value !== undefined && !params.includes(name),
  );
  if (method === 'GET') {
    const query = new URLSearchParams(
      fields.map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    return { method, path: query === '' ? path : `${path}?${query}` };
  }
  const confirmation = isDestructive(operation, input)
    ? { _confirmation: expectedSentinel(operation, guildId, input).concrete }
    : {};
  return { method, path, body: { ...Object.fromEntries(fields), ...confirmation }, idempotencyKey };
}
