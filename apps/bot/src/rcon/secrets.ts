import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Length of SECRETS_KEY in bytes: AES-256. */
export const KEY_BYTES = 32;

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 1;

/**
 * Seals the password of a game server: version, nonce, tag, ciphertext. The server's id is bound in, so that a sealed
 * password moved to another row does not open.
 */
export function sealPassword(key: Buffer, serverId: string, password: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(
    Buffer.from(serverId),
  );
  const sealed = Buffer.concat([cipher.update(password, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed]);
}

/** @throws Error when it was sealed under another key, for another server, or was altered */
export function openPassword(key: Buffer, serverId: string, sealed: Buffer): string {
  const start = 1 + NONCE_BYTES + TAG_BYTES;
  if (sealed.length < start || sealed[0] !== VERSION) {
    throw new Error(`The sealed password of ${serverId} has an unknown form.`);
  }
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(1, 1 + NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(serverId))
    .setAuthTag(sealed.subarray(1 + NONCE_BYTES, start));
  return Buffer.concat([decipher.update(sealed.subarray(start)), decipher.final()]).toString('utf8');
}
