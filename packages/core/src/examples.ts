import { canBeDestructive, entryOf, type InputOf, type RestOperation } from './operations/index.ts';
import { pathParams, pathTemplate } from './operations/route.ts';
import { expectedSentinel } from './sentinel.ts';

/** A request as an HTTP client sends it. */
export interface ExampleCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON; absent where the operation takes no fields beside the path's. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/**
 * A right call of an operation, its sentinel filled in, that `curlOf` prints and a test can send. `origin` is the
 * API's own, without a path; `token` a secret, or `$TOKEN` for a shell to fill in.
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

/** The call as a line for a POSIX shell, which fills in `$VARIABLES` of the header's values and nothing else. */
export function curlOf({ method, url, headers, body }: ExampleCall): string {
  return [
    `curl -sS${method === 'GET' ? '' : ` -X ${method}`} ${inSingleQuotes(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${inDoubleQuotes(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${inSingleQuotes(JSON.stringify(body, null, 2))}`]),
  ].join(' \\\n  ');
}

function confirmationOf(name: RestOperation, guildId: string, input: object): object {
  if (!canBeDestructive(name)) return {};
  return { _confirmation: expectedSentinel(name, guildId, input as InputOf<RestOperation>).concrete };
}

function inSingleQuotes(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function inDoubleQuotes(text: string): string {
  return `"${text.replace(/["\\`]/g, '\\$&')}"`;
}
