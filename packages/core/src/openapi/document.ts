import { z } from 'zod';
import { exampleCall } from '#src/examples.ts';
import { Snowflake } from '#src/ids.ts';
import { AREAS, areaOf } from '#src/operations/areas.ts';
import { EXAMPLE_IDS, exampleId } from '#src/operations/example-values.ts';
import type { RestEntry } from '#src/operations/index.ts';
import {
  canBeDestructive,
  entryOf,
  REST_OPERATION_NAMES,
  type RestOperation,
} from '#src/operations/index.ts';
import { isLongOperation } from '#src/operations/long-operations.ts';
import { pathParams, pathTemplate } from '#src/operations/route.ts';
import { Action } from '#src/operations/shapes.ts';
import { ERROR_SCHEMA } from './error-schema.ts';
import { COMMON_HEADERS, HEADERS, headerRef } from './headers.ts';
import { jsonSchema } from './json-schema.ts';
import { OAUTH_ERROR_SCHEMA, OAUTH_TAG, oauthPaths } from './oauth.ts';
import { isWrite, refusalsOf } from './refusals.ts';

type Json = Readonly<Record<string, unknown>>;

/** Components that several operations refer to, collected while the operations are described. */
interface Components {
  readonly schemas: Record<string, unknown>;
  readonly responses: Record<string, unknown>;
}

/**
 * The OpenAPI 3.1 document of the public API, made from the operation table. `origin` is that of the API, without a
 * path.
 */
export function openApiDocument(origin: string): Json {
  const components: Components = {
    // Not `Error`: generated clients would hide their language's own behind it.
    schemas: { ApiError: ERROR_SCHEMA, OAuthError: OAUTH_ERROR_SCHEMA },
    responses: {},
  };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const name of REST_OPERATION_NAMES) {
    const path = pathTemplate(name);
    paths[path] = {
      ...paths[path],
      [entryOf(name).http.method.toLowerCase()]: operationObject(name, components),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Bailiff public API',
      version: 'v1',
      description: INTRODUCTION,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: `${origin}/api/public/v1` }],
    security: [{ token: [] }],
    tags: [
      ...[...new Set(REST_OPERATION_NAMES.map(areaOf))].map((area) => ({
        name: area,
        description: AREAS[area].description,
      })),
      OAUTH_TAG,
    ],
    paths: { ...paths, ...oauthPaths(origin, components.schemas) },
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token of one guild: svcpat_ and 48 characters.',
        },
      },
      ...components,
      headers: HEADERS,
    },
  };
}

const INTRODUCTION = [
  'Moderation of one Discord guild per token. A destructive call needs an open window, which the guild owner opens in',
  'the dashboard, and a `_confirmation` sentence that repeats the call. Text is any Unicode but U+0000 and lone',
  'surrogates, its length counted in characters; times that a caller gives lie between 2015 and 2099. A body has no',
  'fields but those of its operation. A path that takes other methods is 405 `NOT_FOUND` with `Allow`. Answers may get',
  'further fields, and `details` of errors further reasons: ignore what you do not know.',
].join(' ');

function operationObject(name: RestOperation, components: Components): Json {
  const { schemas } = components;
  const entry = entryOf(name);
  return {
    operationId: name,
    summary: entry.summary,
    description: describe(name, entry),
    tags: [areaOf(name)],
    parameters: parametersOf(name, entry, schemas),
    ...(entry.http.method === 'GET' ? {} : bodyOf(name, entry, schemas)),
    responses: responsesOf(name, entry, components),
  };
}

function describe(name: RestOperation, entry: RestEntry): string {
  const capability =
    entry.capability === 'none'
      ? 'Needs no capability.'
      : entry.capability === 'of_action'
        ? 'Needs the capability of the operation that the action belongs to.'
        : entry.capability === 'of_case'
          ? entry.tier === 'read'
            ? 'Shows cases of the kinds that the capabilities let read, such as bans with `bans.read`. Needs one of these.'
            : 'Needs the capability to write cases of that kind, such as `bans.write` for a ban.'
          : `Needs the capability \`${entry.capability}\`.`;
  const tier =
    typeof entry.tier === 'string'
      ? `Charged as \`${entry.tier}\`.`
      : 'Charged as `reversible_write` or `destructive_write`, by its length.';
  if (!canBeDestructive(name)) return `${capability} ${tier}`;
  return [
    `${capability} ${tier} Needs an open window and \`_confirmation\`: \`${entry.sentinel?.template}\`.`,
    'Without a window, the first answer is 403 `RE_AUTH_REQUIRED`: show `details.reauth_url` to the guild owner, and send',
    'the same call again once they have approved it.',
  ].join(' ');
}

