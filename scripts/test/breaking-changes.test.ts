import { readFileSync } from 'node:fs';
import { openApiDocument } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { breakingChanges } from '../openapi/breaking-changes.ts';
import type { ApiDocument } from '../openapi/schema.ts';

const RELEASED = new URL('../../docs/openapi.released.json', import.meta.url);

test('the document takes nothing away that the last release promised', () => {
  verifies('openapi.no-breaking-change');
  const released = JSON.parse(readFileSync(RELEASED, 'utf8')) as ApiDocument;
  const now = JSON.parse(JSON.stringify(openApiDocument('https://bailiff.example'))) as ApiDocument;
  expect(Object.keys(released.paths).length).toBeGreaterThan(20);
  // Each sentence is something that a program of somebody else depends on: docs/versioning.md.
  expect(breakingChanges(released, now)).toEqual([]);
});

test('the released document is that of the newest release', () => {
  verifies('openapi.released');
  const { 'x-release': release } = JSON.parse(readFileSync(RELEASED, 'utf8'));
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
  const [, newest] = /^## (\d+\.\d+\.\d+)/m.exec(changelog) ?? [];
  // Where it is not: `npm run openapi -- --released`.
  expect([release, version]).toEqual([newest, newest]);
});

const json = (schema: object) => ({ content: { 'application/json': { schema } } });

/** A document with everything that the rules look at. */
const SMALL = {
  paths: {
    '/bans': {
      get: {
        parameters: [
          {
            name: 'limit',
            in: 'query',
            required: false,
            schema: { type: 'integer', minimum: 1, maximum: 100 },
          },
        ],
        responses: {
          '200': json({
            type: 'object',
            properties: { data: { type: 'array', items: { $ref: '#/components/schemas/Ban' } } },
            required: ['data'],
          }),
          '404': { $ref: '#/components/responses/NotFound' },
        },
      },
      post: {
        requestBody: json({
          type: 'object',
          properties: {
            user_id: { type: 'string', pattern: '^\\d+$' },
            reason: { type: 'string', minLength: 1, maxLength: 512 },
            severity: { type: 'string', enum: ['minor', 'major'] },
            before: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
          },
          required: ['user_id'],
        }),
        responses: { '201': json({ $ref: '#/components/schemas/Ban' }) },
      },
    },
    '/me': { get: { responses: { '200': json({ type: 'object' }) } } },
  },
  components: {
    schemas: {
      Ban: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          reason: { type: ['string', 'null'] },
          state: { type: 'string', enum: ['open', 'closed'] },
          window: {
            oneOf: [
              {
                type: 'object',
                properties: { open: { const: true }, until: { type: 'string' } },
                required: ['open', 'until'],
              },
              { type: 'object', properties: { open: { const: false } }, required: ['open'] },
            ],
          },
        },
        required: ['id', 'state'],
      },
      Error: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
    },
    responses: {
      NotFound: json({
        allOf: [
          { $ref: '#/components/schemas/Error' },
          { type: 'object', properties: { code: { enum: ['NOT_FOUND', 'GONE'] } } },
        ],
      }),
    },
  },
};

/** The changed document, after a change of a copy of the small one. */
function changed(change: (copy: typeof SMALL) => void): ApiDocument {
  const copy = structuredClone(SMALL);
  change(copy);
  return copy as unknown as ApiDocument;
}

// biome-ignore lint/suspicious/noExplicitAny: the changes reach into any part of a schema
type Loose = any;

const before = changed(() => {});
const list = ({ paths }: typeof SMALL) => paths['/bans'].get;
const banning = ({ paths }: typeof SMALL) => paths['/bans'].post;
const sent = (copy: typeof SMALL) => banning(copy).requestBody.content['application/json'].schema as Loose;
const ban = ({ components }: typeof SMALL) => components.schemas.Ban as Loose;
const BAN = 'an item of the field data of the 200 of GET /bans';
const OTHER = 'the 201 of POST /bans';

