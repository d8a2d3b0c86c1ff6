import { type Database, sql } from '@bailiff/prisma';
import { inTransaction, type Transaction } from '#src/database/transaction.ts';
import { mirrorAway } from '#src/guilds/mirror-state.ts';
import { type Keyring, openPassword, type SealingKey, sealedTo, sealPassword } from './sealing.ts';

const lockCurrentKey = sql.statement({
  parameters: [],
  columns: { id: sql.text, public_key: sql.bytea },
  text: 'SELECT id, public_key FROM sealing_keys ORDER BY published_at DESC LIMIT 1 FOR SHARE',
});

/**
 * The key that seals passwords now. It stays the same until the transaction ends: a rotation waits, and then finds what
 * was sealed here. Ask for it before you lock a game server, because a rotation locks all of them after the key.
 *
 * @throws ApiError UPSTREAM_UNAVAILABLE if no bot has published a key yet
 */
export async function currentSealingKey(tx: Transaction): Promise<SealingKey> {
  // A statement that waited for a rotation does not see the key that the rotation published. The next one does.
  const key = (await lockCurrentKey.first(tx, [])) ?? (await lockCurrentKey.first(tx, []));
  if (key === null) throw mirrorAway('disconnected', 'which key seals the password');
  return { id: key.id, publicKey: Buffer.from(key.public_key) };
}

/** What a bot's start with a keyring changed in the stored passwords. */
export interface Resealed {
  /** Ids of servers whose password is now sealed to the current key. */
  readonly resealed: readonly string[];
  /** Ids of servers whose password none of the keys opens. Their owners must enter it again. */
  readonly lost: readonly string[];
}

const oneBotAtATime = sql.command({
  parameters: [],
  text: "SELECT pg_advisory_xact_lock(hashtextextended('bailiff sealing key', 0))",
});

const publishKey = sql.command({
  parameters: [sql.text, sql.bytea],
  text: 'INSERT INTO sealing_keys (id, public_key) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING',
});

/**
 * Publishes the current key, replaces any other, and reseals to it every password that the previous key still opens.
 */
export async function publishSealingKey(db: Database, keyring: Keyring): Promise<Resealed> {
  return inTransaction(db, async (tx) => {
    await oneBotAtATime.run(tx, []);
    await tx.prisma.sealingKey.deleteMany({ where: { id: { not: keyring.current.id } } });
    await publishKey.run(tx, [keyring.current.id, keyring.current.publicKey]);
    return resealAll(tx, keyring);
  });
}

const lockPasswords = sql.statement({
  parameters: [],
  columns: { id: sql.text, host: sql.text, port: sql.int, password_sealed: sql.bytea },
  text: 'SELECT id, host, port, password_sealed FROM game_servers ORDER BY id FOR NO KEY UPDATE',
});

async function resealAll(tx: Transaction, { current, all }: Keyring): Promise<Resealed> {
  const rows = await lockPasswords.all(tx, []);
  const resealed: string[] = [];
  const lost: string[] = [];
  for (const { id, host, port, password_sealed } of rows) {
    if (sealedTo(password_sealed) === current.id) continue;
    const server = { serverId: id, host, port };
    const password = openedOrNull(() => openPassword(all, server, password_sealed));
    if (password === null) {
      lost.push(id);
      continue;
    }
    const sealed = sealPassword(current, server, password);
    await tx.prisma.gameServer.updateMany({ where: { id }, data: { passwordSealed: sealed } });
    resealed.push(id);
  }
  return { resealed, lost };
}

function openedOrNull(open: () => string): string | null {
  try {
    return open();
  } catch {
    return null;
  }
}
