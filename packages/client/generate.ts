// Writes src/operations.ts: the types and routes of the operations, so that the client needs neither core nor zod.
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  canBeDestructive,
  ERRORS,
  entryOf,
  pathTemplate,
  REST_OPERATION_NAMES,
  type RestOperation,
} from '@bailiff/core';
import { z } from 'zod';

export const GENERATED = join(import.meta.dirname, 'src', 'operations.ts');

const HEADER = `// Written by packages/client/generate.ts from the operation table of @bailiff/core. Do not edit: run
// "node packages/client/generate.ts" instead. A test compares the two.
`;

/** Types of core that no schema describes, taken over as they are written there. */
const ERROR_TYPES = [
  'ForbiddenReason',
  'ServerProblem',
  'Issue',
  'ErrorDetails',
  'DetailsOf',
  'ErrorEnvelope',
];
const ERRORS_SOURCE = join(import.meta.dirname, '..', 'core', 'src', 'errors.ts');

/** The part of JSON Schema that the operations use. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

/** The source of `src/operations.ts`. */
export function generateOperations(): string {
  const named = new Map<string, Schema>();
  const inputs = REST_OPERATION_NAMES.map((name) => member(name, inputOf(name, named)));
  const outputs = REST_OPERATION_NAMES.map((name) =>
    member(name, schemaOf(entryOf(name).output, 'output', named)),
  );
  const shapes = [...named].map(([name, schema]) =>
    schema.type === 'object'
      ? `export interface ${name} ${typeOf(schema, 0)}\n`
      : `export type ${name} = ${typeOf(schema, 0)};\n`,
  );
  return [
    HEADER,
    '/** Method and path of each operation; paths are below `/api/public/v1`. */',
    'export const ROUTES = {',
    ...REST_OPERATION_NAMES.map(routeOf),
    '} as const;\n',
    'export type Operation = keyof typeof ROUTES;\n',
    '/** What each operation takes: the fields of its path, query and body together. */',
    `export interface Inputs {\n${inputs.join('\n')}\n}\n`,
    '/** What each operation answers. */',
    `export interface Outputs {\n${outputs.join('\n')}\n}\n`,
    ...shapes,
    `export type ErrorCode =\n${Object.keys(ERRORS)
      .map((code) => `  | '${code}'`)
      .join('\n')};\n`,
    ...ERROR_TYPES.map(declarationOf),
  ].join('\n');
}

/** A declaration of core's `errors.ts` with its docstring; a blank line ends it. */
function declarationOf(name: string): string {
  const blocks = readFileSync(ERRORS_SOURCE, 'utf8').split('\n\n');
  const block = blocks.find((each) => new RegExp(`^export (type|interface) ${name}\\b`, 'm').test(each));
  if (block === undefined) throw new Error(`packages/core/src/errors.ts declares no ${name}.`);
  return `${block.trim()}\n`;
}

function routeOf(name: RestOperation): string {
  return `  '${name}': { method: '${entryOf(name).http.method}', path: '${pathTemplate(name)}' },`;
}

function member(name: string, schema: Schema): string {
  return `  readonly '${name}': ${typeOf(schema, 1)};`;
}

/** The input of an operation, with the sentinel if it takes one. */
function inputOf(name: RestOperation, named: Map<string, Schema>): Schema {
  const { input, sentinel, tier } = entryOf(name);
  const { required = [], ...schema } = schemaOf(input, 'input', named);
  if (!canBeDestructive(name)) return { ...schema, required };
  const _confirmation = { type: 'string', description: sentinel?.template ?? '' };
  return {
    ...schema,
    properties: { ...schema.properties, _confirmation },
    required: typeof tier === 'function' ? required : [...required, '_confirmation'],
  };
}

function schemaOf(type: z.ZodType, io: 'input' | 'output', named: Map<string, Schema>): Schema {
  const { $defs = {}, ...schema } = z.toJSONSchema(type, { io });
  for (const [name, each] of Object.entries($defs)) named.set(name, each as Schema);
  if (schema.id !== undefined) {
    named.set(schema.id as string, schema as Schema);
    return { $ref: schema.id as string };
  }
  return schema as Schema;
}

/** The TypeScript type of a schema. */
function typeOf(schema: Schema, depth: number): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? '';
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return unionOf(schema.enum.map(literal));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return unionOf(choices.map((choice) => typeOf(choice, depth)));
  const { type } = schema;
  if (typeof type === 'object') return unionOf(type.map((each) => typeOf({ ...schema, type: each }, depth)));
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `ReadonlyArray<${typeOf(schema.items ?? {}, depth)}>`;
    case 'object':
      return objectOf(schema, depth);
    default:
      return 'unknown';
  }
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema, depth: number): string {
  const fields = Object.entries(properties).flatMap(([name, schema]) => [
    ...(schema.description === undefined ? [] : [`/** ${schema.description} */`]),
    `readonly ${name}${required.includes(name) ? ': ' : '?: undefined | '}${typeOf(schema, depth + 1)};`,
  ]);
  if (fields.length === 0) {
    const values = typeof additionalProperties === 'object' ? typeOf(additionalProperties, depth) : 'never';
    return `Readonly<Record<string, ${values}>>`;
  }
  const indent = '  '.repeat(depth);
  return `{\n${fields.map((field) => `${indent}  ${field}\n`).join('')}${indent}}`;
}

function unionOf(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

if (import.meta.main) await writeFile(GENERATED, generateOperations());
