import {
  callOf,
  encodeCursor,
  entryOf,
  isReadOperation,
  parseInput,
  pathParams,
  REST_OPERATION_NAMES,
  type ReadOperation,
  type RestOperation,
} from '@bailiff/core';
import { expect, test } from 'vitest';
import { kindOf, type PreparedRead, prepareRead } from '#src/calls/read-together.ts';

const GUILD = '200000000000000001';
const AFTER = ['str_018f2f7e4c1a7000a1b2c3d4e5f60718', 'str_018f2f7e4c1a7000a1b2c3d4e5f60718@1700000000000'];

/** The quick reads of an operation: without filters, with each limit, and from a cursor on. */
function quickReads(operation: Extract<ReadOperation, RestOperation>): PreparedRead[] {
  const example: Readonly<Record<string, unknown>> = entryOf(operation).example.input;
  const inPath = Object.fromEntries(pathParams(operation).map((name) => [name, example[name]]));
  const cursors = AFTER.map((after) => encodeCursor({ list: operation, guildId: GUILD, filters: {}, after }));
  return [{}, { limit: 1 }, { limit: 100 }, ...cursors.map((cursor) => ({ cursor }))].flatMap((more) => {
    const read = parseInput(operation, { ...inPath, ...more });
    const caller = { guildId: GUILD, secret: 'secret', address: '203.0.113.7', requestId: 'req_1' };
    const prepared = read.success ? prepareRead({ ...callOf(operation, read.data), ...caller }) : null;
    return prepared === null ? [] : [prepared];
  });
}

test('quick reads of one kind have one text, and a text is of one kind', () => {
  const prepared = REST_OPERATION_NAMES.flatMap((name) => (isReadOperation(name) ? quickReads(name) : []));
  const textOf = new Map<string, string>();
  for (const each of prepared) {
    const text = textOf.get(kindOf(each)) ?? each.read.text;
    expect(each.read.text, kindOf(each)).toBe(text);
    textOf.set(kindOf(each), text);
  }
  expect(textOf.size).toBeGreaterThanOrEqual(14);
  expect(new Set(textOf.values()).size).toBe(textOf.size);
});
