import { type Operation, ROUTES } from './operations.ts';

/** A request to the public API. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/api/public/v1`, with its query. */
  readonly path: string;
  /** Absent if the operation has no fields for a body. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Matches all ids of Discord and Bailiff. Anything else, such as `..`, could change the path. */
const ID = /^\w+$/;

/**
 * The request for an operation. Fields in its path go there, the others go into the query or the body.
 *
 * @param guildId the guild in the path; unused if the operation is about the token itself
 * @throws TypeError for a field of the path that is not an id
 */
export function requestOf(operation: Operation, guildId: string, input: object): ApiRequest {
  const { method, path: template } = ROUTES[operation];
  const fields = new Map<string, unknown>(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = name === 'guildId' ? guildId : fields.get(name);
    if (typeof value !== 'string' || !ID.test(value))
      throw new TypeError(`${name} of ${operation} must be an id.`);
    fields.delete(name);
    return value;
  });
  if (method === 'GET') {
    const query = new URLSearchParams(
      [...fields].map(([name, value]): [string, string] => [name, String(value)]),
    );
    return { method, path: query.size === 0 ? path : `${path}?${query}` };
  }
  return fields.size === 0 ? { method, path } : { method, path, body: Object.fromEntries(fields) };
}

/** Whether the operation's path names a guild. */
export function isInGuild(operation: Operation): boolean {
  return ROUTES[operation].path.startsWith('/guilds/');
}

/**
 * The address of an instance, without a slash at its end.
 *
 * @throws TypeError for what is no address of HTTP, such as `localhost:3000`: its scheme would be `localhost`
 */
export function baseOf(address: string): string {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new TypeError('The URL must be an address of Bailiff, such as https://bailiff.example.');
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}
