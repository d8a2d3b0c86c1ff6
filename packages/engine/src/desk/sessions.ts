import { hash } from 'node:crypto';
import { type Database, sql } from '@bailiff/prisma';
import { inTransaction } from '#src/database/transaction.ts';

const DAY_SECONDS = 24 * 60 * 60;
/** How long a dashboard session lasts when it is not used, in seconds. */
export const IDLE_SECONDS = 14 * DAY_SECONDS;
/** How long a dashboard session lasts from sign-in at the most, in seconds. */
export const SESSION_SECONDS = 30 * DAY_SECONDS;

/** A signed-in person's session. */
export interface Session {
  /** `ses_…`: names it where its key must not appear. */
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly image: string | null;
  readonly expiresAt: Date;
  /** Whether the person signed in within the last hour (decisions: Sessions in the browser). */
  readonly isFresh: boolean;
  /** What is stored of the cookie, in hexadecimal. Identifies the session where the cookie must not appear. */
  readonly key: string;
  /** SHA-256 of the cookie's value in hexadecimal, which shows the database that the cookie was seen. */
  readonly proof: string;
}

/** Where somebody signed in. */
export interface SignInPlace {
  /** The `User-Agent` header. */
  readonly browser: string;
  readonly address: string;
}

/** Names a session without its key: nothing that is shown helps somebody who has a copy of the table. */
const SESSION_ID = `'ses_' || left(encode(sha256(token_hash), 'hex'), 32)`;

const sessionByHash = sql.statement({
  parameters: [sql.bytea],
  columns: {
    id: sql.text,
    user_id: sql.text,
    name: sql.text,
    image: sql.text.orNull,
    expires_at: sql.timestamptz,
    is_fresh: sql.bool,
  },
  // A use is written once an hour: pages are read far more often.
  text: `WITH seen AS (
      UPDATE sessions SET seen_at = clock_timestamp(), expires_at = least(
        signed_in_at + interval '${SESSION_SECONDS} seconds', clock_timestamp() + interval '${IDLE_SECONDS} seconds')
      WHERE token_hash = $1 AND expires_at > clock_timestamp()
        AND seen_at < clock_timestamp() - interval '1 hour')
    SELECT ${SESSION_ID} AS id, s.user_id, u.name, u.image, s.expires_at,
      sign_in_is_fresh(s.signed_in_at) AS is_fresh
    FROM sessions s JOIN users u ON u.id = s.user_id
    WHERE s.token_hash = $1 AND s.expires_at > clock_timestamp()`,
});

/** The session of a cookie's value. Null if there is none or it has ended. */
export async function findSession(db: Database, sessionToken: string): Promise<Session | null> {
  const tokenHash = hashSessionToken(sessionToken);
  const row = await sessionByHash.first(db.pool, [tokenHash]);
  if (row === null) return null;
  return {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    image: row.image,
    expiresAt: row.expires_at,
    isFresh: row.is_fresh,
    key: tokenHash.toString('hex'),
    proof: sessionProof(sessionToken).toString('hex'),
  };
}

/** A session as people see it who may end it. */
export interface SessionView extends SignInPlace {
  /** {@link Session.id} */
  readonly id: string;
  /** {@link Session.key} */
  readonly key: string;
  readonly userId: string;
  readonly signedInAt: Date;
  /** When it was last used, to the hour. */
  readonly seenAt: Date;
}

const liveSessions = sql.statement({
  parameters: [sql.text.orNull, sql.text, sql.bigint],
  columns: {
    id: sql.text,
    key: sql.text,
    userId: sql.text,
    browser: sql.text,
    address: sql.text,
    signedInAt: sql.timestamptz,
    seenAt: sql.timestamptz,
  },
  text: `SELECT ${SESSION_ID} AS id, encode(token_hash, 'hex') AS key, user_id AS "userId", browser, address,
      signed_in_at AS "signedInAt", seen_at AS "seenAt"
    FROM sessions WHERE ($1::text IS NULL OR user_id = $1) AND expires_at > clock_timestamp()
      AND encode(token_hash, 'hex') > $2
    ORDER BY encode(token_hash, 'hex') LIMIT $3`,
});

const PAGE = 500;

/** Every live session of a person, or of everybody if null. Reads page by page. */
export async function* sessionsOf(db: Database, userId: string | null): AsyncGenerator<SessionView> {
  for (let after = ''; ; ) {
    const rows: SessionView[] = await liveSessions.all(db.pool, [userId, after, PAGE]);
    yield* rows;
    if (rows.length < PAGE) return;
    after = rows.at(-1)?.key ?? '';
  }
}

const endWhich = sql.command({
  parameters: [sql.text.orNull, sql.text.orNull],
  text: `DELETE FROM sessions WHERE ($1::text IS NULL OR user_id = $1) AND ($2::text IS NULL OR ${SESSION_ID} = $2)`,
});

/** Ends one session, all of a person, or one if it is that person's. Returns how many it ended. */
export function endSessions(
  db: Database,
  which: { userId: string; id?: string } | { userId?: string; id: string },
): Promise<number> {
  return inTransaction(db, (tx) => endWhich.run(tx, [which.userId ?? null, which.id ?? null]));
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
function sessionProof(sessionToken: string): Buffer<ArrayBuffer> {
  return hash('sha256', sessionToken, 'buffer');
}

/** The form in which a cookie is stored. Who reads it cannot show the proof (SQL `act_in_session`). */
export function hashSessionToken(sessionToken: string): Buffer<ArrayBuffer> {
  return hash('sha256', sessionProof(sessionToken), 'buffer');
}
