import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { forward } from './forwarding.ts';

/** Discord's own description of its answers. */
const DOCUMENT = JSON.parse(
  readFileSync(new URL('../../../packages/sandbox/discord/openapi.json', import.meta.url), 'utf8'),
) as { paths: Record<string, Record<string, Operation>>; components: Record<string, Record<string, Schema>> };

interface Operation {
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: Schema }> }>;
}

interface Schema {
  readonly $ref?: string;
  readonly required?: readonly string[];
  readonly properties?: Record<string, Schema>;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly allOf?: readonly Schema[];
}

/**
 * How much an answer says. `least`: of each object only what Discord's document requires. `most`: each object has fields
 * that no document names.
 */
export type Saying = 'least' | 'most';

const UNHEARD_OF = { unheard_of: { nested: [1, null, 'text'] }, '': 0 };

/** The JSON of an answer, reshaped by Discord's description of it. */
export function reshaped(
  method: string,
  path: string,
  status: number,
  body: unknown,
  saying: Saying,
): unknown {
  if (saying === 'most') return withMore(body);
  const operation = Object.entries(DOCUMENT.paths)
    .filter(([template]) => fits(template, path))
    .sort(([a], [b]) => a.split('{').length - b.split('{').length)[0]?.[1][method.toLowerCase()];
  const schema = operation?.responses[String(status)]?.content?.['application/json']?.schema;
  return schema === undefined ? body : least(schema, body);
}

function fits(template: string, path: string): boolean {
  const [wanted, given] = [template.split('/'), path.split('/')];
  return (
    wanted.length === given.length && wanted.every((part, at) => part.startsWith('{') || part === given[at])
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function withMore(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMore);
  if (!isObject(value)) return value;
  const inner = Object.entries(value).map(([key, each]) => [key, withMore(each)]);
  // Texts by language, and the like, have keys of their own.
  const isThing = 'id' in value || 'user' in value || 'type' in value;
  return { ...Object.fromEntries(inner), ...(isThing ? UNHEARD_OF : {}) };
}

function least(schema: Schema, value: unknown): unknown {
  const { $ref, oneOf, anyOf, items, properties, required = [] } = schema;
  if ($ref !== undefined) return least(referred($ref), value);
  const branches = oneOf ?? anyOf;
  if (branches !== undefined) {
    const branch = branches.find((each) => isOf(each, value));
    return branch === undefined ? value : least(branch, value);
  }
  if (Array.isArray(value)) return items === undefined ? value : value.map((each) => least(items, each));
  if (!isObject(value) || properties === undefined) return value;
  const kept = Object.entries(value).filter(([key]) => required.includes(key));
  return Object.fromEntries(kept.map(([key, each]) => [key, least(properties[key] ?? {}, each)]));
}

function referred($ref: string): Schema {
  const [, , group = '', name = ''] = $ref.split('/');
  return DOCUMENT.components[group]?.[name] ?? {};
}

/** Whether a value can be of one branch of a union: it has what the branch requires, and the values it fixes. */
function isOf(schema: Schema, value: unknown): boolean {
  if (schema.$ref !== undefined) return isOf(referred(schema.$ref), value);
  if (schema.allOf !== undefined) return schema.allOf.every((each) => isOf(each, value));
  if (schema.enum !== undefined) return schema.enum.includes(value);
  if (schema.oneOf !== undefined) return schema.oneOf.some((each) => isOf(each, value));
  if (schema.items !== undefined) return Array.isArray(value);
  const { properties, required = [] } = schema;
  if (properties === undefined) return !isObject(value) && !Array.isArray(value);
  return (
    isObject(value) &&
    required.every((key) => key in value && (key !== 'type' || isOf(properties[key] ?? {}, value[key])))
  );
}

/** Stands between the bot and the sandbox, and reshapes what the sandbox answers. */
export async function startReshaping(sandboxPort: number, saying: Saying) {
  const upstream = `http://127.0.0.1:${sandboxPort}`;
  const server = createServer(async (request, response) => {
    const { method, url, answer, text } = await forward(request, upstream);
    const isJson = answer.headers.get('Content-Type')?.startsWith('application/json') === true && answer.ok;
    const path = url.replace(/\?.*$/, '').replace('/api/v10', '');
    const told = isJson
      ? JSON.stringify(reshaped(method, path, answer.status, JSON.parse(text), saying))
      : text;
    for (const [name, value] of answer.headers) {
      if (!/^(content-length|transfer-encoding|connection|keep-alive|content-encoding)$/.test(name))
        response.setHeader(name, value);
    }
    response.writeHead(answer.status).end(told === '' ? undefined : told);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
