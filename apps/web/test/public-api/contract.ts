import { type OperationName, openApiDocument } from '@bailiff/core';
import type { Parameter, Schema } from '@bailiff/core/testing-openapi';
import { type ValidateFunction, Ajv2020 as Validator } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import type { Answer } from './harness.ts';

/** An answer that several operations share, by its place in the document. */
interface Reference {
  readonly $ref: string;
}

interface DocumentedResponse {
  readonly headers: Readonly<Record<string, { readonly $ref: string }>>;
}

/** An operation as the OpenAPI document alone describes it. */
export interface DocumentedOperation {
  readonly name: OperationName;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** The schema of the JSON body, if the operation takes one. */
  readonly body: Schema | undefined;
  /** Whether the document allows a body. */
  allows(body: unknown): boolean;
  /** Fails the test unless the document describes the answer's status, headers and body. */
  expectAnswer(answer: Answer, what: string): void;
}

interface RawOperation {
  readonly operationId: OperationName;
  /** OAuth has addresses of its own, which are not below the server of the other operations. */
  readonly servers?: unknown;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly responses: Readonly<Record<string, DocumentedResponse | Reference>>;
}

interface RawHeader {
  readonly required?: boolean;
  readonly schema: Schema;
}

const DOCUMENT = JSON.parse(JSON.stringify(openApiDocument('http://api.test'))) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: {
    readonly headers: Readonly<Record<string, RawHeader>>;
    readonly responses: Readonly<Record<string, DocumentedResponse>>;
  };
};

const validator = new Validator({ strict: false, allErrors: true, coerceTypes: false });
addFormats.default(validator);
validator.addSchema(closed(DOCUMENT), 'openapi.json');

/**
 * The document without further fields. A caller tolerates a field that the document does not describe; the product does
 * not have one.
 */
function closed<Value>(value: Value): Value;
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => closed(each));
  if (typeof value !== 'object' || value === null) return value;
  // What narrows another schema names only the fields that it narrows.
  if ('allOf' in value && Array.isArray(value.allOf))
    return { ...value, allOf: [closed(value.allOf[0]), ...value.allOf.slice(1)] };
  const inner = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, closed(each)]));
  return 'properties' in value ? { additionalProperties: false, ...inner } : inner;
}

export const DOCUMENTED: readonly DocumentedOperation[] = Object.entries(DOCUMENT.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods)
      .filter(([, raw]) => raw.servers === undefined)
      .map(([method, raw]) => documented(path, method, raw)),
);

/** Whether a call needs nothing but the guild's id. Without a bot, a right one is 503. */
export function needsNothing(method: string, path: string): boolean {
  const found = DOCUMENTED.find((each) => each.path === path && each.method === method);
  if (found === undefined || !found.allows({})) return false;
  return found.parameters.every((each) => each.in !== 'path' || each.name === 'guildId');
}

/** The headers that an answer has only if the document says so. */
const TELLING = ['Retry-After', 'WWW-Authenticate', 'Idempotent-Replayed', 'Allow'];

function documented(path: string, method: string, raw: RawOperation): DocumentedOperation {
  const at = ['paths', path, method];
  const body = raw.requestBody?.content['application/json'].schema;
  return {
    name: raw.operationId,
    method: method.toUpperCase() as DocumentedOperation['method'],
    path,
    parameters: raw.parameters,
    body,
    allows: (given) =>
      body !== undefined && schemaAt([...at, 'requestBody', 'content', 'application/json', 'schema'])(given),
    expectAnswer(answer, what) {
      const status = String(answer.status);
      const named = raw.responses[status];
      expect(Object.keys(raw.responses), `${what}: ${JSON.stringify(answer.body)}`).toContain(status);
      if (named === undefined) return;
      const { response, steps } =
        '$ref' in named ? common(named) : { response: named, steps: [...at, 'responses', status] };
      const matches = schemaAt([...steps, 'content', 'application/json', 'schema']);
      matches(answer.body);
      expect(matches.errors ?? [], `${what}: ${status} ${JSON.stringify(answer.body)}`).toEqual([]);
      expect(answer.headers.get('Content-Type'), what).toMatch(/^application\/json\b/);
      expectHeaders(answer.headers, response, `${what}: ${status}`);
      if (answer.status >= 400)
        expect(answer.body.error.request_id, what).toBe(answer.headers.get('X-Request-Id'));
    },
  };
}

function common({ $ref }: Reference): { response: DocumentedResponse; steps: readonly string[] } {
  const name = $ref.replace('#/components/responses/', '');
  const response = DOCUMENT.components.responses[name];
  if (response === undefined) throw new Error(`The document has nothing at ${$ref}.`);
  return { response, steps: ['components', 'responses', name] };
}

function schemaAt(steps: readonly string[]): ValidateFunction {
  const pointer = steps
    .map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('');
  const found = validator.getSchema(`openapi.json#${pointer}`);
  if (found === undefined) throw new Error(`The document has nothing at ${pointer}.`);
  return found;
}

function expectHeaders(headers: Headers, response: DocumentedResponse, what: string): void {
  for (const [name, { $ref }] of Object.entries(response.headers)) {
    const { required = false, schema } = DOCUMENT.components.headers[
      $ref.split('/').at(-1) ?? ''
    ] as RawHeader;
    const text = headers.get(name);
    if (text === null) expect(required, `${what}: ${name} is absent`).toBe(false);
    else {
      const value = schema.type === 'integer' && /^\d+$/.test(text) ? Number(text) : text;
      expect(validator.validate(schema, value), `${what}: ${name}: ${text}`).toBe(true);
    }
  }
  for (const name of TELLING) {
    if (name in response.headers) continue;
    expect(headers.get(name), `${what}: ${name} is not documented`).toBeNull();
  }
}
