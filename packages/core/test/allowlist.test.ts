import { BlockList } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressAllowed, parseAllowlist } from '#src/index.ts';
import { verifies } from '#src/testing.ts';

test.each([
  ['203.0.113.0/24', '203.0.113.0/24'],
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7/32', '203.0.113.7/32'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['2001:DB8:0:0::/32', '2001:db8::/32'],
  ['2001:db8::1', '2001:db8::1'],
  ['::/0', '::/0'],
  ['::1/128', '::1/128'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['::203.0.113.7', '::cb00:7107'],
  ['::203.11.113.70', '::cb0b:7146'],
  ['64:ff9b::203.0.113.7', '64:ff9b::cb00:7107'],
  ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
  ['::ffff:0:0/96', '0.0.0.0/0'],
  [' 10.0.0.0/8 ', '10.0.0.0/8'],
])('%j is kept as %s', (entry, canonical) => {
  expect(parseAllowlist([entry])).toEqual({ ok: true, entries: [canonical] });
});

test.each([
  ['10.0.0.5/8', '10.0.0.0/8'],
  ['203.0.113.7/31', '203.0.113.6/31'],
  ['1.2.3.4/0', '0.0.0.0/0'],
  ['2001:db8::1/32', '2001:db8::/32'],
  ['2001:db8:0:ffff::/49', '2001:db8:0:8000::/49'],
  ['::ffff:10.0.0.5/104', '10.0.0.0/8'],
  ['::ffff:0:0/90', '::ffc0:0:0/90'],
])('%s has host bits set: refused with the network %s', (entry, network) => {
  const parsed = parseAllowlist(['192.0.2.1', entry]);
  const message = `"${entry}" has host bits set; the network is ${network}`;
  const say = { key: 'hostBits', values: { entry: `"${entry}"`, network } };
  expect(parsed).toEqual({ ok: false, issues: [{ index: 1, message, say }] });
});

test.each([
  '',
  ' ',
  '*',
  'localhost',
  '127.1',
  '2130706433',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '010.0.0.1',
  '1.2.3',
  '1.2.3.4.5',
  '256.0.0.1',
  '1.2.3.4/33',
  '1.2.3.4/-1',
  '1.2.3.4/',
  '1.2.3.4/08',
  '1.2.3.4/8.0',
  '10.0.0.0/0x8',
  '10.0.0.0/8e0',
  '10.0.0.0/+8',
  '1.2.3.4/255.0.0.0',
  '1.2.3.4/8/8',
  '1.2.3.4 /8',
  '1.2.3.4:80',
  '[::1]',
  '::1/129',
  ':::',
  '1::2::3',
  '12345::',
  'fe80::1%eth0',
  'fe80::%eth0/64',
  '::ffff:010.0.0.1',
  '１.２.３.４',
])('%j is refused', (entry) => {
  verifies('H2');
  expect(parseAllowlist([entry])).toMatchObject({ ok: false, issues: [{ index: 0 }] });
});

test.each([
  ['example.com', '"example.com" is not an IPv4 or IPv6 address or network, such as 203.0.113.0/24', null],
  ['1.2.3.4/8/8', '"1.2.3.4/8/8" is not an IPv4 or IPv6 address or network, such as 203.0.113.0/24', null],
  [
    'x'.repeat(61),
    `"${'x'.repeat(60)}" is not an IPv4 or IPv6 address or network, such as 203.0.113.0/24`,
    null,
  ],
  ['1.2.3.4/33', 'the prefix of "1.2.3.4/33" must be a number from 0 to 32', '32'],
  ['::1/129', 'the prefix of "::1/129" must be a number from 0 to 128', '128'],
  ['::ffff:1.2.3.4/129', 'the prefix of "::ffff:1.2.3.4/129" must be a number from 0 to 128', '128'],
])('of %s the owner reads what is wrong: %s', (typed, message, widest) => {
  const entry = `"${typed.slice(0, 60)}"`;
  const say =
    widest === null ? { key: 'notNetwork', values: { entry } } : { key: 'prefix', values: { entry, widest } };
  expect(parseAllowlist([typed])).toEqual({ ok: false, issues: [{ index: 0, message, say }] });
});

test('50 entries are accepted, 51 are not, and repetitions are kept once', () => {
  const entries = Array.from({ length: 51 }, (_, index) => `203.0.113.${index}`);
  expect(parseAllowlist(entries.slice(1))).toEqual({ ok: true, entries: entries.slice(1) });
  const message = 'an allowlist has at most 50 entries, not 51';
  const say = { key: 'allowlistFull', values: { most: '50', count: '51' } };
  expect(parseAllowlist(entries)).toEqual({ ok: false, issues: [{ index: 50, message, say }] });
  expect(parseAllowlist(['::1', '0:0::1'])).toEqual({ ok: true, entries: ['::1'] });
});

test('every wrong entry is named', () => {
  const parsed = parseAllowlist(['x', '10.0.0.0/8', 'y']);
  expect(parsed.ok ? [] : parsed.issues.map(({ index }) => index)).toEqual([0, 2]);
});

test.each([
  {
    entry: '203.0.113.0/24',
    admits: ['203.0.113.77', '::ffff:203.0.113.77'],
    refuses: ['203.0.114.1', '::ffff:203.0.114.1', '::203.0.113.77'],
  },
  { entry: '203.0.113.7', admits: ['203.0.113.7'], refuses: ['203.0.113.8', 'garbage', ''] },
  { entry: '2001:db8::/32', admits: ['2001:db8:1::5'], refuses: ['2001:db9::1'] },
  { entry: '2001:db8::1', admits: ['2001:db8:0:0:0:0:0:1'], refuses: ['2001:db8::2'] },
  { entry: '::/0', admits: ['2001:db8::1'], refuses: ['203.0.113.7', '::ffff:203.0.113.7', 'garbage'] },
  { entry: '0.0.0.0/0', admits: ['203.0.113.7'], refuses: ['2001:db8::1', '203.0.113.7%eth0'] },
  { entry: '127.0.0.1', admits: ['127.0.0.1'], refuses: ['127.1'] },
])('the entry $entry admits what it contains, and nothing else', ({ entry, admits, refuses }) => {
  verifies('H2');
  for (const address of admits) expect(addressAllowed([entry], address), address).toBe(true);
  for (const address of refuses) expect(addressAllowed([entry], address), address).toBe(false);
});

test('the empty list admits every address', () => {
  for (const address of ['203.0.113.7', '::1', 'garbage']) expect(addressAllowed([], address)).toBe(true);
});

test('a stored entry that cannot be read admits nobody, and takes nothing from the others', () => {
  verifies('H2', 'G3');
  for (const entry of ['', 'x', '10.0.0.5/8', '10.0.0.0/99'])
    expect(addressAllowed([entry], '10.0.0.5')).toBe(false);
  expect(addressAllowed(['x', '10.0.0.0/8'], '10.0.0.5')).toBe(true);
  expect(addressAllowed(['x', '10.0.0.0/8'], '11.0.0.5')).toBe(false);
});

const ipv4 = fc.ipV4();
const ipv6 = fc.uint8Array({ minLength: 16, maxLength: 16 }).map(ipv6Text);

test('it agrees with node about every network and address', () => {
  verifies('H2');
  const cases = fc.oneof(
    fc.record({
      family: fc.constant('ipv4' as const),
      base: ipv4,
      prefix: fc.nat(32),
      other: ipv4,
      near: fc.boolean(),
    }),
    fc.record({
      family: fc.constant('ipv6' as const),
      base: ipv6,
      prefix: fc.nat(128),
      other: ipv6,
      near: fc.boolean(),
    }),
  );
  let admitted = 0;
  fc.assert(
    fc.property(cases, ({ family, base, prefix, other, near }) => {
      const oracle = new BlockList();
      oracle.addSubnet(base, prefix, family);
      // Half of the addresses are the base with another tail, so that many are inside.
      const address = near ? spliced(base, other) : other;
      const entry = networkText(base, prefix);
      const allowed = addressAllowed([entry], address);
      admitted += allowed ? 1 : 0;
      expect([entry, address, allowed]).toEqual([entry, address, oracle.check(address, family)]);
      if (family === 'ipv4') expect(addressAllowed([entry], `::ffff:${address}`)).toBe(allowed);
    }),
    { numRuns: 12_000 },
  );
  expect(admitted).toBeGreaterThan(1000);
});

/** The canonical network of an address, taken from the message that names it. */
function networkText(base: string, prefix: number): string {
  const parsed = parseAllowlist([`${base}/${prefix}`]);
  if (parsed.ok) return parsed.entries[0] ?? '';
  return parsed.issues[0]?.message.replace(/^.* /, '') ?? '';
}

function spliced(base: string, other: string): string {
  const separator = base.includes(':') ? ':' : '.';
  const [head, tail] = [base.split(separator), other.split(separator)];
  return [...head.slice(0, head.length / 2), ...tail.slice(head.length / 2)].join(separator);
}

function ipv6Text(bytes: Uint8Array): string {
  return Array.from({ length: 8 }, (_, index) =>
    (((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0)).toString(16),
  ).join(':');
}
