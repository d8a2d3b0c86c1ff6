import { readFile } from 'node:fs/promises';
import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js';
import { isObject, type JsonObject } from './fields.ts';
import type { Exchange } from './server.ts';

const SOURCE = new URL('../discord/openapi.json', import.meta.url);

/**
 * Where Discord's document and Discord itself differ. `route` and `part` say where it applies (`*`: everywhere), `path` is
 * a pattern of the JSON pointer at fault.
 */
const EXCEPTIONS: readonly { part: 'request' | 'response'; route: string; path: RegExp; why: string }[] = [
  {
    part: 'request',
    route: '*',
    path: /\/(default_member_permissions|permissions|allow|deny)$/,
    why: 'Permissions travel as strings, because they outgrow 53 bits; the document says integer.',
  },
  {
    part: 'response',
    route: '*',
    path: /^\/errors/,
    why: 'Discord names the faults of fields (BASE_TYPE_REQUIRED); the document says their codes are integers.',
  },
  {
    part: 'response',
    route: '*',
    path: /\/message_reference\/type$/,
    why: 'A forward refers to its message with 1; the document knows the 0 of a reply only.',
  },
];

/** Bodies of these may be left out altogether, whatever the document says. */
const BODILESS = ['DELETE /guilds/{guild_id}/bans/{user_id}', 'PUT /guilds/{guild_id}/bans/{user_id}'];

/** Discord's document, and what was compiled of it; reading and compiling it costs more than most tests. */
interface Description {
  readonly ajv: Ajv2020;
  readonly document: JsonObject;
  readonly compiled: Map<string, ValidateFunction>;
}

let loading: Promise<Description> | undefined;

/**
 * A check of exchanges against Discord's OpenAPI document, which tells `report` what does not fit. An operation is compiled
 * when it is first used, for the document is large; sandboxes of one process share what was read and compiled.
 */
export async function openApiValidator(
  report: (violation: string) => void,
): Promise<(exchange: Exchange) => void> {
  loading ??= loadDescription();
  const checker = new Checker(await loading, report);
  return (exchange) => checker.check(exchange);
}

async function loadDescription(): Promise<Description> {
  const text = await readFile(SOURCE, 'utf8');
  const { Ajv2020: Ajv } = await import('ajv/dist/2020.js');
  const { default: formats } = await import('ajv-formats');
  // Discord's document uses keywords of OpenAPI that are none of JSON Schema, hence not strict.
  const ajv = new Ajv({
    strict: false,
    allErrors: true,
    validateSchema: false,
    logger: false,
    code: { optimize: false },
  });
  formats.default(ajv, ['uri', 'date-time']);
  for (const format of ['int32', 'int64', 'double', 'nonce', 'snowflake']) ajv.addFormat(format, true);
  const document: unknown = JSON.parse(text);
  if (!isObject(document)) throw new Error(`${SOURCE.pathname} is no OpenAPI document.`);
  ajv.addSchema({ ...document, $id: 'discord' });
  return { ajv, document, compiled: new Map() };
}

