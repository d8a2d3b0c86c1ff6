import { type Database, sql } from '@bailiff/prisma';
import { inTransaction } from '#src/database/transaction.ts';
import type { Engine } from '#src/engine.ts';
import { type Keyring, open, seal } from '#src/servers/sealing.ts';
import { currentSealingKey } from '#src/servers/sealing-keys.ts';
import { hashSessionToken, IDLE_SECONDS, SESSION_SECONDS, type SignInPlace } from './sessions.ts';

/** A browser chooses its User-Agent; this much of it tells two apart. */
const MOST_BROWSER_CHARACTERS = 300;

/** Each session is listed to its person, and whoever has an account at Discord can sign in without end. */
const MOST_SESSIONS = 50;

const replaceSession = sql.statement({
  parameters: [sql.bytea, sql.text, sql.bytea.orNull, sql.text, sql.text, sql.bytea],
  columns: { ends_at: sql.timestamptz, ended: sql.int },
  text: `WITH replaced AS (DELETE FROM sessions WHERE token_hash = $3),
      ended AS (DELETE FROM sessions WHERE token_hash = ANY (ARRAY(
        SELECT token_hash FROM sessions WHERE user_id = $2 AND token_hash IS DISTINCT FROM $3
        ORDER BY expires_at DESC, token_hash OFFSET ${MOST_SESSIONS - 1})) RETURNING token_hash)
    INSERT INTO sessions (token_hash, user_id, seen_at, expires_at, browser, address, access_token_sealed)
    SELECT $1, $2, moment, moment + interval '${IDLE_SECONDS} seconds', $4, $5, $6
    FROM (SELECT date_trunc('milliseconds', clock_timestamp()) AS moment) AS clock
    RETURNING signed_in_at + interval '${SESSION_SECONDS} seconds' AS ends_at,
      (SELECT count(*)::int FROM ended) AS ended`,
});

/** A sign-in at Discord. */
export interface SignIn extends SignInPlace {
  readonly userId: string;
  readonly sessionToken: string;
  /** The browser's session before. It ends, so that a cookie from before the sign-in stops working. */
  readonly before: string | undefined;
  /** Discord's access token, with which the bot asks Discord whose the session is. */
  readonly accessToken: string;
}

/** How long a sign-in waits for the bot. After that it goes on, and the session cannot act until the bot was heard. */
const CONFIRM_MS = 3_000;

/**
 * Starts a session, and waits a moment until the bot has heard from Discord whose it is: before that it can read, but
 * not act (decisions: Whose session). Of a person's sessions, those beyond the fiftieth end that would end first.
 *
 * @returns when it ends at the latest, and how many others it ended
 */
export async function startSession(
  { db, waiters }: Pick<Engine, 'db' | 'waiters'>,
  signIn: SignIn,
): Promise<{ endsAt: Date; ended: number }> {
  const tokenHash = hashSessionToken(signIn.sessionToken);
  const key = tokenHash.toString('hex');
  const waiter = waiters.expect(key);
  try {
    const { ends_at, ended } = await inTransaction(db, async (tx) => {
      const sealed = seal(await currentSealingKey(tx), [key, 'access token'], signIn.accessToken);
      const before = signIn.before === undefined ? null : hashSessionToken(signIn.before);
      const browser = signIn.browser.slice(0, MOST_BROWSER_CHARACTERS);
      return replaceSession.only(tx, [tokenHash, signIn.userId, before, browser, signIn.address, sealed]);
    });
    await waiter.within(CONFIRM_MS);
    return { endsAt: ends_at, ended };
  } finally {
    waiter.release();
  }
}

const unconfirmed = sql.statement({
  parameters: [sql.text],
  columns: { user_id: sql.text, access_token_sealed: sql.bytea.neverNull },
  text: `SELECT user_id, access_token_sealed FROM sessions
    WHERE token_hash = decode($1, 'hex') AND confirmed_at IS NULL AND access_token_sealed IS NOT NULL`,
});

const confirm = sql.command({
  parameters: [sql.text, sql.text],
  text: `UPDATE sessions SET confirmed_at = clock_timestamp(), access_token_sealed = NULL
    WHERE token_hash = decode($1, 'hex') AND user_id = $2`,
});

const refuse = sql.command({
  parameters: [sql.text],
  text: "DELETE FROM sessions WHERE token_hash = decode($1, 'hex')",
});

/**
 * Asks whose a new session is, and lets it act if it is the person's that the web process named; otherwise ends it.
 * Returns what came of it; null if there is nothing to ask any more.
 *
 * @param key as {@link Session.key}
 * @param whose the id of the person whose access token this is; null if Discord does not accept it
 */
export async function confirmSession(
  db: Database,
  keyring: Keyring,
  key: string,
  whose: (accessToken: string) => Promise<string | null>,
): Promise<'confirmed' | 'refused' | null> {
  const row = await unconfirmed.first(db.pool, [key]);
  if (row === null) return null;
  const person = await whose(open(keyring.all, [key, 'access token'], row.access_token_sealed));
  if (person === row.user_id) {
    await confirm.run(db.pool, [key, person]);
    return 'confirmed';
  }
  await refuse.run(db.pool, [key]);
  return 'refused';
}
