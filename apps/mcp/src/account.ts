import { isSecret } from '@bailiff/core';
import type { Store, Stored } from './store.ts';
import { COMMAND } from './version.ts';
import { webAddress } from './web-address.ts';

/** The default address of an instance: that of `npm start`. */
export const DEFAULT_URL = 'http://localhost:3000';

type Environment = Readonly<Record<string, string | undefined>>;

/** The instance that gets the calls, and the token they carry. */
export interface Account {
  /** The origin, plus a path if the instance has one; without a trailing slash. */
  readonly url: string;
  readonly secret: string;
  /** Present if `login` stored it. */
  readonly guildId: string | null;
  readonly source: 'environment' | 'store';
}

/** An account, or what a person must do to get one. */
export type FoundAccount =
  | { readonly ok: true; readonly account: Account }
  /** `url` is null if the address itself is refused. */
  | { readonly ok: false; readonly url: string | null; readonly problem: string };

/** The account to use: BAILIFF_URL and BAILIFF_TOKEN override what `login` stored. */
export async function findAccount(env: Environment, store: Store): Promise<FoundAccount> {
  const stored = await store.read();
  const address = addressOf(env, stored);
  if (!address.ok) return { ok: false, url: null, problem: address.problem };
  const { url } = address;
  const secret = env.BAILIFF_TOKEN || undefined;
  if (secret !== undefined) {
    if (isSecret(secret)) return { ok: true, account: { url, secret, guildId: null, source: 'environment' } };
    const problem =
      'BAILIFF_TOKEN is not a token: it must be svcpat_ and 48 characters, without quotes or spaces around it.';
    return { ok: false, url, problem };
  }
  const login = loginCommand(url);
  if (stored.kind === 'none') {
    return { ok: false, url, problem: `No token yet. Run this in a terminal, then try again: ${login}` };
  }
  if (stored.kind === 'unreadable') {
    return { ok: false, url, problem: `${store.path} cannot be read (${stored.why}). Run: ${login}` };
  }
  // A token is sent only to the instance that issued it.
  if (stored.login.url !== url) {
    const problem = `The stored token is for ${stored.login.url}, and BAILIFF_URL names ${url}. Run: ${login}`;
    return { ok: false, url, problem };
  }
  const { secret: kept, guild_id: guildId } = stored.login;
  return { ok: true, account: { url, secret: kept, guildId, source: 'store' } };
}

/** The command that gets a token from the instance at `url`. */
export function loginCommand(url: string): string {
  return `${COMMAND} login${url === DEFAULT_URL ? '' : ` --url ${url}`}`;
}

/** What a person does about a token that the instance does not take. */
export function wayToToken({ url, source }: Account): string {
  const command = `run this in a terminal: ${loginCommand(url)}`;
  if (source === 'store') return `For a new one, ${command}`;
  return `It is the one in BAILIFF_TOKEN: set that to a token of ${url}. Or unset it, and ${command}`;
}

/** An address to which a token may be sent, or what is wrong with it. */
export type ReadAddress =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly problem: string };

/**
 * The address of an instance that a person typed. Plain HTTP is accepted only for this computer, unless it is allowed.
 */
export function readAddress(text: string, env: Environment): ReadAddress {
  const url = webAddress(text);
  const isPlain =
    url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!isPlain) {
    return {
      ok: false,
      problem: `"${text}" is no address of Bailiff: it looks like https://bailiff.example.`,
    };
  }
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && !isHere && env.BAILIFF_ALLOW_HTTP !== '1') {
    const problem = `${text} is not encrypted, and a token sent there can be read on the way. Use https://, or set BAILIFF_ALLOW_HTTP=1 in a network you trust.`;
    return { ok: false, problem };
  }
  return { ok: true, url: `${url.origin}${url.pathname.replace(/\/+$/, '')}` };
}

/** The instance in `env`, otherwise that of the stored login, otherwise the one on this computer. */
export function addressOf(env: Environment, stored: Stored): ReadAddress {
  const known = stored.kind === 'login' ? stored.login.url : DEFAULT_URL;
  return readAddress(env.BAILIFF_URL || known, env);
}
