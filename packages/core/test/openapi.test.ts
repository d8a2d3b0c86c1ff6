import { readFile } from 'node:fs/promises';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeEach, describe, expect, test } from 'vitest';
import { entryOf, isLongOperation, openApiDocument, pathTemplate, REST_OPERATION_NAMES } from '#src/index.ts';
import { verifies } from '#src/testing.ts';

const documentNow = () => JSON.parse(JSON.stringify(openApiDocument('https://bailiff.example')));
let document: ReturnType<typeof documentNow>;
beforeEach(() => {
  document = documentNow();
});

test('docs/openapi.json is the document; where it is not, `npm run openapi` writes it', async () => {
  const committed = await readFile(new URL('../../../docs/openapi.json', import.meta.url), 'utf8');
  expect(committed).toBe(`${JSON.stringify(document, null, 2)}\n`);
});

test('an error that one operation alone can answer has a status that no other answer of it has', () => {
  for (const name of REST_OPERATION_NAMES) {
    const { http, performedBy, errors = [] } = entryOf(name);
    const responses: object = document.paths[pathTemplate(name)][http.method.toLowerCase()].responses;
    // The success answer, the errors of every call, two errors of a body, and one of the bot.
    const common = 1 + 7 + (http.method === 'GET' ? 0 : 2) + (performedBy === 'bot' ? 1 : 0);
    expect([name, Object.keys(responses).length]).toEqual([
      name,
      common + errors.length + (isLongOperation(name) ? 1 : 0),
    ]);
  }
});

test('every operation has its path, and every reference its target', () => {
  const operations = Object.values(document.paths as Record<string, Record<string, { operationId: string }>>)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId }) => operationId);
  expect(operations.sort()).toEqual([...REST_OPERATION_NAMES].sort());
  for (const [, reference = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const target = reference.split('/').reduce((node, key) => node?.[key], document);
    expect(target, reference).toBeDefined();
  }
});

test('no answer names a field that could hold a secret', () => {
  verifies('G18');
  expect(JSON.stringify(document.components.schemas)).not.toMatch(/password|secret/i);
});

/** The problems that two validators, which share no code, find in a document. The second also checks its style. */
const VALIDATORS: readonly [string, (given: Record<string, unknown>) => Promise<unknown[]>][] = [
  [
    'the JSON schema of OpenAPI 3.1',
    async (given) => {
      const { errors = [] } = await new Validator().validate({ ...given });
      return typeof errors === 'string' ? [errors] : errors;
    },
  ],
  [
    'Redocly, with its strict rules',
    async (given) => {
      const problems = await lintFromString({
        source: JSON.stringify(given),
        absoluteRef: 'openapi.json',
        config: await createConfig({ extends: ['spec', 'recommended-strict'] }),
      });
      return problems.map(
        ({ ruleId, message, location }) => `${location[0]?.pointer}: ${ruleId}: ${message}`,
      );
    },
  ],
];

describe.each(VALIDATORS)('%s', (_name, complaints) => {
  test('finds nothing wrong with the document', async () => {
    expect(await complaints(document)).toEqual([]);
  });

  test('would find a response without a description, a parameter in no place and an empty title', async () => {
    for (const spoil of [
      (given: typeof document) => delete given.paths['/me'].get.responses['200'].description,
      (given: typeof document) => {
        given.paths['/me'].get.parameters.push({ name: 'x', in: 'nowhere', schema: {} });
      },
      (given: typeof document) => {
        given.info = {};
      },
    ]) {
      const spoilt = structuredClone(document);
      spoil(spoilt);
      expect(await complaints(spoilt)).not.toEqual([]);
    }
  });
});
