import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { z } from 'zod';
import {
  canBeDestructive,
  EXAMPLE_IDS,
  entryOf,
  exampleId,
  type InputOf,
  isDestructive,
  OPERATION_NAMES,
  type OperationName,
} from '#src/index.ts';

export const GUILD = '900000000000000001';
export const USER: string = EXAMPLE_IDS.user;
export const CHANNEL: string = EXAMPLE_IDS.channel;
export const STRIKE = exampleId('strike');
export const SERVER = exampleId('server');

/** The shortest valid input of every operation: the required fields of its example. */
export const SAMPLES = Object.fromEntries(OPERATION_NAMES.map((name) => [name, sampleOf(name)])) as {
  [N in OperationName]: InputOf<N>;
};

function sampleOf(name: OperationName): object {
  const { input, example } = entryOf(name);
  const required = Object.entries(example.input).filter(
    ([field]) => !input.shape[field]?.safeParse(undefined).success,
  );
  return input.parse(Object.fromEntries(required));
}

export const snowflake = fc.bigInt({ min: 10n ** 16n, max: 18n * 10n ** 18n - 1n }).map(String);
const moment = fc
  .date({ min: new Date('2015-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString());

/** The surrogates, which are no characters by themselves. */
const SURROGATES = { first: 0xd800, count: 0x800 };
/** The printable characters of ASCII come first, because a failing test is simplest with them. */
const PRINTABLE = { first: 0x20, count: 0x5f };
const ASCII_BUT_LAST = 0x7f;

/**
 * Any character, for `fc.string`. It gives what fast-check's own unit `binary` gives, without the table of all
 * characters, which takes almost a second and 180 MB in each worker.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES.count })
  .map(
    (place) => {
      if (place < PRINTABLE.count) return String.fromCodePoint(place + PRINTABLE.first);
      if (place < ASCII_BUT_LAST) return String.fromCodePoint(place - PRINTABLE.count);
      return String.fromCodePoint(place < SURROGATES.first ? place : place + SURROGATES.count);
    },
    (character) => {
      const text = typeof character === 'string' && character.isWellFormed() ? character : '';
      const code = text.codePointAt(0);
      if (code === undefined || text !== String.fromCodePoint(code))
        throw new Error('It is not one character.');
      if (code < PRINTABLE.first) return code + PRINTABLE.count;
      if (code < ASCII_BUT_LAST) return code - PRINTABLE.first;
      return code < SURROGATES.first ? code : code - SURROGATES.count;
    },
  );

type Schema = z.core.JSONSchema._JSONSchema;

/** Any value that the JSON Schema of a field allows. */
function anyValueOf(schema: Schema): fc.Arbitrary<unknown> {
  if (typeof schema === 'boolean') throw new Error('A field without a schema takes anything.');
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(anyValueOf));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'integer')
    return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 2 ** 31 });
  if (schema.format === 'date-time') return moment;
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern));
  return fc.string({ minLength: 1, maxLength: schema.maxLength ?? 100, unit: 'grapheme-ascii' });
}

/** A call that needs a window and a sentinel. */
export interface DestructiveCall {
  readonly name: OperationName;
  readonly input: Record<string, unknown>;
}

function callsOf(name: OperationName): fc.Arbitrary<DestructiveCall> {
  const { properties = {}, required = [] } = z.toJSONSchema(entryOf(name).input, { io: 'input' });
  const fields = Object.fromEntries(
    Object.entries(properties).map(([field, schema]) => [field, anyValueOf(schema)]),
  );
  return fc
    .record(fields, { requiredKeys: required })
    .map((input) => ({ name, input: entryOf(name).input.parse(input) }))
    .filter((call) => isDestructive(name, inputOf(call)));
}

export const destructiveCall: fc.Arbitrary<DestructiveCall> = fc.oneof(
  ...OPERATION_NAMES.filter(canBeDestructive).map(callsOf),
);

/** The input of a generated call, with the type that core's functions take. */
export function inputOf({ name, input }: DestructiveCall): InputOf<OperationName> {
  return entryOf(name).input.parse(input);
}

/** For each field of an operation's input, a value that it takes and another one. */
export function twoValuesOf(name: OperationName): Record<string, readonly [unknown, unknown]> {
  const { input, example } = entryOf(name);
  const { properties = {} } = z.toJSONSchema(input, { io: 'input' });
  const given: Readonly<Record<string, unknown>> = example.input;
  const pairs = Object.entries(properties).map(([field, schema]) => {
    const values = fc.sample(anyValueOf(schema), { seed: 1, numRuns: 50 });
    const value = given[field] ?? values[0];
    const other = values.find(
      (each) => !isDeepStrictEqual(each, value) && input.shape[field]?.safeParse(each).success,
    );
    return [field, [value, other] as const] as const;
  });
  return Object.fromEntries(pairs);
}
