import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';

/** Length of SECRETS_KEY in bytes. */
export const SECRETS_KEY_BYTES = 32;

const PUBLIC_KEY_BYTES = 32;
const KEY_ID_BYTES = 8;
const CIPHER = 'aes-256-gcm';
const CIPHER_KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 1;
/** Version, id of the key, ephemeral public key. */
const HEAD_BYTES = 1 + KEY_ID_BYTES + PUBLIC_KEY_BYTES;

// Fixed for good: with other words the same SECRETS_KEY would give another pair.
const PAIR_INFO = 'bailiff: key pair of sealed passwords';
const SEAL_INFO = 'bailiff: one sealed password';

// RFC 8410: what stands before the 32 bytes of a key in DER.
const PRIVATE_DER = Buffer.from('302e020100300506032b656e04220420', 'hex');
const PUBLIC_DER = Buffer.from('302a300506032b656e032100', 'hex');

/** What passwords are sealed to. Public: whoever has it can seal, and open nothing. */
export interface SealingKey {
  readonly id: string;
  readonly publicKey: Buffer<ArrayBuffer>;
}

/** A sealing key with the half that opens; only the bot process has one. */
export interface SealingPair extends SealingKey {
  readonly privateKey: KeyObject;
}

/**
 * Where a password belongs. It is bound in: a sealed password that is moved to another server, or whose server is pointed
 * at another address, does not open.
 */
export interface SealedFor {
  readonly serverId: string;
  readonly host: string;
  readonly port: number;
}

/** The X25519 pair (RFC 7748) that SECRETS_KEY stands for, by HKDF-SHA256 (RFC 5869). */
export function sealingPair(secretsKey: Buffer): SealingPair {
  const seed = Buffer.from(hkdfSync('sha256', secretsKey, '', PAIR_INFO, PUBLIC_KEY_BYTES));
  const privateKey = createPrivateKey({
    key: Buffer.concat([PRIVATE_DER, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = bytesOf(createPublicKey(privateKey));
  return { id: idOf(publicKey), publicKey, privateKey };
}

/**
 * Seals the password of a game server: version, id of the key, ephemeral public key, tag, ciphertext. Only the holder of
 * the key's private half can open it, not even who sealed it.
 *
 * @throws Error when `publicKey` is no key
 */
export function sealPassword(
  { publicKey }: SealingKey,
  server: SealedFor,
  password: string,
): Buffer<ArrayBuffer> {
  const ephemeral = generateKeyPairSync('x25519');
  const head = Buffer.concat([
    Buffer.of(VERSION),
    Buffer.from(idOf(publicKey), 'hex'),
    bytesOf(ephemeral.publicKey),
  ]);
  const { key, nonce } = cipherKey(ephemeral.privateKey, keyOf(publicKey), head, publicKey);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(boundTo(server));
  const sealed = Buffer.concat([cipher.update(password, 'utf8'), cipher.final()]);
  return Buffer.concat([head, cipher.getAuthTag(), sealed]);
}

/** Id of the key that a password was sealed to; null when the bytes are no sealed password. */
export function sealedTo(sealed: Buffer): string | null {
  if (sealed.length < HEAD_BYTES + TAG_BYTES || sealed[0] !== VERSION) return null;
  return sealed.subarray(1, 1 + KEY_ID_BYTES).toString('hex');
}

/** @throws Error when it was sealed to none of these keys, for another server or address, or was altered */
export function openPassword(pairs: readonly SealingPair[], server: SealedFor, sealed: Buffer): string {
  const keyId = sealedTo(sealed);
  const pair = pairs.find(({ id }) => id === keyId);
  if (pair === undefined) throw new Error(`The password of ${server.serverId} was sealed to another key.`);
  const head = sealed.subarray(0, HEAD_BYTES);
  const ephemeral = keyOf(head.subarray(1 + KEY_ID_BYTES));
  const { key, nonce } = cipherKey(pair.privateKey, ephemeral, head, pair.publicKey);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(boundTo(server))
    .setAuthTag(sealed.subarray(HEAD_BYTES, HEAD_BYTES + TAG_BYTES));
  const opened = Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES + TAG_BYTES)), decipher.final()]);
  return opened.toString('utf8');
}

/** Of one sealing only, as its ephemeral key is, so that the nonce can come from there too. */
function cipherKey(
  privateKey: KeyObject,
  publicKey: KeyObject,
  head: Buffer,
  recipient: Buffer,
): { key: Buffer; nonce: Buffer } {
  const shared = diffieHellman({ privateKey, publicKey });
  const salt = Buffer.concat([head, recipient]);
  const bytes = Buffer.from(hkdfSync('sha256', shared, salt, SEAL_INFO, CIPHER_KEY_BYTES + NONCE_BYTES));
  return { key: bytes.subarray(0, CIPHER_KEY_BYTES), nonce: bytes.subarray(CIPHER_KEY_BYTES) };
}

function boundTo({ serverId, host, port }: SealedFor): Buffer {
  return Buffer.from(JSON.stringify([serverId, host, port]));
}

function bytesOf(publicKey: KeyObject): Buffer<ArrayBuffer> {
  return Buffer.from(publicKey.export({ format: 'der', type: 'spki' }).subarray(PUBLIC_DER.length));
}

function keyOf(bytes: Buffer): KeyObject {
  return createPublicKey({ key: Buffer.concat([PUBLIC_DER, bytes]), format: 'der', type: 'spki' });
}

function idOf(publicKey: Buffer): string {
  return createHash('sha256').update(publicKey).digest().subarray(0, KEY_ID_BYTES).toString('hex');
}