test.each<[string, (copy: typeof SMALL) => void, readonly string[]]>([
  ['a path', (copy) => Reflect.deleteProperty(copy.paths, '/me'), ['The path /me is gone.']],
  ['an operation', (copy) => Reflect.deleteProperty(copy.paths['/bans'], 'get'), ['GET /bans is gone.']],
  [
    'a status',
    (copy) => Reflect.deleteProperty(list(copy).responses, '404'),
    ['GET /bans no longer answers 404.'],
  ],
  [
    'a field of answers',
    (copy) => Reflect.deleteProperty(ban(copy).properties, 'reason'),
    [`The field reason of ${BAN} is gone.`, `The field reason of ${OTHER} is gone.`],
  ],
  [
    'that a field is always there',
    (copy) => ban(copy).required.pop(),
    [`The field state of ${BAN} may be absent now.`, `The field state of ${OTHER} may be absent now.`],
  ],
  [
    'a value of answers',
    (copy) => ban(copy).properties.state.enum.pop(),
    [
      `The field state of ${BAN} is no longer "closed".`,
      `The field state of ${OTHER} is no longer "closed".`,
    ],
  ],
  [
    'a code of an error',
    (copy) => {
      const { allOf } = copy.components.responses.NotFound.content['application/json'].schema as Loose;
      allOf[1].properties.code.enum.pop();
    },
    ['The field code of the 404 of GET /bans is no longer "GONE".'],
  ],
  [
    'the type of a field',
    (copy) => (ban(copy).properties.id.type = 'integer'),
    [
      `The field id of ${BAN} was string and is integer.`,
      `The field id of ${OTHER} was string and is integer.`,
    ],
  ],
  [
    'that a field is never null',
    (copy) => (ban(copy).properties.id.type = ['string', 'null']),
    [`The field id of ${BAN} was string and is null.`, `The field id of ${OTHER} was string and is null.`],
  ],
  [
    'a field of one variant',
    (copy) => Reflect.deleteProperty(ban(copy).properties.window.oneOf[0].properties, 'until'),
    [
      `The field until of the field window of ${BAN} is gone.`,
      `The field until of the field window of ${OTHER} is gone.`,
    ],
  ],
  ['a parameter', (copy) => list(copy).parameters.pop(), ['The parameter limit of GET /bans is gone.']],
  [
    'a bound of a parameter',
    (copy) => Object.assign(list(copy).parameters[0]?.schema ?? {}, { minimum: 2, maximum: 50 }),
    [
      'The parameter limit of GET /bans is narrower: minimum is 2.',
      'The parameter limit of GET /bans is narrower: maximum is 50.',
    ],
  ],
  [
    'that a parameter can be left out',
    (copy) => Object.assign(list(copy).parameters[0] ?? {}, { required: true }),
    ['The parameter limit of GET /bans is required now.'],
  ],
  [
    'a call without a new parameter',
    (copy) =>
      list(copy).parameters.push({
        name: 'guild',
        in: 'query',
        required: true,
        schema: { type: 'integer', minimum: 1, maximum: 2 },
      }),
    ['GET /bans has the new required parameter guild.'],
  ],
  [
    'a body',
    (copy) => Reflect.deleteProperty(banning(copy), 'requestBody'),
    ['POST /bans takes no body any more.'],
  ],
  [
    'that a body can be left out',
    (copy) => Object.assign(banning(copy).requestBody, { required: true }),
    ['POST /bans requires a body now.'],
  ],
  [
    'a field of requests',
    (copy) => Reflect.deleteProperty(sent(copy).properties, 'reason'),
    ['The field reason of the body of POST /bans is no longer taken.'],
  ],
  [
    'that a field can be left out',
    (copy) => sent(copy).required.push('reason'),
    ['The field reason of the body of POST /bans is required now.'],
  ],
  [
    'a request without a new field',
    (copy) => {
      sent(copy).properties.why = { type: 'string' };
      sent(copy).required.push('why');
    },
    ['The body of POST /bans has the new required field why.'],
  ],
  [
    'lengths, patterns and values of requests',
    (copy) => {
      Object.assign(sent(copy).properties.reason, { minLength: 2, maxLength: 100 });
      sent(copy).properties.user_id.pattern = '^\\d{17}$';
      sent(copy).properties.severity.enum.pop();
    },
    [
      'The field user_id of the body of POST /bans is narrower: pattern is ^\\d{17}$.',
      'The field reason of the body of POST /bans is narrower: minLength is 2.',
      'The field reason of the body of POST /bans is narrower: maxLength is 100.',
      'The field severity of the body of POST /bans no longer takes "major".',
    ],
  ],
  [
    'a type that requests may have',
    (copy) => sent(copy).properties.before.anyOf.pop(),
    ['The field before of the body of POST /bans was integer and is string.'],
  ],
  [
    'any value of requests',
    (copy) => (sent(copy).properties.reason.enum = ['spam']),
    ['The field reason of the body of POST /bans no longer takes "any value".'],
  ],
])('it tells who takes away %s', (_what, change, sentences) => {
  expect(breakingChanges(before, changed(change))).toEqual(sentences);
});

test('it tells nothing of what was added or widened', () => {
  const after = changed((copy) => {
    Object.assign(copy.paths, { '/kicks': copy.paths['/bans'] });
    Object.assign(list(copy).responses, { '409': json({ type: 'object' }) });
    Object.assign(list(copy).parameters[0]?.schema ?? {}, { minimum: 0, maximum: 200 });
    list(copy).parameters.push({
      name: 'active',
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 0, maximum: 1 },
    });
    ban(copy).properties.note = { type: 'string' };
    ban(copy).properties.state.enum.push('lost');
    ban(copy).required.push('reason');
    Reflect.deleteProperty(ban(copy).properties.window, 'oneOf');
    Object.assign(ban(copy).properties.window, SMALL.components.schemas.Ban.properties.window.oneOf[0]);
    sent(copy).properties.note = { type: 'string' };
    sent(copy).properties.severity.enum.push('warning');
    sent(copy).properties.before.anyOf.push({ type: 'boolean' });
    sent(copy).required.pop();
    Reflect.deleteProperty(sent(copy).properties.user_id, 'pattern');
  });
  expect(breakingChanges(before, after)).toEqual([]);
});
