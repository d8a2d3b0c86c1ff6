import {
  entryOf,
  type OAuthEndpoint,
  openApiDocument,
  pathTemplate,
  type RestOperation,
  Snowflake,
} from '@bailiff/core';
import { z } from 'zod';

/** One field of a request, described for readers. */
export interface Field {
  readonly name: string;
  readonly where: 'path' | 'query' | 'body';
  readonly required: 'required' | 'optional' | 'when destructive';
  readonly type: string;
  readonly meaning: string;
}

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly default?: unknown;
  readonly examples?: readonly string[];
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

/** The part of the OpenAPI document that the page reads. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
}

interface DocumentedOperation {
  /** Absent for an endpoint of OAuth, which has none. */
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json': {
        readonly schema: {
          readonly properties: Readonly<Record<string, Schema>>;
          readonly required?: readonly string[];
        };
      };
    };
  };
}

const DOCUMENT = openApiDocument('') as unknown as Document;

/** The fields of an operation's path, query and body, without `guildId`, which every guild's path has. */
export function fieldsOf(name: RestOperation): readonly Field[] {
  return fieldsIn(documented(name));
}

/** The fields that an endpoint of OAuth takes. */
export function fieldsOfOAuth({ path, method }: OAuthEndpoint): readonly Field[] {
  return fieldsIn(documentedAt(path, method));
}

function fieldsIn({ parameters = [], requestBody }: DocumentedOperation): readonly Field[] {
  const fields = parameters.flatMap((parameter): Field[] =>
    parameter.in === 'header' || parameter.name === 'guildId'
      ? []
      : [
          {
            name: parameter.name,
            where: parameter.in,
            required: parameter.required ? 'required' : 'optional',
            type: typeOf(parameter.schema),
            meaning: meaningOf(parameter.description, parameter.schema),
          },
        ],
  );
  if (requestBody === undefined) return fields;
  const { properties, required = [] } = requestBody.content['application/json'].schema;
  const inBody = Object.entries(properties).map(([field, schema]): Field => {
    const isConfirmation = field === '_confirmation';
    return {
      name: field,
      where: 'body',
      required: required.includes(field) ? 'required' : isConfirmation ? 'when destructive' : 'optional',
      type: typeOf(schema),
      meaning: isConfirmation ? 'The sentinel of this very call' : meaningOf(schema.description, schema),
    };
  });
  return [...fields, ...inBody];
}

/** The meaning of the header `Idempotency-Key`, as the OpenAPI document describes it. */
export function idempotencyKeyMeaning(): string {
  const parameter = documented('bans.add').parameters?.find(({ name }) => name === 'Idempotency-Key');
  if (parameter?.description === undefined)
    throw new Error('The document does not describe Idempotency-Key.');
  return parameter.description;
}

function documented(name: RestOperation): DocumentedOperation {
  return documentedAt(pathTemplate(name), entryOf(name).http.method);
}

function documentedAt(path: string, method: string): DocumentedOperation {
  const operation = DOCUMENT.paths[path]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`The document lacks ${method} ${path}.`);
  return operation;
}

/** The type and bounds of a field, such as `whole number, 1 to 100, default 50`. */
function typeOf(schema: Schema): string {
  const standard = schema.default === undefined ? '' : `, default ${schema.default}`;
  return `${kindOf(schema)}${standard}`;
}

function kindOf(schema: Schema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map(kindOf).join(', or ');
  if (schema.enum !== undefined) return schema.enum.map((value) => `"${value}"`).join(' or ');
  if (schema.type === 'boolean') return 'true or false';
  if (schema.type === 'integer') return `whole number, ${schema.minimum} to ${schema.maximum}`;
  if (schema.format === 'date-time') return 'time in ISO 8601 UTC';
  if (schema.pattern !== undefined) return patternText(schema.pattern);
  return schema.maxLength === undefined
    ? 'text'
    : `text, ${schema.minLength ?? 0} to ${schema.maxLength} characters`;
}

const { pattern: SNOWFLAKE } = z.toJSONSchema(Snowflake);

/** A description of the pattern of Discord's ids or of Bailiff's ids; any other pattern unchanged. */
function patternText(pattern: string): string {
  if (pattern === SNOWFLAKE) return 'text of 17 to 20 digits';
  const [, several, one, digits] =
    /^\^(?:\(\?:([a-z|]+)\)|([a-z]+))_\[0-9a-f\]\{(\d+)\}\$$/.exec(pattern) ?? [];
  if (several !== undefined) {
    const prefixes = several.split('|').map((prefix) => `${prefix}_`);
    return `${prefixes.slice(0, -1).join(', ')} or ${prefixes.at(-1)}, and ${digits} hexadecimal digits`;
  }
  if (one !== undefined) return `${one}_ and ${digits} hexadecimal digits`;
  return `text that fits ${pattern}`;
}

function meaningOf(description: string | undefined, { examples: [example] = [] }: Schema): string {
  return description ?? (example === undefined ? '' : `Such as ${example}`);
}
