import type { Schema } from '@bailiff/core/testing-openapi';
import { anyCharacter } from '@bailiff/core/testing-samples';
import fc from 'fast-check';
import type { DocumentedOperation } from './contract.ts';

/** A request as the document describes it, before its sentinel is added. */
export interface DocumentedRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Absent if the operation takes no body. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Valid values by field name: the ids of existing rows. */
export type Known = Readonly<Record<string, readonly string[]>>;

/** Fields with rules that the document states in its text, because no schema can. */
const SAID_IN_WORDS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  // One line of at most 1446 bytes.
  command: fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    .filter((text) => !/[\n\v\f\r\u0085\u2028\u2029]/.test(text)),
  // One to eight words.
  words: fc
    .array(fc.stringMatching(/^[\p{L}\p{N}]{1,4}$/u), { minLength: 1, maxLength: 8 })
    .map((all) => all.join('—')),
};

/** Fields that a generated request leaves out, because only an answer or another part of the request supplies them. */
const GIVEN_ELSEWHERE = ['cursor', '_confirmation'];

/** Requests that are valid by the document. */
export function rightRequests(operation: DocumentedOperation, known: Known): fc.Arbitrary<DocumentedRequest> {
  const inPlace = (place: 'path' | 'query') =>
    Object.fromEntries(
      operation.parameters.filter((each) => each.in === place).map((each) => [each.name, each.schema]),
    );
  return fc.record(
    {
      params: fieldsOf(
        { properties: inPlace('path'), required: Object.keys(inPlace('path')) },
        known,
      ) as fc.Arbitrary<Record<string, string>>,
      query: fieldsOf({ properties: inPlace('query') }, known).map((fields) =>
        Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)])),
      ),
      ...(operation.body === undefined ? {} : { body: fieldsOf(operation.body, known) }),
    },
    { requiredKeys: ['params', 'query', ...(operation.body === undefined ? [] : (['body'] as const))] },
  );
}

function fieldsOf(
  { properties = {}, required = [] }: Schema,
  known: Known,
): fc.Arbitrary<Record<string, unknown>> {
  const names = Object.keys(properties).filter((name) => !GIVEN_ELSEWHERE.includes(name));
  return fc.record(
    Object.fromEntries(names.map((name) => [name, field(name, properties[name] as Schema, known)])),
    { requiredKeys: names.filter((name) => required.includes(name)) },
  );
}

function field(name: string, schema: Schema, known: Known): fc.Arbitrary<unknown> {
  const there = known[name];
  const any = SAID_IN_WORDS[name] ?? anyValue(schema);
  return there === undefined
    ? any
    : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...there) }, { weight: 1, arbitrary: any });
}

/** Any value that a schema allows. */
function anyValue(schema: Schema): fc.Arbitrary<unknown> {
  const {
    anyOf,
    enum: values,
    type,
    format,
    pattern,
    minimum,
    maximum,
    minLength = 0,
    maxLength = 80,
  } = schema;
  if (anyOf !== undefined) return fc.oneof(...anyOf.map(anyValue));
  if (values !== undefined) return fc.constantFrom(...values);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer' && minimum !== undefined && maximum !== undefined) {
    return fc.oneof(fc.integer({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum));
  }
  if (type !== 'string') throw new Error(`No values are made up for ${JSON.stringify(schema)}.`);
  if (format === 'date-time') return MOMENTS;
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return fc
    .string({ unit: anyCharacter, minLength, maxLength: Math.min(maxLength, 80) })
    .filter((text) => !text.includes('\u0000'));
}

const MOMENTS = fc
  .date({ min: new Date('2015-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString());

/** Fields that make a right request wrong; absent where they are not the ones that do. */
interface NearlyRight {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** One field with a value just outside of what the document allows; null for an operation without fields to bend. */
export function nearlyRight({ parameters, body }: DocumentedOperation): fc.Arbitrary<NearlyRight> | null {
  const inPath = parameters.flatMap(({ name, in: place, schema }): NearlyRight[] =>
    place === 'path' && name !== 'guildId'
      ? beyond(schema).map((value) => ({ params: { [name]: String(value) } }))
      : place === 'query'
        ? beyond(schema).map((value) => ({ query: { [name]: String(value) } }))
        : [],
  );
  const inBody = Object.entries(body?.properties ?? {}).flatMap(([name, schema]): NearlyRight[] =>
    name === '_confirmation' ? [] : [...beyond(schema), null].map((value) => ({ body: { [name]: value } })),
  );
  const bent: readonly NearlyRight[] = [...inPath, ...inBody];
  return bent.length === 0 ? null : fc.constantFrom(...bent);
}

/** Values just outside of a schema, and outside too where they are sent as text. */
function beyond({ enum: values, type, pattern, format, minimum, maximum, maxLength }: Schema): unknown[] {
  if (values !== undefined) return [`${values[0]}s`, String(values[0]).toUpperCase()];
  if (type === 'boolean') return ['True', 'yes', 2];
  if (type === 'integer')
    return [minimum, maximum].flatMap((bound, index) =>
      bound === undefined ? [] : [bound + (index === 0 ? -1 : 1), bound + 0.5],
    );
  if (format === 'date-time') return ['2026-01-31', '2026-02-30T12:00:00Z', '2014-12-31T23:59:59Z'];
  if (pattern !== undefined)
    return ['12345', '123456789012345678x', 'str_1', ''].filter((text) => !new RegExp(pattern).test(text));
  return maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)];
}

/** Unusual JSON as text, which JavaScript, PostgreSQL or a parser might handle wrongly. */
export const wildJson: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ stringUnit: anyCharacter }).map((value) => JSON.stringify(value)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...['null', '[]', '{}', 'true', '-0', '1e400', '-1e400', '1e-400', '0.1', '9007199254740993'],
      '123456789012345678901234567890',
      '"\\u0000"',
      '"a\\u0000b"',
      '"\\ud800"',
      '"\\udc00\\ud800"',
      '"\\u2028"',
      '"\\ufeff"',
      `"${'x'.repeat(30_000)}"`,
      `${'['.repeat(5000)}${']'.repeat(5000)}`,
      `${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`,
      '{"__proto__":{"admin":true}}',
      '{"constructor":{"prototype":{}}}',
      '{"toString":1,"valueOf":2,"hasOwnProperty":3,"toJSON":4}',
      '{"then":1}',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.string({ unit: anyCharacter, maxLength: 30 }).map((text) => JSON.stringify(text)),
  },
);

/** Field names that an attacker might try. */
export const oddNames = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'guildId',
    'guild_id',
    'actor',
  ),
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    'reason ',
    'Reason',
    'reason[]',
    '$where',
    '_confirmation2',
    'then',
    'length',
  ),
  fc.string({ unit: anyCharacter, maxLength: 12 }),
);

/** The JSON of a body in which some fields have the given text as their value. */
export function jsonWith(
  body: Readonly<Record<string, unknown>>,
  wild: Readonly<Record<string, string>>,
): string {
  const kept = Object.entries(body).filter(([name]) => !Object.hasOwn(wild, name));
  const members = [
    ...kept.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`),
    ...Object.entries(wild).map(([name, text]) => `${JSON.stringify(name)}:${text}`),
  ];
  return `{${members.join(',')}}`;
}
