import { z } from 'zod';
import type { Issue } from '#src/errors.ts';
import {
  entryOf,
  type InputOf,
  type OperationName,
  parseInput,
  REST_OPERATION_NAMES,
  type RestOperation,
} from './index.ts';
import { issuesOf, plainMessage } from './issues.ts';
import { pathParams } from './route.ts';

/** The operation's input that a caller sent, or what is wrong with it and the HTTP status of that answer. */
export type ReadInput<N extends OperationName> =
  | { readonly ok: true; readonly input: InputOf<N>; readonly confirmation?: string }
  | { readonly ok: false; readonly status: 400 | 422; readonly issues: readonly Issue[] };

type Params = Readonly<Record<string, string>>;

type FieldKind = 'boolean' | 'number' | 'string';

interface Reader {
  readonly params: ReadonlySet<string>;
  /** Declared types of the fields that are not in the path. */
  readonly fields: ReadonlyMap<string, FieldKind>;
}

const READERS = new Map(REST_OPERATION_NAMES.map((name) => [name, readerOf(name)]));

/**
 * The input of a GET: path parameters and query. Each field of the query is parsed by its declared type. An unknown,
 * repeated or wrong field is a 400 (decisions: Errors, VALIDATION_FAILED).
 */
export function readQuery<N extends RestOperation>(
  name: N,
  params: Params,
  query: URLSearchParams,
): ReadInput<N> {
  const { fields } = readerFor(name);
  const values: Record<string, unknown> = { ...params };
  const issues: Issue[] = [];
  const seen = new Set<string>();
  for (const [field, raw] of query) {
    const kind = fields.get(field);
    if (kind === undefined)
      issues.push({ path: field.slice(0, 100), message: 'is not a parameter of this operation' });
    else if (seen.has(field)) issues.push({ path: field, message: 'is given more than once' });
    else readField(field, kind, raw, values, issues);
    seen.add(field);
  }
  if (issues.length > 0) return { ok: false, status: 400, issues: issues.slice(0, 20) };
  const read = parse(name, values);
  return read.ok ? read : { ...read, status: 400 };
}

/**
 * The input of a POST or DELETE: path parameters and JSON body, and the body's `_confirmation` beside it. `undefined`
 * means that there is no body. Wrong path parameters are a 400, wrong fields a 422.
 */
export function readBody<N extends RestOperation>(name: N, params: Params, body: unknown): ReadInput<N> {
  const { params: paramNames } = readerFor(name);
  const given = body === undefined ? {} : body;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return { ok: false, status: 422, issues: [{ path: '', message: 'must be a JSON object' }] };
  }
  const { _confirmation: confirmation, ...fields } = given as Record<string, unknown>;
  const issues: Issue[] = [];
  if (confirmation !== undefined && typeof confirmation !== 'string') {
    issues.push({ path: '_confirmation', message: 'must be a string' });
  }
  for (const param of paramNames) {
    if (!Object.hasOwn(fields, param)) continue;
    issues.push({ path: param, message: 'is part of the path, not a field of the body' });
  }
  const read = parse(name, { ...fields, ...params });
  if (!read.ok) {
    const badPath = read.issues.some(({ path }) => paramNames.has(path));
    return { ok: false, status: badPath ? 400 : 422, issues: [...issues, ...read.issues] };
  }
  if (issues.length > 0) return { ok: false, status: 422, issues };
  return typeof confirmation === 'string' ? { ...read, confirmation } : read;
}

type Parsed<N extends RestOperation> =
  | { readonly ok: true; readonly input: InputOf<N> }
  | { readonly ok: false; readonly issues: readonly Issue[] };

function parse<N extends RestOperation>(name: N, values: Record<string, unknown>): Parsed<N> {
  const parsed = parseInput(name, values, plainMessage);
  return parsed.success ? { ok: true, input: parsed.data } : { ok: false, issues: issuesOf(parsed.error) };
}

function readField(
  field: string,
  kind: FieldKind,
  raw: string,
  values: Record<string, unknown>,
  issues: Issue[],
): void {
  if (kind === 'string') values[field] = raw;
  else if (kind === 'boolean' && (raw === 'true' || raw === 'false')) values[field] = raw === 'true';
  else if (kind === 'number' && /^-?\d{1,15}$/.test(raw)) values[field] = Number(raw);
  else
    issues.push({
      path: field,
      message: kind === 'boolean' ? 'must be true or false' : 'must be a whole number',
    });
}

function readerFor(name: RestOperation): Reader {
  const reader = READERS.get(name);
  if (reader === undefined) throw new Error(`No operation is named ${name}.`);
  return reader;
}

function readerOf(name: RestOperation): Reader {
  const params = new Set(pathParams(name));
  const fields = Object.entries(entryOf(name).input.shape).flatMap(([field, schema]) =>
    params.has(field) ? [] : [[field, kindOf(schema)] as const],
  );
  return { params, fields: new Map(fields) };
}

function kindOf(schema: z.core.$ZodType): FieldKind {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return kindOf(schema.unwrap());
  if (schema instanceof z.ZodBoolean) return 'boolean';
  return schema instanceof z.ZodNumber ? 'number' : 'string';
}