function parametersOf(name: RestOperation, entry: RestEntry, schemas: Record<string, unknown>): Json[] {
  const inPath = pathParams(name);
  const given: Readonly<Record<string, unknown>> = { guildId: EXAMPLE_IDS.guild, ...entry.example.input };
  const parameter = (location: 'path' | 'query', field: string, schema: z.ZodType): Json => {
    const { description, ...rest } = jsonSchema(schema, schemas, 'input');
    return {
      name: field,
      in: location,
      required: location === 'path',
      ...(description === undefined ? {} : { description }),
      schema: rest,
      ...(given[field] === undefined ? {} : { example: given[field] }),
    };
  };
  const shape = Object.entries(entry.input.shape) as [string, z.ZodType][];
  const fields = shape.filter(([field]) => inPath.includes(field) || entry.http.method === 'GET');
  return [
    ...(entry.http.scope === 'token'
      ? []
      : [parameter('path', 'guildId', Snowflake.describe('The guild of the token'))]),
    ...fields.map(([field, schema]) => parameter(inPath.includes(field) ? 'path' : 'query', field, schema)),
    ...(entry.http.method === 'GET' ? [] : [IDEMPOTENCY_KEY]),
    ...(isLongOperation(name) ? [PREFER] : []),
    ...(entry.http.waits ? [PREFER_DECISION] : []),
  ];
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A retry with the same key and body, within 24 hours, gets the first answer and does nothing again.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  example: '0b8e7c1e-6a0f-4a57-9f55-2f0c4a1d7e11',
};

const PREFER = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    'How many seconds to wait for the end, 0 to 8, as `wait=3`. What has not ended by then is answered with 202.',
  schema: { type: 'string', examples: ['wait=3'] },
};

const PREFER_DECISION = {
  ...PREFER,
  description:
    'How many seconds to wait for the decision, 1 to 60, as `wait=30`. Without it, or when too many wait, the answer comes at once.',
  schema: { type: 'string', examples: ['wait=30'] },
};

function bodyOf(name: RestOperation, entry: RestEntry, schemas: Record<string, unknown>): Json {
  const inPath = pathParams(name);
  const body = z.strictObject({
    ...Object.fromEntries(Object.entries(entry.input.shape).filter(([field]) => !inPath.includes(field))),
    ...(canBeDestructive(name) ? { _confirmation: confirmationOf(entry) } : {}),
  });
  if (Object.keys(body.shape).length === 0) return {};
  const required = Object.values(body.shape).some((field) => !(field instanceof z.ZodOptional));
  return {
    requestBody: {
      required,
      content: {
        'application/json': {
          schema: jsonSchema(body, schemas, 'input'),
          example: exampleCall(name, { origin: '', guildId: EXAMPLE_IDS.guild, token: '' }).body,
        },
      },
    },
  };
}

function confirmationOf(entry: RestEntry) {
  const field = z.string().describe(entry.sentinel?.template ?? '');
  return typeof entry.tier === 'function' ? field.optional() : field;
}

function responsesOf(name: RestOperation, entry: RestEntry, components: Components): Json {
  const headers = {
    ...COMMON_HEADERS,
    RateLimit: headerRef('RateLimit'),
    'RateLimit-Policy': headerRef('RateLimitPolicy'),
    ...(isWrite(entry) ? { 'Idempotent-Replayed': headerRef('Replayed') } : {}),
    ...(entry.http.waits
      ? { 'Retry-After': headerRef('Again'), 'Preference-Applied': headerRef('PreferenceApplied') }
      : {}),
  };
  const success = {
    description: entry.summary,
    headers,
    content: {
      'application/json': {
        schema: jsonSchema(entry.output, components.schemas, 'output'),
        example: entry.example.output,
      },
    },
  };
  return {
    [String(entry.http.success)]: success,
    ...(isLongOperation(name) ? { '202': stillRunning(name, headers, components) } : {}),
    ...refusalsOf(entry, components.responses),
  };
}

/** The answer to a long operation that goes on. */
function stillRunning(name: RestOperation, headers: Json, { schemas }: Components): Json {
  return {
    description: 'It goes on, and `GET /actions/{actionId}` tells how far it has got and how it ended',
    headers: { ...headers, Location: headerRef('Location') },
    content: {
      'application/json': {
        schema: jsonSchema(z.object({ action: Action }), schemas, 'output'),
        example: {
          action: {
            id: exampleId('action'),
            operation: name,
            state: 'running',
            outcome: null,
            progress: { done: 300, of: 1000 },
            stopped_by: null,
            notice: null,
            result: null,
          } satisfies z.output<typeof Action>,
        },
      },
    },
  };
}