function at(value: unknown, ...keys: string[]): unknown {
  return keys.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

function pointer(...keys: string[]): string {
  return keys
    .map((key) => `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('');
}

class Checker {
  readonly #ajv: Ajv2020;
  readonly #document: JsonObject;
  readonly #report: (violation: string) => void;
  readonly #compiled: Map<string, ValidateFunction>;

  constructor({ ajv, document, compiled }: Description, report: (violation: string) => void) {
    this.#ajv = ajv;
    this.#document = document;
    this.#compiled = compiled;
    this.#report = report;
  }

  check(exchange: Exchange): void {
    const name = `${exchange.method} ${exchange.route}`;
    const method = exchange.method.toLowerCase();
    const operation = at(this.#document, 'paths', exchange.route, method);
    if (!isObject(operation)) {
      this.#report(`${name}: Discord documents no such operation`);
      return;
    }
    // The answer has already reported a malformed request.
    const code = at(exchange.responseBody, 'code');
    const wasRefused = exchange.status === 400 && (code === 50035 || code === 50109);
    if (!wasRefused) {
      this.#checkQuery(name, operation, exchange);
      this.#checkRequest(name, method, operation, exchange);
    }
    this.#checkResponse(name, method, operation, exchange);
  }

  #checkQuery(name: string, operation: JsonObject, { query }: Exchange): void {
    const parameters = Array.isArray(operation.parameters) ? operation.parameters.filter(isObject) : [];
    for (const [key, text] of query) {
      const index = parameters.findIndex((parameter) => parameter.in === 'query' && parameter.name === key);
      const schema = at(parameters[index], 'schema');
      if (!isObject(schema)) {
        this.#report(`${name} request: there is no query parameter ${key}`);
        continue;
      }
      this.#validate(`${name} query ${key}`, schema, this.#coerce(schema, text), 'request', name);
    }
  }

  /** The text of a query parameter as a value of its schema's type; the text itself if it is none. */
  #coerce(schema: JsonObject, text: string): unknown {
    const { $ref, items } = schema;
    if (typeof $ref === 'string') {
      const target = at(this.#document, ...$ref.replace(/^#\//, '').split('/'));
      return isObject(target) ? this.#coerce(target, text) : text;
    }
    const types = [schema.type].flat();
    if (types.includes('integer') || types.includes('number')) return text === '' ? text : Number(text);
    if (types.includes('boolean')) return text === 'true' ? true : text === 'false' ? false : text;
    if (types.includes('array')) {
      return text.split(',').map((item) => (isObject(items) ? this.#coerce(items, item) : item));
    }
    return text;
  }

  #checkRequest(name: string, method: string, operation: JsonObject, exchange: Exchange): void {
    const content = at(operation, 'requestBody', 'content');
    if (!isObject(content)) return;
    if (exchange.requestBody === undefined) {
      const isRequired = at(operation, 'requestBody', 'required') === true && !BODILESS.includes(name);
      if (isRequired) this.#report(`${name} request: the body is missing`);
      return;
    }
    // A form carries the same fields in its payload_json; the files beside it have no JSON schema.
    const mediaType = 'application/json';
    if (!isObject(content[mediaType])) return;
    const path = ['paths', exchange.route, method, 'requestBody', 'content', mediaType, 'schema'];
    this.#validatePointer(`${name} request`, path, exchange.requestBody, 'request', name);
  }

  #checkResponse(name: string, method: string, operation: JsonObject, exchange: Exchange): void {
    const responses = at(operation, 'responses');
    if (!isObject(responses)) return;
    const status = String(exchange.status);
    const key = [status, `${status[0]}XX`].find((candidate) => responses[candidate] !== undefined);
    if (key === undefined) {
      this.#report(`${name} response: Discord documents no status ${status}`);
      return;
    }
    const shared = at(responses[key], '$ref');
    const base =
      typeof shared === 'string'
        ? shared.replace(/^#\//, '').split('/')
        : ['paths', exchange.route, method, 'responses', key];
    const schema = at(this.#document, ...base, 'content', 'application/json', 'schema');
    if (schema === undefined) {
      if (exchange.responseBody !== undefined)
        this.#report(`${name} response ${status}: there should be no body`);
      return;
    }
    const path = [...base, 'content', 'application/json', 'schema'];
    this.#validatePointer(`${name} response ${status}`, path, exchange.responseBody, 'response', name);
  }

  #validatePointer(
    label: string,
    path: string[],
    value: unknown,
    part: 'request' | 'response',
    name: string,
  ): void {
    this.#validate(label, { $ref: `discord#${pointer(...path)}` }, value, part, name);
  }

  #validate(
    label: string,
    schema: JsonObject,
    value: unknown,
    part: 'request' | 'response',
    name: string,
  ): void {
    const key = JSON.stringify(schema);
    let check = this.#compiled.get(key);
    if (!check) {
      check = this.#ajv.compile(rebased(schema) as JsonObject);
      this.#compiled.set(key, check);
    }
    if (check(value)) return;
    const errors = (check.errors ?? []).filter(
      (error) =>
        !EXCEPTIONS.some(
          (exception) =>
            exception.part === part &&
            (exception.route === '*' || exception.route === name) &&
            exception.path.test(error.instancePath),
        ),
    );
    // A union fails as a whole with every branch's complaint; once all leaves are excepted, so is the union.
    const telling = errors.filter((error) => !['oneOf', 'anyOf', 'allOf', '$ref'].includes(error.keyword));
    if (telling.length === 0 && errors.length < (check.errors ?? []).length) return;
    const shown = (telling.length > 0 ? telling : errors)
      .slice(0, 6)
      .map((error) => `${error.instancePath || '/'} ${error.message ?? error.keyword}`);
    this.#report(`${label}: ${shown.join('; ')}`);
  }
}

/** References of a query parameter's schema, at whatever depth, are relative to the document. */
function rebased(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(rebased);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) =>
      key === '$ref' && typeof value === 'string' && value.startsWith('#')
        ? [key, `discord${value}`]
        : [key, rebased(value)],
    ),
  );
}
