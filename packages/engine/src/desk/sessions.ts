import { hash } from 'node:crypto';
import { type Database, sql } from '@bailiff/prisma';

/** How long a dashboard session lasts from sign-in, in seconds. */
export const SESSION_SECONDS = 14 * 24 * 60 * 60;

/** A signed-in person's session. */
export interface Session {
  readonly userId: string;
  readonly name: string;
  readonly image: string | null;
  readonly expiresAt: Date;
  /** SHA-256 of the cookie's value in hexadecimal. Identifies the session where the cookie must not appear. */
  readonly key: string;
}

const sessionByHash = sql.statement({
  parameters: [sql.bytea],
  columns: { id: sql.text, name: sql.text, image: sql.text.orNull, expires_at: sql.timestamptz },
  text: `SELECT u.id, u.name, u.image, s.expires_at FROM sessions s JOIN users u ON u.id = s.user_id
    WHERE s.token_hash = $1 AND s.expires_at > clock_timestamp()`,
});

/** The session of a cookie's value. Null if there is none or it has ended. */
export async function findSession(db: Database, sessionToken: string): Promise<Session | null> {
  const tokenHash = hashSessionToken(sessionToken);
  const row = await sessionByHash.first(db.pool, [tokenHash]);
  if (row === null) return null;
  return {
    userId: row.id,
    name: row.name,
    image: row.image,
    expiresAt: row.expires_at,
    key: tokenHash.toString('hex'),
  };
}

const replaceSession = sql.statement({
  parameters: [sql.bytea, sql.text, sql.bytea.orNull, sql.float],
  columns: { expires_at: sql.timestamptz },
  text: `WITH ended AS (DELETE FROM sessions WHERE token_hash = $3)
    INSERT INTO sessions (token_hash, user_id, expires_at)
    VALUES ($1, $2, clock_timestamp() + make_interval(secs => $4)) RETURNING expires_at`,
});

/** Starts a session and ends the browser's previous one, so that a cookie from before the sign-in stops working. */
export async function startSession(
  db: Database,
  userId: string,
  sessionToken: string,
  before: string | undefined,
): Promise<Date> {
  const started = await replaceSession.only(db.pool, [
    hashSessionToken(sessionToken),
    userId,
    before === undefined ? null : hashSessionToken(before),
    SESSION_SECONDS,
  ]);
  return started.expires_at;
}

/** Ends a session. Does nothing if it does not exist. */
export async function endSession(db: Database, sessionToken: string): Promise<void> {
  await db.prisma.session.deleteMany({ where: { tokenHash: hashSessionToken(sessionToken) } });
}

const putUser = sql.command({
  parameters: [sql.text, sql.text, sql.text.orNull],
  text: `WITH kept AS (
      INSERT INTO users (id, name, image) VALUES ($1, $2, $3)
      ON CONFLICT (id) DO UPDATE SET name = excluded.name, image = excluded.image RETURNING id)
    INSERT INTO accounts (provider, provider_account_id, user_id) SELECT 'discord', id, id FROM kept
    ON CONFLICT DO NOTHING`,
});

/** Stores the person who signed in, with the name and picture from Discord. The id is Discord's. */
export async function keepUser(
  db: Database,
  user: { id: string; name: string; image: string | null },
): Promise<void> {
  await putUser.run(db.pool, [user.id, user.name, user.image]);
}

/** The person with this id, if they have ever signed in; otherwise null. */
export function findUser(
  db: Database,
  userId: string,
): Promise<{ id: string; name: string; image: string | null } | null> {
  return db.prisma.user.findUnique({
    where: { id: userId },
    select: { id: true, name: true, image: true },
  });
}

/** A session's cookie is a secret of at least 240 bits, so a fast hash is safe. */
function hashSessionToken(sessionToken: string): Buffer<ArrayBuffer> {
  return hash('sha256', sessionToken, 'buffer');
}
