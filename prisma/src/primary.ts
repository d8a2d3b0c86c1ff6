import { type DatabaseServer, parseDatabaseAddress } from '@bailiff/core';
import pg from 'pg';

/** The part of a pool's or a connection's settings that says where the database is. */
export interface Connecting {
  readonly connectionString: string;
  readonly Client: typeof pg.Client;
}

const PROBE_TIMEOUT_MS = 1_500;
/** SQLSTATE cannot_connect_now: the server is there, and cannot serve yet. */
const CANNOT_CONNECT_NOW = '57P03';
/** Refusals of a login or a database, which another server would repeat. */
const REFUSED = /^(28|3D)/;
/** `SyncRepWaitForLSN` is where PostgreSQL warns so, in any language (syncrep.c). */
const GAVE_UP_WAITING = 'SyncRepWaitForLSN';

/** What this process knows of the servers of each address that lists several. */
const KNOWN = new Map<string, Servers>();

/**
 * How to connect to the database of an address. Of several servers it is the one that takes writes; all connections of
 * the process follow to another one when that has changed.
 */
export function connectingTo(url: string): Connecting {
  const address = parseDatabaseAddress(url);
  if (address === null || !address.wantsPrimary) return { connectionString: url, Client: pg.Client };
  const servers = KNOWN.get(url) ?? new Servers(address.servers, address.shown);
  KNOWN.set(url, servers);
  return { connectionString: address.servers[0]?.url ?? url, Client: clientOf(servers) };
}

/** One connection, not connected yet. */
export function clientTo(url: string, settings: Omit<pg.ClientConfig, 'connectionString'>): pg.Client {
  const { connectionString, Client } = connectingTo(url);
  return new Client({ connectionString, ...settings });
}

/** Servers of one database, of which one takes writes. */
class Servers {
  readonly #all: readonly DatabaseServer[];
  readonly #shown: string;
  readonly #clients = new Map<pg.Client, DatabaseServer>();
  #primary: DatabaseServer | null = null;
  /** Each promotion begins a new one, so that of the server that was promoted last is the highest. */
  #timeline = 0;
  #finding: Promise<DatabaseServer> | null = null;

  constructor(all: readonly DatabaseServer[], shown: string) {
    this.#all = all;
    this.#shown = shown;
  }

  /**
   * The server that takes writes, as last seen; otherwise all are asked. If several do, it is the one that was promoted
   * last. One that was promoted earlier is never gone back to: it lacks what happened since.
   *
   * @throws Error if none of them takes writes
   */
  async find(): Promise<DatabaseServer> {
    if (this.#primary !== null) return this.#primary;
    this.#finding ??= this.#ask().finally(() => {
      this.#finding = null;
    });
    return this.#finding;
  }

  /** A connection to it could not be made, so the next one asks all of them. */
  failed(server: DatabaseServer): void {
    if (this.#primary === server) this.#primary = null;
  }

  connected(client: pg.Client, server: DatabaseServer): void {
    this.#clients.set(client, server);
    client.once('end', () => this.#clients.delete(client));
  }

  async #ask(): Promise<DatabaseServer> {
    const answers = await Promise.allSettled(this.#all.map(timelineOf));
    const errors: Error[] = [];
    let found: DatabaseServer | undefined;
    for (const [n, answer] of answers.entries()) {
      const server = this.#all[n];
      if (answer.status === 'rejected') errors.push(answer.reason);
      else if (answer.value < this.#timeline) errors.push(new Error(`${server?.shown} was replaced.`));
      else if (found === undefined || answer.value > this.#timeline)
        [found, this.#timeline] = [server, answer.value];
    }
    if (found === undefined) throw noPrimary(this.#shown, errors);
    this.#primary = found;
    // What was replaced may still answer, with what was true before.
    for (const [client, server] of this.#clients) if (server !== found) client.connection.stream.destroy();
    return found;
  }
}

/** A wrong password is told as such; otherwise waiting may help. */
function noPrimary(shown: string, errors: readonly Error[]): Error {
  const code = errors
    .map((error: NodeJS.ErrnoException) => error.code ?? '')
    .find((each) => REFUSED.test(each));
  const reasons = errors.map(({ message }) => message).join('; ');
  const message = `None of the servers of ${shown} takes writes: ${reasons}`;
  return Object.assign(new Error(message), { code: code ?? CANNOT_CONNECT_NOW });
}

/** The timeline that a server writes on. @throws Error if it takes no writes */
async function timelineOf(server: DatabaseServer): Promise<number> {
  const client = new pg.Client({
    connectionString: server.url,
    application_name: 'bailiff find',
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ segment: string | null }>(
      'SELECT CASE WHEN NOT pg_is_in_recovery() THEN pg_walfile_name(pg_current_wal_lsn()) END AS segment',
    );
    const segment = rows[0]?.segment;
    if (segment === null || segment === undefined) throw isStandby(server);
    // A segment's name begins with its timeline, in eight hexadecimal digits.
    return Number.parseInt(segment.slice(0, 8), 16);
  } finally {
    void client.end().catch(() => {});
  }
}

function isStandby({ shown }: DatabaseServer): Error {
  return Object.assign(new Error(`${shown} is a standby.`), { code: CANNOT_CONNECT_NOW });
}

/** Connections to that of the servers which takes writes. */
function clientOf(servers: Servers): typeof pg.Client {
  return class extends pg.Client {
    override connect(): Promise<this>;
    override connect(callback: (error: Error | null) => void): void;
    override connect(callback?: (error: Error | null) => void): Promise<this> | undefined {
      const connected = this.#connect();
      if (callback === undefined) return connected;
      connected.then(() => callback(null), callback);
      return undefined;
    }

    async #connect(): Promise<this> {
      const server = await servers.find();
      // The pool gives up on a connection by ending its socket, which would begin again here.
      if (this.connection.stream.destroyed)
        throw new Error('Connection terminated due to connection timeout');
      this.host = server.host;
      this.port = server.port;
      let standby = false;
      this.connection.on('parameterStatus', ({ parameterName, parameterValue }: Record<string, unknown>) => {
        if (parameterName === 'in_hot_standby') standby = parameterValue === 'on';
      });
      try {
        await super.connect();
        if (standby) throw isStandby(server);
      } catch (error) {
        const { code } = error as { code?: unknown };
        if (typeof code !== 'string' || !REFUSED.test(code)) servers.failed(server);
        this.connection.stream.destroy();
        throw error;
      }
      servers.connected(this, server);
      return this;
    }
  };
}

const ON_ONE_SERVER_ONLY = new WeakSet<object>();

/** From now on {@link wasOnOneServerOnly} knows of this connection's commits. */
export function watchReplication(client: pg.PoolClient): void {
  client.on('notice', ({ routine }) => {
    if (routine === GAVE_UP_WAITING) ON_ONE_SERVER_ONLY.add(client);
  });
}

/**
 * Whether PostgreSQL stopped waiting for its synchronous standby in a commit of this connection. It does so when the
 * statement's time is over, and then answers as if nothing were wrong: what was committed would be lost with the server.
 */
export function wasOnOneServerOnly(connection: object): boolean {
  return ON_ONE_SERVER_ONLY.delete(connection);
}
