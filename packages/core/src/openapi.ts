import { z } from 'zod';
import { TIERS } from './budgets.ts';
import { CAPABILITIES } from './capabilities.ts';
import { ERRORS, type ErrorCode } from './errors.ts';
import { exampleCall } from './examples.ts';
import { Snowflake } from './ids.ts';
import { EXAMPLE_IDS } from './operations/example-values.ts';
import { canBeDestructive, entryOf, REST_OPERATION_NAMES, type RestOperation } from './operations/index.ts';
import type { RestEntry } from './operations/operation.ts';
import { pathParams, pathTemplate } from './operations/route.ts';

type Json = Readonly<Record<string, unknown>>;

/** The OpenAPI 3.1 document of the public API, projected from the operation table. `origin` is the API's own, without a path. */
export function openApiDocument(origin: string): Json {
  const schemas: Record<string, unknown> = { Error: ERROR_SCHEMA };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const name of REST_OPERATION_NAMES) {
    const path = pathTemplate(name);
    paths[path] = {
      ...paths[path],
      [entryOf(name).http.method.toLowerCase()]: operationObject(name, schemas),
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
    tags: [...new Set(REST_OPERATION_NAMES.map(areaOf))].map((area) => ({
      name: area,
      description: AREAS[area],
    })),
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token of one guild: svcpat_ and 48 characters.',
        },
      },
      schemas,
      headers: HEADERS,
    },
  };
}

const INTRODUCTION = [
  'Moderation of one Discord guild per token. A destructive call needs an open window, which the guild owner opens in',
  'the dashboard, and a `_confirmation` sentence that repeats the call. Text is any Unicode but U+0000 and lone',
  'surrogates, its length counted in characters; times that a caller gives lie between 2015 and 2099. A body has no',
  'fields but those of its operation. A path that takes other methods is 405 `NOT_FOUND` with `Allow`.',
].join(' ');

/** What `error.details` can hold: the fields of every code's `ErrorDetails`. */
const DETAILS = {
  reason: {
    type: 'string',
    description: 'UNAUTHORIZED: TOKEN_INVALID. FORBIDDEN: why the target cannot be acted on.',
  },
  permissions: {
    type: 'array',
    items: { type: 'string' },
    description:
      'FORBIDDEN, BOT_MISSING_PERMISSION: the Discord permissions to grant to the bot, where they are known.',
  },
  missing: {
    type: 'array',
    items: { type: 'string', enum: CAPABILITIES },
    description: 'CAPABILITY_DENIED: what the token lacks.',
  },
  expected_format: { type: 'string', description: 'INVALID_CONFIRMATION: the template.' },
  expected_concrete: { type: 'string', description: 'INVALID_CONFIRMATION: the sentinel of this very call.' },
  reauth_url: { type: 'string', format: 'uri', description: 'RE_AUTH_REQUIRED: where the owner approves.' },
  approval_id: { type: 'string', description: 'RE_AUTH_REQUIRED: the approval request the call left.' },
  issues: {
    type: 'array',
    items: {
      type: 'object',
      required: ['path', 'message'],
      properties: {
        path: { type: 'string', description: 'The field, dotted; empty for the request as a whole.' },
        message: { type: 'string' },
      },
      additionalProperties: false,
    },
    description: 'VALIDATION_FAILED: what is wrong, one entry per field.',
  },
  scope: {
    type: 'string',
    enum: ['ip', 'token', 'user', 'idempotency_key'],
    description: 'RATE_LIMITED: whose limit it is.',
  },
  tier: {
    type: 'string',
    enum: Object.keys(TIERS),
    description: "RATE_LIMITED: which of the token's or user's budgets is used up.",
  },
  retry_after_seconds: {
    type: 'integer',
    minimum: 1,
    description: 'RATE_LIMITED, and UPSTREAM_UNAVAILABLE where it is known: what Retry-After says.',
  },
  upstream: {
    type: 'string',
    enum: ['bot', 'discord', 'game_server', 'database'],
    description: 'UPSTREAM_UNAVAILABLE: who did not do their part.',
  },
  outcome: {
    type: 'string',
    enum: ['not_performed', 'unknown'],
    description: 'UPSTREAM_UNAVAILABLE: whether the call can have had an effect.',
  },
  action_id: { type: 'string', description: 'UPSTREAM_UNAVAILABLE, unknown: ask GET /actions/{actionId}.' },
};

