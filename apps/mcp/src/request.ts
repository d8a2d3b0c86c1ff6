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

/** A call whose input has been validated. */
export interface Call {
  readonly operation: RestOperation;
  readonly guildId: string;
  readonly input: InputOf<RestOperation>;
}

/**
 * The request for a call. The sentinel is built here from the validated input only (spec §1), so that text from a model
 * is never sent as `_confirmation`.
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
