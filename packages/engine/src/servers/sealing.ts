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
/** Length of version, key id and ephemeral public key. */
const HEAD_BYTES = 1 + KEY_ID_BYTES + PUBLIC_KEY_BYTES;

// Never change this text: with another one, the same SECRETS_KEY gives another key pair.
const PAIR_INFO = 'bailiff: key pair of sealed passwords';
const SEAL_INFO = 'bailiff: one sealed password';

// RFC 8410: the bytes before the 32 bytes of a key in DER.
const PRIVATE_DER = Buffer.from('302e020100300506032b656e04220420', 'hex');
const PUBLIC_DER = Buffer.from('302a300506032b656e032100', 'hex');

/** The key that passwords are sealed to. It is public: its holder can seal, but open nothing. */
export interface SealingKey {
  readonly id: string;
  readonly publicKey: Buffer<ArrayBuffer>;
}

/** A sealing key with its private half, which opens. Only the bot process has one. */
export interface SealingPair extends SealingKey {
  readonly privateKey: KeyObject;
}

/** The bot's keys for the passwords of game servers: first the key that seals, then keys that can still open. */
export interface Keyring {
  readonly current: SealingPair;
  readonly all: readonly SealingPair[];
}

/**
 * The server and address that a sealed password is bound to. The password does not open if it is moved to another
 * server, or if its server gets another address.
 */
export interface SealedFor {
  readonly serverId: string;
  readonly host: string;
  readonly port: number;
}

/** The X25519 key pair (RFC 7748) derived from SECRETS_KEY with HKDF-SHA256 (RFC 5869). */
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

/** @param previous SECRETS_KEY_PREVIOUS, during a rotation */
export function keyringOf(secretsKey: Buffer, previous?: Buffer): Keyring {
  const current = sealingPair(secretsKey);
  return { current, all: previous === undefined ? [current] : [current, sealingPair(previous)] };
}

/**
 * The sealed password of a game server, as {@link seal} makes it.
 *
 * @throws Error if `publicKey` is not a valid key
 */
export function sealPassword(key: SealingKey, server: SealedFor, password: string): Buffer<ArrayBuffer> {
  return seal(key, boundTo(server), password);
}

/** @throws Error if it was sealed to none of these keys, for another server or address, or was altered */
export function openPassword(pairs: readonly SealingPair[], server: SealedFor, sealed: Buffer): string {
  return open(pairs, boundTo(server), sealed);
}

/**
 * The sealed text: version, key id, ephemeral public key, tag, ciphertext. Only the holder of the private key can open
 * it, so not even the process that sealed it, and only for what it is bound to.
 *
 * @throws Error if `publicKey` is not a valid key
 */
export function seal(
  { publicKey }: SealingKey,
  bound: readonly (string | number)[],
  text: string,
): Buffer<ArrayBuffer> {
  const ephemeral = generateKeyPairSync('x25519');
  const head = Buffer.concat([
    Buffer.of(VERSION),
    Buffer.from(idOf(publicKey), 'hex'),
    bytesOf(ephemeral.publicKey),
  ]);
  const { key, nonce } = cipherKey(ephemeral.privateKey, keyOf(publicKey), head, publicKey);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(additional(bound));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([head, cipher.getAuthTag(), sealed]);
}

/** Id of the key that a password was sealed to. Null if the bytes are not a sealed password. */
export function sealedTo(sealed: Buffer): string | null {
  if (sealed.length < HEAD_BYTES + TAG_BYTES || sealed[0] !== VERSION) return null;
  return sealed.subarray(1, 1 + KEY_ID_BYTES).toString('hex');
}

/** @throws Error if it was sealed to none of these keys, is bound to something else, or was altered */
export function open(
  pairs: readonly SealingPair[],
  bound: readonly (string | number)[],
  sealed: Buffer,
): string {
  const keyId = sealedTo(sealed);
  const pair = pairs.find(({ id }) => id === keyId);
  if (pair === undefined) throw new Error(`What is bound to ${bound[0]} was sealed to another key.`);
  const head = sealed.subarray(0, HEAD_BYTES);
  const ephemeral = keyOf(head.subarray(1 + KEY_ID_BYTES));
  const { key, nonce } = cipherKey(pair.privateKey, ephemeral, head, pair.publicKey);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(additional(bound))
    .setAuthTag(sealed.subarray(HEAD_BYTES, HEAD_BYTES + TAG_BYTES));
  const opened = Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES + TAG_BYTES)), decipher.final()]);
  return opened.toString('utf8');
}

/** The key of this one sealing, as its ephemeral key is new each time. So the nonce can be derived from it too. */
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

function boundTo({ serverId, host, port }: SealedFor): (string | number)[] {
  return [serverId, host, port];
}

/** The additional authenticated data of the cipher. */
function additional(bound: readonly (string | number)[]): Buffer {
  return Buffer.from(JSON.stringify(bound));
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
