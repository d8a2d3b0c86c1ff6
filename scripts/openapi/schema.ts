import type { Parameter, Schema } from '@bailiff/core/testing-openapi';

/** The body of a request or of an answer. */
interface Body {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly content?: { readonly 'application/json'?: { readonly schema: Schema } };
}

export interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
}

/** The part of an OpenAPI document that callers depend on. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: object;
}

/** A schema with its document, in which its references point. */
export interface Side {
  readonly document: ApiDocument;
  readonly schema: Schema;
}

/**
 * The schemas of which a value has to match one: without references, each of one type, and with the parts of an `allOf`
 * in one.
 */
export function variants({ document, schema }: Side): Side[] {
  const own = resolve(document, schema);
  const choices = own.anyOf ?? own.oneOf;
  if (choices !== undefined) return choices.flatMap((choice) => variants({ document, schema: choice }));
  const { allOf = [], ...rest } = own;
  const whole = allOf.map((part) => resolve(document, part)).reduce(merged, rest);
  const { const: only, type = 'anything', ...others } = whole;
  const fixed = only === undefined ? others : { ...others, enum: [only] };
  return [type].flat().map((each) => ({ document, schema: { ...fixed, type: each } }));
}

function merged(one: Schema, other: Schema): Schema {
  const fields = { ...one.properties };
  for (const [field, schema] of Object.entries(other.properties ?? {}))
    fields[field] = fields[field] === undefined ? schema : merged(fields[field], schema);
  const required = [...(one.required ?? []), ...(other.required ?? [])];
  return { ...one, ...other, properties: fields, required };
}

/** What a reference points to, or the value itself. */
function resolve<T extends { readonly $ref?: string }>(document: ApiDocument, value: T): T {
  if (value.$ref === undefined) return value;
  const steps = value.$ref.replace('#/', '').split('/');
  const found = steps.reduce<unknown>((node, step) => (node as Record<string, unknown>)?.[step], document);
  // A reference stands where what it points to could stand.
  return resolve(document, found as T);
}

/** The schema of a JSON body, if there is one. */
export function jsonOf(document: ApiDocument, body: Body | undefined): Schema | undefined {
  return body === undefined ? undefined : resolve(document, body).content?.['application/json']?.schema;
}
