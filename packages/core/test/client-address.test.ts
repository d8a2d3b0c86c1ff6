import { BlockList } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  clientAddress,
  countedAddress,
  forgottenProxy,
  parseTrustedProxies,
  type TrustedProxies,
} from '#src/index.ts';
import { verifies } from '#src/testing.ts';
import { anyCharacter } from '#src/testing-samples.ts';

function trusted(text: string): TrustedProxies {
  const parsed = parseTrustedProxies(text);
  if (!parsed.ok) throw new Error(`These are no proxies: ${text}`);
  return parsed.proxies;
}

const NONE = '';
const LOCAL = '127.0.0.1';
const TWO = '10.0.0.0/8, 192.0.2.10';
const SIX = '2001:db8:ffff::/48 10.0.0.0/8';

/** Trusted proxies, peer, X-Forwarded-For, the client's address. */
const MATRIX: readonly (readonly [string, string, string | null, string])[] = [
  // Direct connections: headers are ignored.
  [NONE, '203.0.113.7', null, '203.0.113.7'],
  [NONE, '203.0.113.7', '198.51.100.1', '203.0.113.7'],
  [NONE, '203.0.113.7', '198.51.100.1, 198.51.100.2', '203.0.113.7'],
  [NONE, '203.0.113.7', '', '203.0.113.7'],
  [NONE, '127.0.0.1', '198.51.100.1', '127.0.0.1'],
  [NONE, '::1', '198.51.100.1', '::1'],
  [NONE, '::ffff:203.0.113.7', null, '203.0.113.7'],
  [NONE, '::ffff:203.0.113.7', '198.51.100.1', '203.0.113.7'],
  [NONE, '2001:DB8::7', null, '2001:db8::7'],
  [NONE, 'fe80::7%eth0', null, 'fe80::7'],
  // One proxy.
  [LOCAL, '127.0.0.1', '203.0.113.7', '203.0.113.7'],
  [LOCAL, '127.0.0.1', null, '127.0.0.1'],
  [LOCAL, '127.0.0.1', '', '127.0.0.1'],
  [LOCAL, '127.0.0.1', ' , ', '127.0.0.1'],
  [LOCAL, '::ffff:127.0.0.1', '203.0.113.7', '203.0.113.7'],
  [LOCAL, '127.0.0.1', '::ffff:203.0.113.7', '203.0.113.7'],
  [LOCAL, '127.0.0.1', '2001:db8::7', '2001:db8::7'],
  [LOCAL, '127.0.0.1', '\t203.0.113.7 ', '203.0.113.7'],
  // A peer that is not a proxy, next to one that is.
  [LOCAL, '203.0.113.7', '198.51.100.1', '203.0.113.7'],
  [LOCAL, '127.0.0.2', '198.51.100.1', '127.0.0.2'],
  [LOCAL, '::1', '198.51.100.1', '::1'],
  // Forged entries left of the one that the proxy added.
  [LOCAL, '127.0.0.1', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
  [LOCAL, '127.0.0.1', '127.0.0.1, 203.0.113.7', '203.0.113.7'],
  [LOCAL, '127.0.0.1', '198.51.100.1, 198.51.100.2, 203.0.113.7', '203.0.113.7'],
  [LOCAL, '127.0.0.1', 'garbage, 203.0.113.7', '203.0.113.7'],
  [LOCAL, '127.0.0.1', ',,,203.0.113.7', '203.0.113.7'],
  // Two proxies.
  [TWO, '10.0.0.1', '203.0.113.7, 192.0.2.10', '203.0.113.7'],
  [TWO, '10.0.0.1', '198.51.100.1, 203.0.113.7, 192.0.2.10', '203.0.113.7'],
  [TWO, '10.0.0.1', '203.0.113.7, 10.9.9.9, 10.8.8.8', '203.0.113.7'],
  [TWO, '192.0.2.10', '203.0.113.7', '203.0.113.7'],
  [TWO, '192.0.2.11', '203.0.113.7', '192.0.2.11'],
  [TWO, '10.0.0.1', '10.0.0.2, 192.0.2.10', '10.0.0.2'],
  [TWO, '10.0.0.1', '203.0.113.7, ::ffff:192.0.2.10', '203.0.113.7'],
  // An invalid entry in the client's position: the hop that reported it counts as the client.
  [LOCAL, '127.0.0.1', 'unknown', '127.0.0.1'],
  [LOCAL, '127.0.0.1', '203.0.113.7, unknown', '127.0.0.1'],
  [LOCAL, '127.0.0.1', '203.0.113.7,', '127.0.0.1'],
  [LOCAL, '127.0.0.1', '203.0.113.7, 127.1', '127.0.0.1'],
  [LOCAL, '127.0.0.1', '0x7f.0.0.1', '127.0.0.1'],
  [LOCAL, '127.0.0.1', '203.0.113.007', '127.0.0.1'],
  [LOCAL, '127.0.0.1', 'fe80::1%eth0', '127.0.0.1'],
  [LOCAL, '127.0.0.1', '203.0.113.0/24', '127.0.0.1'],
  [TWO, '10.0.0.1', '203.0.113.7, garbage, 192.0.2.10', '192.0.2.10'],
  // Entries with a port, as some proxies write them.
  [LOCAL, '127.0.0.1', '203.0.113.7:49152', '203.0.113.7'],
  [LOCAL, '127.0.0.1', '198.51.100.17:80', '198.51.100.17'],
  [LOCAL, '127.0.0.1', '[2001:db8::7]:49152', '2001:db8::7'],
  [LOCAL, '127.0.0.1', '[2001:db8::7]', '2001:db8::7'],
  [LOCAL, '127.0.0.1', '203.0.113.7:x', '127.0.0.1'],
  [LOCAL, '127.0.0.1', 'for=203.0.113.7:443', '127.0.0.1'],
  [TWO, '10.0.0.1', '203.0.113.7, 192.0.2.10:443', '203.0.113.7'],
  // IPv6 proxies.
  [SIX, '2001:db8:ffff::1', '203.0.113.7', '203.0.113.7'],
  [SIX, '2001:db8:fffe::1', '203.0.113.7', '2001:db8:fffe::1'],
  [SIX, '2001:db8:ffff::1', '2001:db8::7, 10.0.0.1', '2001:db8::7'],
  // A peer that is not an address is not a proxy.
  ['0.0.0.0/0 ::/0', '', '203.0.113.7', ''],
  ['0.0.0.0/0 ::/0', 'pipe', '203.0.113.7', 'pipe'],
  ['0.0.0.0/0', '203.0.113.7', '198.51.100.1, 198.51.100.2', '198.51.100.1'],
];

test.each(MATRIX)('trusting %j, the peer %s with %j is %s', (proxies, peer, header, client) => {
  verifies('G3', 'H1');
  expect(clientAddress(peer, header, trusted(proxies))).toBe(client);
});

test('a peer that is not trusted is the client, whatever its header says', () => {
  verifies('G3', 'H1');
  fc.assert(
    fc.property(fc.ipV4(), fc.oneof(fc.string(), fc.array(fc.ipV4()).map(String)), (peer, header) => {
      fc.pre(!peer.startsWith('10.'));
      expect(clientAddress(peer, header, trusted('10.0.0.0/8'))).toBe(peer);
    }),
  );
});

test('nothing a client puts to the left of what the proxy appends changes its address', () => {
  verifies('G3', 'H1');
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.ipV4(), (forged, client) => {
      fc.pre(client !== '127.0.0.1');
      expect(clientAddress('127.0.0.1', `${forged}, ${client}`, trusted(LOCAL))).toBe(client);
    }),
  );
});

