import { invalidForm } from '#src/errors.ts';
import { Fields } from '#src/fields.ts';
import type { Actor, StoredFile, User } from '#src/model.ts';
import type { Grant } from '#src/oauth.ts';
import type { World } from '#src/world.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who calls: the bot with its token, or a person through an OAuth access token. */
export type Principal =
  | { readonly kind: 'bot'; readonly user: User }
  | ({ readonly kind: 'bearer' } & Grant)
  | { readonly kind: 'none' };

/** One request to the API, read and authenticated. */
export interface Call<Param extends string = string> {
  readonly world: World;
  readonly gateway: GatewayFacts;
  readonly principal: Principal;
  readonly params: Readonly<Record<Param, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly files: readonly StoredFile[];
  /** The bot with the decoded `X-Audit-Log-Reason`. */
  readonly actor: Actor;
}

/** What REST tells about the gateway. */
export interface GatewayFacts {
  readonly url: string;
  readonly shards: number;
  readonly maxConcurrency: number;
  identifiesLeft(): number;
  resetAfterMs(): number;
}

export interface Route {
  readonly method: Method;
  /** As Discord's OpenAPI document writes it: `/guilds/{guild_id}/bans/{user_id}`. */
  readonly path: string;
  /** `bot`: its token only; `any`: also a person's access token; `none`: the path itself carries the secret. */
  readonly auth: 'bot' | 'any' | 'none';
  /** Status of an answer that has a body; without one it is 204. */
  readonly status: number;
  handle(call: Call): unknown;
}

type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamsOf<Rest>
  : never;

/** Declares a route. Its handler returns the body of the answer, or undefined for 204, or throws a DiscordError. */
export function route<Path extends string>(
  method: Method,
  path: Path,
  handle: (call: Call<ParamsOf<Path>>) => unknown,
  options: { auth?: Route['auth']; status?: number } = {},
): Route {
  return {
    method,
    path,
    auth: options.auth ?? 'bot',
    status: options.status ?? 200,
    handle: handle as Route['handle'],
  };
}

/** The fields of a JSON body; what does not fit is Discord's 50035. */
export function fieldsOf(value: unknown): Fields {
  return new Fields(value, invalidForm);
}

/** The fields of a body that may be absent altogether. */
export function optionalFieldsOf(value: unknown): Fields {
  return fieldsOf(value ?? {});
}

/** An integer of the query, within bounds. */
export function queryInteger(
  query: URLSearchParams,
  name: string,
  bounds: { min: number; max: number; fallback: number },
): number {
  const text = query.get(name);
  if (text === null) return bounds.fallback;
  return fieldsOf({ [name]: text }).integer(name, bounds) ?? bounds.fallback;
}
