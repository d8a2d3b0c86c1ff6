import { hash } from 'node:crypto';

export const TOKEN_PREFIX = 'svcpat_';

/** Random bytes in a secret: 240 bits (spec §2). */
export const SECRET_BYTES = 30;

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const SECRET = /^svcpat_[0-9A-HJKMNP-TV-Z]{48}$/;

/**
 * The content of an `Authorization` header. `none` also means another scheme: no token of Bailiff's was sent (RFC 6750
 * §3.1).
 */
export type Bearer =
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'secret'; readonly secret: string };

/**
 * A secret of 55 characters, made of 30 random bytes (spec §2).
 * @throws RangeError for another number of bytes.
 */
export function secretFromBytes(bytes: Uint8Array): string {
  if (bytes.length !== SECRET_BYTES) {
    throw new RangeError(`A secret is made of ${SECRET_BYTES} bytes, not ${bytes.length}.`);
  }
  let text = TOKEN_PREFIX;
  let pending = 0;
  let pendingBits = 0;
  for (const byte of bytes) {
    pending = (pending << 8) | byte;
    pendingBits += 8;
    while (pendingBits >= 5) {
      pendingBits -= 5;
      text += CROCKFORD.charAt((pending >> pendingBits) & 31);
    }
    pending &= (1 << pendingBits) - 1;
  }
  return text;
}

/** Whether `text` has the form of a secret. Only the canonical upper-case form counts. */
export function isSecret(text: string): boolean {
  return SECRET.test(text);
}

/**
 * The secret in `Authorization: Bearer <secret>`. One space and nothing around it (spec §5.1); the scheme in any case
 * (RFC 9110 §11.1).
 */
export function bearerSecret(authorization: string | null): Bearer {
  const [, rest] = /^bearer(?![\w!#$%&'*+.^`|~-])(.*)$/is.exec(authorization ?? '') ?? [];
  if (rest === undefined || rest.trim() === '') return { kind: 'none' };
  const secret = rest.slice(1);
  return rest.startsWith(' ') && isSecret(secret) ? { kind: 'secret', secret } : { kind: 'malformed' };
}

/**
 * SHA-256 of a secret, 32 bytes: shows the database that the caller has the secret. A secret of 240 random bits needs
 * no slow hash.
 */
export function secretProof(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** SHA-256 of {@link secretProof}: the only form in which a secret is stored. Who reads it cannot show the proof. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secretProof(secret), 'buffer');
}

/** The last four characters of a secret, so that people can tell secrets apart. */
export function lastFour(secret: string): string {
  return secret.slice(-4);
}
