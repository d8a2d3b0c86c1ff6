import { readFile } from 'node:fs/promises';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  canBeDestructive,
  type ErrorEnvelope,
  entryOf,
  isLongOperation,
  OAUTH_ENDPOINTS,
  openApiDocument,
  pathTemplate,
  REST_OPERATION_NAMES,
  type RestOperation,
} from '#src/index.ts';
import { verifies } from '#src/testing.ts';

const documentNow = () => JSON.parse(JSON.stringify(openApiDocument('https://bailiff.example')));
let document: ReturnType<typeof documentNow>;
beforeEach(() => {
  document = documentNow();
});

interface Documented {
  readonly $ref?: string;
  readonly content?: { readonly 'application/json': { readonly example?: unknown } };
}

const documented = (name: RestOperation) =>
  document.paths[pathTemplate(name)][entryOf(name).http.method.toLowerCase()];

/** What a reference within the document stands for. */
function atReference(reference: string | undefined) {
  return reference
    ?.replace('#/', '')
    .split('/')
    .reduce((node, key) => node?.[key], document);
}

test('docs/openapi.json is the document; where it is not, `npm run openapi` writes it', async () => {
  const committed = await readFile(new URL('../../../docs/openapi.json', import.meta.url), 'utf8');
  expect(committed).toBe(`${JSON.stringify(document, null, 2)}\n`);
});

test('an error that one operation alone can answer has a status that no other answer of it has', () => {
  for (const name of REST_OPERATION_NAMES) {
    const { http, performedBy, errors = [] } = entryOf(name);
    const responses: object = documented(name).responses;
    // The success answer, the errors of every call, two errors of a body, and one of the bot or of a broken commit.
    const isWrite = http.method !== 'GET';
    const common = 1 + 9 + (isWrite ? 2 : 0) + (isWrite || performedBy === 'bot' ? 1 : 0);
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
  const ofOAuth = OAUTH_ENDPOINTS.map(({ id }) => id);
  expect(operations.sort()).toEqual([...REST_OPERATION_NAMES, ...ofOAuth].sort());
  for (const [, reference = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    expect(atReference(`#/${reference}`), reference).toBeDefined();
  }
});

/** Every schema within a part of the document. */
function schemasIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(schemasIn);
  return 'properties' in value ? [value as Record<string, unknown>, ...inner] : inner;
}

test('answers may have further fields, and bodies of requests may not', () => {
  verifies('openapi.open-answers');
  const operations = REST_OPERATION_NAMES.map((name) => documented(name));
  const answers = schemasIn([document.components, operations.map(({ responses }) => responses)]);
  expect(answers.length).toBeGreaterThan(50);
  for (const schema of answers) expect(schema).not.toHaveProperty('additionalProperties', false);
  const bodies = schemasIn(operations.map(({ requestBody }) => requestBody));
  expect(bodies.length).toBeGreaterThan(5);
  for (const schema of bodies) expect(schema).toHaveProperty('additionalProperties', false);
});

test('every answer, parameter and body has an example, and every error answer one of each of its codes', () => {
  verifies('openapi.examples');
  for (const name of REST_OPERATION_NAMES) {
    const { parameters, requestBody, responses } = documented(name);
    const given = entryOf(name).example.input as Record<string, unknown>;
    for (const parameter of parameters) {
      const has = parameter.example !== undefined || parameter.schema.examples !== undefined;
      expect([name, parameter.name, has || !parameter.required]).toEqual([name, parameter.name, true]);
      if (parameter.in !== 'header' && parameter.name !== 'guildId')
        expect(parameter.example).toEqual(given[parameter.name]);
    }
    if (requestBody?.required) expect(requestBody.content['application/json'].example).toBeTruthy();
    for (const [status, { $ref, content }] of Object.entries(responses as Record<string, Documented>)) {
      if (content !== undefined)
        expect(content['application/json'].example, `${name} ${status}`).toBeTruthy();
      const { examples, schema } = atReference($ref)?.content['application/json'] ?? {};
      if (schema === undefined) continue;
      const values = Object.values(examples as Record<string, { value: ErrorEnvelope }>);
      const codes = values.map(({ value }) => value.error.code);
      expect(new Set(codes)).toEqual(new Set(schema.allOf[1].properties.error.properties.code.enum));
    }
  }
});

test('what can need an approval says so, and nothing else does', () => {
  verifies('openapi.approval');
  for (const name of REST_OPERATION_NAMES) {
    const { description, responses } = documented(name);
    const codesOf = (status: string) =>
      JSON.stringify(atReference(responses[status]?.$ref)?.content['application/json'].schema ?? null);
    const said = [
      codesOf('403').includes('RE_AUTH_REQUIRED'),
      codesOf('422').includes('INVALID_CONFIRMATION'),
      description.includes('RE_AUTH_REQUIRED'),
    ];
    expect([name, ...said]).toEqual([name, ...Array(3).fill(canBeDestructive(name))]);
  }
});

test('OAuth is at the origin of the API, needs no token, and its examples are as it says', () => {
  for (const { id, method, path, input, output, example } of OAUTH_ENDPOINTS) {
    const described = document.paths[path][method.toLowerCase()];
    expect([id, described.servers, described.security]).toEqual([
      id,
      [{ url: 'https://bailiff.example' }],
      [],
    ]);
    expect(z.strictObject(input.shape).parse(example.input)).toEqual(example.input);
    expect(z.strictObject(output.shape).parse(example.output)).toEqual(example.output);
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
        config: await createConfig({
          extends: ['spec', 'recommended-strict'],
          // Answers may have further fields. That the examples have none is checked with the product's own answers.
          rules: { 'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true } },
        }),
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
