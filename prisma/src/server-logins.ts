// The logins of an embedded server, their passwords and addresses.
import { createHmac } from 'node:crypto';
import pg from 'pg';
import type { Logins, ProcessUrls } from './privileges.ts';
import { type ServerConnection, SUPERUSER } from './server-directory.ts';

const NAME = 'bailiff';
const LOGINS = { owner: 'bailiff', bot: 'bailiff_bot', web: 'bailiff_web' } as const;
/** The logins of the processes on an embedded server. */
export const EMBEDDED_LOGINS: Logins = { bot: LOGINS.bot, web: LOGINS.web };
const INVALID_PASSWORD = '28P01';

/** The database Bailiff uses and its logins, made on the first start. The superuser stays for what needs one. */
export async function createDatabase(connection: ServerConnection): Promise<void> {
  const client = await connectAsSuperuser(connection);
  try {
    const { rows } = await client.query<{ rolname: string }>('SELECT rolname FROM pg_roles');
    for (const login of Object.values(LOGINS)) {
      if (rows.some(({ rolname }) => rolname === login)) continue;
      const password = client.escapeLiteral(passwordOf(login, connection));
      await client.query(`CREATE ROLE ${login} LOGIN PASSWORD ${password}`);
      if (login !== LOGINS.owner) continue;
      // The owner sees and ends the statements of its processes.
      await client.query(
        `ALTER ROLE ${login} CREATEDB; GRANT pg_read_all_stats, pg_signal_backend TO ${login}`,
      );
    }
    const { rowCount: databases } = await client.query('SELECT FROM pg_database WHERE datname = $1', [NAME]);
    if (databases === 0) await client.query(`CREATE DATABASE ${NAME} OWNER ${LOGINS.owner}`);
  } finally {
    await client.end();
  }
}

/** On the first start the superuser still has the password of `initdb`, which no login keeps. */
async function connectAsSuperuser(connection: ServerConnection): Promise<pg.Client> {
  try {
    return await connectTo(superuserUrlOf(connection));
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === INVALID_PASSWORD)) throw error;
    const client = await connectTo(addressOf(SUPERUSER, connection.password, connection.port, 'postgres'));
    const password = (login: string) => client.escapeLiteral(passwordOf(login, connection));
    const { rows } = await client.query<{ rolname: string }>(
      'SELECT rolname FROM pg_roles WHERE rolcanlogin',
    );
    const known = rows.map(({ rolname }) => rolname).filter((name) => name !== SUPERUSER);
    // The superuser comes last: until then the next start can begin again.
    for (const login of [...known, SUPERUSER])
      await client.query(`ALTER ROLE ${login} PASSWORD ${password(login)}`);
    return client;
  }
}

async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  return client;
}

/** The password of a login: each has its own, derived from the one that is stored beside the data. */
function passwordOf(login: string, { password }: ServerConnection): string {
  return createHmac('sha256', password).update(login).digest('base64url');
}

/** The addresses of the processes on a server with this connection.json. */
export function processUrlsOf(connection: ServerConnection): ProcessUrls {
  return { bot: urlOf(LOGINS.bot, connection, NAME), web: urlOf(LOGINS.web, connection, NAME) };
}

/** The address of the server for its superuser, on a server with this connection.json. */
export function superuserUrlOf(connection: ServerConnection): string {
  return urlOf(SUPERUSER, connection, 'postgres');
}

/** The address of a database for its owner, on a server with this connection.json. */
export function ownerUrlOf(connection: ServerConnection, database: string = NAME): string {
  return urlOf(LOGINS.owner, connection, database);
}

function urlOf(login: string, connection: ServerConnection, database: string): string {
  return addressOf(login, passwordOf(login, connection), connection.port, database);
}

function addressOf(login: string, password: string, port: number, database: string): string {
  return `postgresql://${login}:${password}@127.0.0.1:${port}/${database}`;
}
