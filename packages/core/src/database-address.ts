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

/** Fields of the query that drivers take instead of what stands in its place, or that they do not know. */
const MISPLACED = ['user', 'password', 'host', 'hostaddr', 'port', 'dbname', 'database'];

/**
 * The first field of a query that belongs before it. In its place another login, server or database would be used than
 * the one that the start checks, names and gives its rights.
 */
function misplacedIn(url: URL): string | undefined {
  // A folder with a socket has no other place, unless the address names a host.
  const isSocket = url.hostname === '' && url.searchParams.get('host')?.startsWith('/') === true;
  return MISPLACED.find(
    (field) => url.searchParams.has(field) && !(isSocket && ['host', 'port'].includes(field)),
  );
}

/** A % that begins no escape. */
const BARE_PERCENT = /%(?![\da-f]{2})/i;

/**
 * Whether the parts of an address can be read: a % stands for itself only as %25. Not so in a password: the driver takes
 * those with a bare one as they were written, but for escapes of two digits.
 */
function isEncoded({ username, password, hostname, pathname }: URL): boolean {
  const read = BARE_PERCENT.test(password) ? password.replace(/%(?!\d\d)/g, '%25') : password;
  try {
    return [username, read, hostname, pathname].map(decodeURIComponent).length > 0;
  } catch {
    return false;
  }
}

/** The hosts of an address as they were written, and an address for each; null if it is no address. */
function readHosts(text: string): { readonly hosts: string; readonly urls: readonly (URL | null)[] } | null {
  const parts = PARTS.exec(text)?.groups;
  if (parts === undefined) return null;
  const { login = '', hosts = '', rest = '' } = parts;
  return { hosts, urls: hosts.split(',').map((host) => URL.parse(login + host + rest)) };
}

/** The parts of an address as PostgreSQL's own programs read it; null if it is none. */
export function parseDatabaseAddress(text: string): DatabaseAddress | null {
  const { hosts, urls } = readHosts(text) ?? { hosts: '', urls: [] };
  const [first] = urls;
  if (!first || misplacedIn(first) !== undefined || !isEncoded(first)) return null;
  const session = first.searchParams.get(SESSION);
  if (session !== null && !WRITABLE.includes(session)) return null;
  const servers: DatabaseServer[] = [];
  for (const url of urls) {
    if (url === null || (urls.length > 1 && url.hostname === '')) return null;
    if (session !== null) url.searchParams.delete(SESSION);
    // A host has brackets only around an IPv6 address.
    const host = decodeURIComponent(url.hostname.replace(/[[\]]/g, ''));
    servers.push({ host, port: Number(url.port || DEFAULT_PORT), url: url.href, shown: url.host });
  }
  const shown = `${hosts}${first.pathname}`;
  return { url: first, servers, wantsPrimary: urls.length > 1 || session !== null, shown };
}

/** An environment variable with the address of a database. */
export const DatabaseAddressSetting = z.string().superRefine((text, context) => {
  if (parseDatabaseAddress(text) !== null) return;
  const first = readHosts(text)?.urls[0];
  const field = first ? misplacedIn(first) : undefined;
  const wanted = 'must be an address such as postgresql://user:password@host:5432/bailiff';
  const instead = `, with login, server and database there and not as ?${field}= behind it`;
  const encoded = first && !isEncoded(first) ? ', with each % in it written as %25' : '';
  context.addIssue(wanted + (field === undefined ? encoded : instead));
});
