import { canBeDestructive, entryOf, type RestOperation } from './operations/index.ts';
import { pathParams, pathTemplate } from './operations/route.ts';
import { expectedSentinel } from './sentinel.ts';

/** An HTTP request for an example. */
export interface ExampleCall {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON; absent if the operation takes no fields besides those of its path. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/**
 * A valid request for an operation, with its sentinel filled in, for `curlOf` or a test. `origin` is that of the API,
 * without a path; `token` is a secret, or `$TOKEN` for a shell to fill in.
 */
export function exampleCall(
  name: RestOperation,
  { origin, guildId, token }: { readonly origin: string; readonly guildId: string; readonly token: string },
): ExampleCall {
  const {
    http: { method },
    example: { input },
  } = entryOf(name);
  const inPath = pathParams(name);
  const path = pathTemplate(name).replace(/\{(\w+)\}/g, (_, param: string) =>
    encodeURIComponent(param === 'guildId' ? guildId : String(input[param])),
  );
  const fields = Object.entries(input).filter(([field]) => !inPath.includes(field));
  const query = new URLSearchParams();
  if (method === 'GET') for (const [field, value] of fields) query.set(field, String(value));
  const body =
    method === 'GET' ? {} : { ...Object.fromEntries(fields), ...confirmationOf(name, guildId, input) };
  const hasBody = Object.keys(body).length > 0;
  return {
    method,
    url: `${origin}/api/public/v1${path}${query.size === 0 ? '' : `?${query}`}`,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
    },
    ...(hasBody ? { body } : {}),
  };
}

/** The request as a curl command for a POSIX shell, which fills in `$VARIABLES` only in header values. */
export function curlOf({ method, url, headers, body }: ExampleCall): string {
  return [
    `curl -sS${method === 'GET' ? '' : ` -X ${method}`} ${inSingleQuotes(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${inDoubleQuotes(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${inSingleQuotes(JSON.stringify(body, null, 2))}`]),
  ].join(' \\\n  ');
}

function confirmationOf(name: RestOperation, guildId: string, input: object): object {
  if (!canBeDestructive(name)) return {};
  return { _confirmation: expectedSentinel(name, guildId, entryOf(name).input.parse(input)).concrete };
}

function inSingleQuotes(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function inDoubleQuotes(text: string): string {
  return `"${text.replace(/["\\`]/g, '\\$&')}"`;
}
