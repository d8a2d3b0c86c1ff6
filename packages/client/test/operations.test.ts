import { readFile } from 'node:fs/promises';
import {
  type DetailsOf,
  type ErrorCode,
  exampleCall,
  type OPERATIONS,
  type OutputOf,
  REST_OPERATION_NAMES,
  type RestOperation,
} from '@bailiff/core';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import type * as generated from '#src/operations.ts';
import { type Inputs, type Operation, type Outputs, ROUTES } from '#src/operations.ts';
import { requestOf } from '#src/request.ts';
import { GENERATED, generateOperations } from '../generate.ts';

const GUILD = '345678901234567890';

type Given<N extends RestOperation> = z.input<(typeof OPERATIONS)[N]['input']>;
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
/** The type without `readonly`, which zod does not add. */
type Writable<T> = T extends object ? { -readonly [K in keyof T]: Writable<T[K]> } : T;

test('the generated operations are those of the table', async () => {
  expect(
    await readFile(GENERATED, 'utf8'),
    'Run "node packages/client/generate.ts" and commit src/operations.ts.',
  ).toBe(generateOperations());
  expect(Object.keys(ROUTES)).toEqual(REST_OPERATION_NAMES);
});

test('the generated types are those of the schemas', () => {
  // The compiler runs this test: where two types differ, `true` is an error.
  const sameInputs: {
    [N in RestOperation]: Same<Writable<Omit<Inputs[N], '_confirmation'>>, Omit<Given<N>, '_confirmation'>>;
  } = allTrue();
  const sameOutputs: { [N in RestOperation]: Same<Writable<Outputs[N]>, OutputOf<N>> } = allTrue();
  const sameDetails: { [C in ErrorCode]: Same<generated.DetailsOf<C>, DetailsOf<C>> } = {} as {
    [C in generated.ErrorCode]: true;
  };
  expect(sameDetails).toEqual({});
  expect(Object.keys({ ...sameInputs, ...sameOutputs })).toEqual(REST_OPERATION_NAMES);
});

function allTrue(): { [N in Operation]: true } {
  return Object.fromEntries(REST_OPERATION_NAMES.map((name) => [name, true])) as { [N in Operation]: true };
}

test.each(REST_OPERATION_NAMES)('%s is requested as its documented example is', (name) => {
  const { method, url, body } = exampleCall(name, {
    origin: 'http://bailiff.test',
    guildId: GUILD,
    token: '',
  });
  const example = new URL(url);
  const template = ROUTES[name].path.split('/');
  const inPath = Object.fromEntries(
    example.pathname
      .replace('/api/public/v1', '')
      .split('/')
      .map((segment, index) => [template[index]?.slice(1, -1) ?? '', segment]),
  );
  const input = { ...Object.fromEntries(example.searchParams), ...inPath, ...body };
  const named = Object.fromEntries(
    Object.entries(input).filter(([field]) => field !== 'guildId' && isField(name, field, body, example)),
  );
  const request = requestOf(name, GUILD, named);
  expect({ ...request, path: `/api/public/v1${request.path}` }).toEqual({
    method,
    path: `${example.pathname}${example.search}`,
    ...(body === undefined ? {} : { body }),
  });
});

/** Whether the path, query or body has the field. */
function isField(name: RestOperation, field: string, body: object | undefined, example: URL): boolean {
  return (
    ROUTES[name].path.includes(`{${field}}`) ||
    example.searchParams.has(field) ||
    (body !== undefined && field in body)
  );
}

test.each(['..', 'a/b', '', '1?x=1', '1#', '%2e', 'tok 1', undefined])(
  '%j is no id, and nothing is sent',
  (userId) => {
    expect(() => requestOf('bans.get', GUILD, { userId })).toThrow(TypeError);
    expect(() => requestOf('bans.list', String(userId ?? ''), {})).toThrow(TypeError);
  },
);

test('a field without a value is neither in the query nor a body', () => {
  const list = requestOf('bans.list', GUILD, { active: undefined, limit: 5 });
  expect(list.path).toBe(`/guilds/${GUILD}/bans?limit=5`);
  const lift = requestOf('mutes.lift', GUILD, { userId: '300000000000000001', reason: undefined });
  expect(lift).not.toHaveProperty('body');
});