test('of any chain of hops, the client is the right-most that node does not find among the proxies', () => {
  verifies('G3', 'H2');
  const proxies = '10.0.0.0/8, 192.0.2.128/25, 2001:db8:ffff::/48';
  const known = new BlockList();
  known.addSubnet('10.0.0.0', 8, 'ipv4');
  known.addSubnet('192.0.2.128', 25, 'ipv4');
  known.addSubnet('2001:db8:ffff::', 48, 'ipv6');
  const byte = fc.nat(255);
  const hop = fc.oneof(
    fc.tuple(byte, byte, byte).map((rest) => `10.${rest.join('.')}`),
    fc.tuple(byte).map(([last]) => `192.0.2.${last}`),
    fc.ipV4(),
    fc.nat(0xfffe).map((group) => `2001:db8:ffff::${(group + 1).toString(16)}`),
    fc.nat(0xfffe).map((group) => `2001:db8:fffe::${(group + 1).toString(16)}`),
  );
  const isProxy = (address: string) => known.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
  let forwarded = 0;
  fc.assert(
    fc.property(hop, fc.array(hop, { maxLength: 5 }), fc.boolean(), (peer, entries, mapped) => {
      const chain = [...entries, peer];
      const client = chain.findLast((address) => !isProxy(address)) ?? chain[0] ?? '';
      forwarded += client === peer ? 0 : 1;
      const written = entries.map((entry) => (mapped && !entry.includes(':') ? `::ffff:${entry}` : entry));
      expect(clientAddress(peer, written.join(', '), trusted(proxies))).toBe(client);
    }),
    { numRuns: 10_000 },
  );
  expect(forwarded).toBeGreaterThan(1000);
});

test('a list of proxies with a wrong entry is refused, and says which', () => {
  expect(parseTrustedProxies('10.0.0.0/8, loopback 10.0.0.5/8')).toMatchObject({
    ok: false,
    issues: [{ index: 1 }, { index: 2, message: expect.stringContaining('10.0.0.0/8') }],
  });
  expect(parseTrustedProxies('  ')).toEqual({ ok: true, proxies: [] });
});

test('requests of an IPv6 address are counted for its /64, those of an IPv4 address for itself', () => {
  verifies('limits.ip.v6-prefix');
  for (const [address, counted] of [
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['::1', '::/64'],
    ['', ''],
    ['nonsense', 'nonsense'],
  ] as const)
    expect(countedAddress(address)).toBe(counted);
});

test('a proxy nearby that nobody trusts is noticed, and a stranger who sends its header is not', () => {
  verifies('ops.proxy-warning');
  const none = trusted(NONE);
  for (const [peer, noticed] of [
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:172.18.0.3', '172.18.0.3'],
    ['::1', '::1'],
    ['fd00::7', 'fd00::7'],
    ['fe80::1%eth0', 'fe80::1'],
    ['100.64.0.9', '100.64.0.9'],
    ['203.0.113.7', null],
    ['2001:db8::7', null],
    ['', null],
  ] as const) {
    expect(forgottenProxy(peer, true, none)).toBe(noticed);
    expect(forgottenProxy(peer, false, none)).toBeNull();
  }
  expect(forgottenProxy('10.0.0.3', true, trusted('10.0.0.0/8'))).toBeNull();
});
