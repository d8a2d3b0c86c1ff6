import { z } from 'zod';

/** A server of a database. */
export interface DatabaseServer {
  readonly host: string;
  readonly port: number;
  /** The address with this server alone. */
  readonly url: string;
  /** Host and port, as they were written. */
  readonly shown: string;
}

/** The address of a database, such as `postgresql://user:password@one:5432,two:5432/bailiff`. */
export interface DatabaseAddress {
  /** The address with the first server alone, for programs that know no lists. */
  readonly url: URL;
  /** Each server in its order, by an address of its own. More than one: those that are asked which of them takes writes. */
  readonly servers: readonly DatabaseServer[];
  /** Whether a server must take writes to be used. */
  readonly wantsPrimary: boolean;
  /** The servers and the database, for people: without the login. */
  readonly shown: string;
}

const DEFAULT_PORT = 5432;
const SESSION = 'target_session_attrs';
/** Bailiff writes with each call, so it has no use for a server that only reads. */
const WRITABLE = ['read-write', 'primary'];
const PARTS = /^(?<login>postgres(?:ql)?:\/\/(?:[^/?#]*@)?)(?<hosts>[^/?#@]*)(?<rest>.*)$/;

/** The parts of an address as PostgreSQL's own programs read it; null if it is none. */
export function parseDatabaseAddress(text: string): DatabaseAddress | null {
  const parts = PARTS.exec(text)?.groups;
  if (parts === undefined) return null;
  const { login = '', hosts = '', rest = '' } = parts;
  const list = hosts.split(',');
  const urls = list.map((host) => URL.parse(login + host + rest));
  const [first] = urls;
  if (!first) return null;
  const session = first.searchParams.get(SESSION);
  if (session !== null && !WRITABLE.includes(session)) return null;
  const servers: DatabaseServer[] = [];
  for (const url of urls) {
    if (url === null || (list.length > 1 && url.hostname === '')) return null;
    if (session !== null) url.searchParams.delete(SESSION);
    // A host has brackets only around an IPv6 address.
    const host = decodeURIComponent(url.hostname.replace(/[[\]]/g, ''));
    servers.push({ host, port: Number(url.port || DEFAULT_PORT), url: url.href, shown: url.host });
  }
  const shown = `${hosts}${first.pathname}`;
  return { url: first, servers, wantsPrimary: list.length > 1 || session !== null, shown };
}

/** An environment variable with the address of a database. */
export const DatabaseAddressSetting = z
  .string()
  .refine(
    (text) => parseDatabaseAddress(text) !== null,
    'must be an address such as postgresql://user:password@host:5432/bailiff',
  );
