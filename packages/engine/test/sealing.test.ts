import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openPassword, sealedTo, sealingPair, sealPassword } from '#src/servers/sealing.ts';

const key = randomBytes(32);
const pair = sealingPair(key);
const { id, publicKey } = pair;
const server = { serverId: 'srv_1', host: 'game.example', port: 27_015 };

test('a password sealed to the public key opens only with the private one, for its server and address', () => {
  const stranger = sealingPair(randomBytes(32));
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (password) => {
      const sealed = sealPassword({ id, publicKey }, server, password);
      expect(openPassword([pair], server, sealed)).toBe(password);
      expect(openPassword([stranger, pair], server, sealed)).toBe(password);
      expect(() => openPassword([stranger], server, sealed)).toThrow('another key');
      for (const other of [{ serverId: 'srv_2' }, { host: 'thief.example' }, { port: 27_016 }]) {
        expect(() => openPassword([pair], { ...server, ...other }, sealed)).toThrow();
      }
    }),
    { numRuns: 30 },
  );
});

test('the same SECRETS_KEY always stands for the same pair', () => {
  const fixed = sealingPair(Buffer.alloc(32, 7));
  expect(fixed.publicKey.toString('hex')).toBe(sealingPair(Buffer.alloc(32, 7)).publicKey.toString('hex'));
  // For good: with another result every stored password would be lost.
  expect(fixed.id).toBe('e3074f4791da5e01');
  expect(fixed.publicKey.includes(Buffer.alloc(32, 7))).toBe(false);
});

test('a password that was sealed and stored long ago still opens', () => {
  const stored = [
    '01e3074f4791da5e01131673b5185f8c163d9cc336f1ec070aabfb6391665995',
    '447bb7f53199f56f51b41b8a16557c4da6ded77aa448cc30effaa92706bbfd5b',
    '082927a3878b',
  ].join('');
  expect(openPassword([sealingPair(Buffer.alloc(32, 7))], server, Buffer.from(stored, 'hex'))).toBe(
    'correct horse',
  );
});

test('a sealed password that was altered anywhere does not open', () => {
  const sealed = sealPassword(pair, server, 'correct horse');
  for (let index = 0; index < sealed.length; index += 1) {
    const altered = Buffer.from(sealed);
    altered[index] = (altered[index] ?? 0) ^ 1;
    expect(() => openPassword([pair], server, altered), `byte ${index}`).toThrow();
  }
  for (const length of [0, 1, 40, sealed.length - 1]) {
    expect(() => openPassword([pair], server, sealed.subarray(0, length)), `${length} bytes`).toThrow();
  }
});

test('two sealings of one password have nothing in common', () => {
  const [one, two] = [sealPassword(pair, server, 'same'), sealPassword(pair, server, 'same')];
  expect(one.subarray(9).equals(two.subarray(9))).toBe(false);
  expect(one.includes('same')).toBe(false);
});

test('a public key that is none seals nothing', () => {
  const lowOrder = { id, publicKey: Buffer.alloc(32) };
  expect(() => sealPassword(lowOrder, server, 'secret')).toThrow();
  expect(() => sealPassword({ id, publicKey: Buffer.alloc(5) }, server, 'secret')).toThrow();
});

test('what is no sealed password says so', () => {
  const version = Buffer.of(1);
  const ofLength = (length: number) => sealedTo(Buffer.concat([version], length));
  expect([sealedTo(Buffer.alloc(0)), sealedTo(Buffer.alloc(100)), ofLength(56)]).toEqual([null, null, null]);
  expect(ofLength(57)).toBe('0'.repeat(16));
});
