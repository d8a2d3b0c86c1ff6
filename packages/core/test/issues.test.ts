import { expect, test } from 'vitest';
import { z } from 'zod';
import { issuesOf, plainMessage, wordedParams, wordsOf } from '#src/index.ts';

function issuesIn(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value, { error: plainMessage });
  return parsed.success ? [] : issuesOf(parsed.error);
}

const QUIET = { message: 'must be quiet', say: { key: 'control', values: { a: 'b' } } } as const;

test.each<[string, z.ZodType, unknown]>([
  ['is required', z.string(), undefined],
  ['must be a string', z.string(), 5],
  ['must be a number', z.number(), 'x'],
  ['must be a whole number', z.int(), 1.5],
  ['must be true or false', z.boolean(), 'yes'],
  ['must be a list', z.array(z.string()), {}],
  ['must be an object', z.strictObject({}), []],
  ['must be date', z.date(), 'x'],
  ['must be one of minor, major', z.enum(['minor', 'major']), 'x'],
  ['must be mute', z.literal('mute'), 'ban'],
  ['must have at least 1 character', z.string().min(1), ''],
  ['must have at least 2 characters', z.string().min(2), ''],
  ['must have at most 2 characters', z.string().max(2), 'abc'],
  ['must have at least 1 item', z.array(z.string()).min(1), []],
  ['must have at most 2 items', z.array(z.string()).max(2), ['a', 'b', 'c']],
  ['must be at least 1', z.int().min(1), 0],
  ['must be at most 100', z.int().max(100), 101],
  ['is not valid', z.email(), 'x'],
  ['must be quiet', z.string().refine(() => false, wordedParams(QUIET)), 'x'],
  ['is not valid', z.string().refine(() => false, { params: { other: 1 } }), 'x'],
  ['is not valid', z.string().refine(() => false), 'x'],
  ['must contain an a', z.string().regex(/a/, 'must contain an a'), 'b'],
])('a wrong field %s', (message, schema, value) => {
  expect(issuesIn(z.strictObject({ field: schema }), { field: value })).toEqual([{ path: 'field', message }]);
});

test('what a schema’s own issue says is found in its params', () => {
  expect(wordsOf(wordedParams(QUIET).params)).toEqual(QUIET);
  expect([undefined, {}, { message: 'x' }].map(wordsOf)).toEqual([null, null, null]);
});

test('an issue names its field with a dotted path of at most 100 characters', () => {
  const steps = z.strictObject({ steps: z.array(z.strictObject({ points: z.int() })) });
  expect(issuesIn(steps, { steps: [{ points: 1 }, { points: 'x', more: 1 }] })).toEqual([
    { path: 'steps.1.points', message: 'must be a number' },
    { path: 'steps.1.more', message: 'is not a field of this operation' },
  ]);
  expect(issuesIn(z.strictObject({}), { ['x'.repeat(150)]: 1 })).toEqual([
    { path: 'x'.repeat(100), message: 'is not a field of this operation' },
  ]);
});

test('of many wrong fields the first twenty are named', () => {
  const many = Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`field${n}`, n]));
  const named = issuesIn(z.strictObject({}), many);
  expect(named).toHaveLength(20);
  expect(named).toContainEqual({ path: 'field19', message: 'is not a field of this operation' });
});