const ERROR_SCHEMA = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'retryable', 'request_id'],
      properties: {
        code: { type: 'string', enum: Object.keys(ERRORS) },
        message: { type: 'string', description: 'For operators, not for end users' },
        retryable: { type: 'boolean', description: 'Whether the same call may succeed later' },
        request_id: { type: 'string', description: 'Quote it when you report a fault' },
        details: {
          type: 'object',
          properties: DETAILS,
          additionalProperties: false,
          description: 'What the code adds; most codes add only some of these fields, some none',
        },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};

const HEADERS = {
  RequestId: { description: 'Names this answer in our logs.', required: true, schema: { type: 'string' } },
  AddressLimit: {
    description: 'Requests an address may make in five minutes.',
    required: true,
    schema: { type: 'integer' },
  },
  AddressRemaining: {
    description: 'Requests the address has left.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  RateLimit: {
    description: "What the token's and the issuing user's budgets hold.",
    required: true,
    schema: { type: 'string' },
  },
  RateLimitPolicy: {
    description: 'The size of those budgets.',
    required: true,
    schema: { type: 'string' },
  },
  RetryAfter: {
    description: 'Whole seconds to wait, at least 1.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  Challenge: {
    description: 'The scheme to authenticate with (RFC 6750).',
    required: true,
    schema: { type: 'string', pattern: '^Bearer ' },
  },
  Replayed: {
    description: 'Present where the answer is that of an earlier call with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
};

const COMMON_HEADERS = {
  'X-Request-Id': headerRef('RequestId'),
  'X-RateLimit-Limit': headerRef('AddressLimit'),
  'X-RateLimit-Remaining': headerRef('AddressRemaining'),
};

function headerRef(name: keyof typeof HEADERS): Json {
  return { $ref: `#/components/headers/${name}` };
}

function operationObject(name: RestOperation, schemas: Record<string, unknown>): Json {
  const entry = entryOf(name);
  return {
    operationId: name,
    summary: entry.summary,
    description: describe(name, entry),
    tags: [areaOf(name)],
    parameters: parametersOf(name, entry, schemas),
    ...(entry.http.method === 'GET' ? {} : bodyOf(name, entry, schemas)),
    responses: responsesOf(name, entry, schemas),
  };
}

type Area = RestOperation extends infer N ? (N extends `${infer A}.${string}` ? A : N) : never;

const AREAS: Readonly<Record<Area & string, string>> = {
  me: 'The token itself: what it may do, its window, its budgets.',
  strikes: 'Strikes of members, which stay on record when they are removed.',
  bans: 'Bans, for good or for a number of minutes.',
  mutes: 'Timeouts; those of a day at most need no window.',
  tickets: 'Tickets that members have opened, and who has claimed them.',
  messages: 'Deleting many messages of a channel at once.',
  servers: 'Game servers, and commands on their consoles.',
  members: 'What is on record about a person.',
  rules: 'What the guild has set down about its moderation',
  audit: 'Who did what, and what was refused.',
  actions: 'How a call ended whose answer said that it is unknown.',
};

function areaOf(name: RestOperation): Area & string {
  return name.replace(/\..*$/, '') as Area & string;
}

function describe(name: RestOperation, entry: RestEntry): string {
  const capability =
    entry.capability === 'none'
      ? 'Needs no capability.'
      : entry.capability === 'of_action'
        ? 'Needs the capability of the operation that the action belongs to.'
        : `Needs the capability \`${entry.capability}\`.`;
  const tier =
    typeof entry.tier === 'string'
      ? `Charged as \`${entry.tier}\`.`
      : 'Charged as `reversible_write` or `destructive_write`, by its length.';
  if (!canBeDestructive(name)) return `${capability} ${tier}`;
  return `${capability} ${tier} Needs an open window and \`_confirmation\`: \`${entry.sentinel?.template}\`.`;
}

function parametersOf(name: RestOperation, entry: RestEntry, schemas: Record<string, unknown>): Json[] {
  const inPath = pathParams(name);
  const parameter = (location: 'path' | 'query', field: string, schema: z.ZodType): Json => {
    const { description, ...rest } = jsonSchema(schema, schemas, 'input');
    return {
      name: field,
      in: location,
      required: location === 'path',
      ...(description === undefined ? {} : { description }),
      schema: rest,
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
  ];
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A retry with the same key and body, within 24 hours, gets the first answer and does nothing again.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
};

function bodyOf(name: RestOperation, entry: RestEntry, schemas: Record<string, unknown>): Json {
  const omitted = Object.fromEntries(pathParams(name).map((field) => [field, true as const]));
  const body = entry.input
    .omit(omitted as never)
    .extend(canBeDestructive(name) ? { _confirmation: confirmationOf(entry) } : {});
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

/** Statuses any call can end in, and those of some. */
const ERRORS_BY_STATUS: readonly {
  status: number;
  when: (name: RestOperation, entry: RestEntry) => boolean;
  codes: ErrorCode[];
}[] = [
  { status: 400, when: always, codes: ['VALIDATION_FAILED'] },
  { status: 401, when: always, codes: ['UNAUTHORIZED', 'TOKEN_EXPIRED', 'TOKEN_REVOKED'] },
  {
    status: 403,
    when: always,
    codes: ['FORBIDDEN', 'CAPABILITY_DENIED', 'RE_AUTH_REQUIRED', 'TOKEN_IP_NOT_ALLOWED', 'CORS_DENIED'],
  },
  { status: 404, when: always, codes: ['NOT_FOUND'] },
  { status: 409, when: (name) => name === 'tickets.claim', codes: ['ALREADY_CLAIMED'] },
  { status: 413, when: writes, codes: ['VALIDATION_FAILED'] },
  { status: 422, when: writes, codes: ['VALIDATION_FAILED', 'INVALID_CONFIRMATION'] },
  { status: 429, when: always, codes: ['RATE_LIMITED'] },
  { status: 500, when: always, codes: ['INTERNAL_ERROR'] },
  { status: 502, when: (_name, entry) => entry.performedBy === 'bot', codes: ['UPSTREAM_UNAVAILABLE'] },
  { status: 503, when: always, codes: ['UPSTREAM_UNAVAILABLE'] },
];

function always(): boolean {
  return true;
}

function writes(_name: RestOperation, entry: RestEntry): boolean {
  return entry.http.method !== 'GET';
}

function responsesOf(name: RestOperation, entry: RestEntry, schemas: Record<string, unknown>): Json {
  const success = {
    description: entry.summary,
    headers: {
      ...COMMON_HEADERS,
      RateLimit: headerRef('RateLimit'),
      'RateLimit-Policy': headerRef('RateLimitPolicy'),
      ...(writes(name, entry) ? { 'Idempotent-Replayed': headerRef('Replayed') } : {}),
    },
    content: {
      'application/json': {
        schema: jsonSchema(entry.output, schemas, 'output'),
        example: entry.example.output,
      },
    },
  };
  const refusals = ERRORS_BY_STATUS.filter(({ when }) => when(name, entry)).map(({ status, codes }) => [
    String(status),
    {
      description: codes.map((code) => `${code}: ${ERRORS[code].meaning}`).join(' '),
      headers: {
        ...COMMON_HEADERS,
        ...(status === 401 ? { 'WWW-Authenticate': headerRef('Challenge') } : {}),
        ...(status === 429 || status === 503 ? { 'Retry-After': headerRef('RetryAfter') } : {}),
      },
      content: { 'application/json': { schema: errorOf(codes) } },
    },
  ]);
  return { [String(entry.http.success)]: success, ...Object.fromEntries(refusals) };
}

/** The envelope with one of these codes. */
function errorOf(codes: readonly ErrorCode[]): Json {
  const code = { type: 'string', enum: codes };
  return {
    allOf: [
      { $ref: '#/components/schemas/Error' },
      { type: 'object', properties: { error: { type: 'object', properties: { code } } } },
    ],
  };
}

/** JSON Schema 2020-12 of a schema; the named ones it refers to are put among the document's components. */
function jsonSchema(
  schema: z.ZodType,
  schemas: Record<string, unknown>,
  io: 'input' | 'output',
): Record<string, unknown> {
  const {
    $schema: _,
    $defs = {},
    ...root
  } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema: made }) => {
      // zod's pattern of a date repeats what the format says in 300 characters; what it adds is that times are in UTC.
      if (made.format === 'date-time') made.pattern = 'Z$';
    },
  });
  for (const [id, named] of Object.entries($defs)) schemas[id] = withComponentRefs(named);
  return withComponentRefs(root) as Record<string, unknown>;
}

function withComponentRefs(value: unknown): unknown {
  const { id: _, ...rest } = JSON.parse(
    JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/'),
  );
  return rest;
}
