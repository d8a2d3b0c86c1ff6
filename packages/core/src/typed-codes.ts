/** Only consonants, so that a code spells no word, and none that look or sound alike (RFC 8628 §6.1). */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';

/** A code that people type, of so many characters, made of random bytes. */
export function codeFromBytes(bytes: Uint8Array, characters: number): string {
  let rest = bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n);
  const letters = BigInt(ALPHABET.length);
  let code = '';
  while (code.length < characters) {
    code += ALPHABET.charAt(Number(rest % letters));
    rest /= letters;
  }
  return code;
}

/** The code that a person typed in any case, with or without spaces and dashes; null if it cannot be a code. */
export function readCode(typed: string, characters: number): string | null {
  const bare = typed.replace(/[\s\p{Dash}]/gu, '').toUpperCase();
  return bare.length === characters && [...bare].every((letter) => ALPHABET.includes(letter)) ? bare : null;
}
