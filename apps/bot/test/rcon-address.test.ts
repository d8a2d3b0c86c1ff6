import { parseAddress, parseNetwork } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { afterEach, expect, test } from 'vitest';
import { isAllowedAddress, resolveHost } from '#src/rcon/address.ts';
import { type NameServer, startNameServer } from './fixtures/name-server.ts';

let names: NameServer | undefined;
afterEach(async () => {
  await names?.close();
  names = undefined;
});

const { signal } = new AbortController();

function networks(...texts: string[]) {
  return texts.map((text) => {
    const parsed = parseNetwork(text);
    if (!parsed.ok) throw new Error(parsed.issue.message);
    return parsed.network;
  });
}

// IANA's registries of special-purpose addresses, and notations that hide one.
test.each([
  ['this host', '0.0.0.0', '0.1.2.3'],
  ['loopback', '127.0.0.1', '127.255.255.254', '::1', '::'],
  ['private', '10.0.0.1', '172.16.0.1', '172.31.255.254', '192.168.1.1', 'fc00::1', 'fd00::1'],
  ['link-local and cloud metadata', '169.254.169.254', 'fe80::1', 'fd00:ec2::254'],
  ['carrier NAT', '100.64.0.1', '100.127.255.254'],
  ['protocol assignments and tests', '192.0.0.8', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1'],
  ['multicast, reserved and broadcast', '224.0.0.1', '240.0.0.1', '255.255.255.255', 'ff02::1'],
  ['IPv4 in IPv6', '::ffff:10.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '::7f00:1'],
  ['translated', '64:ff9b::7f00:1', '64:ff9b:1::a00:1', '2002:7f00:1::', '2001:0:7f00:1::'],
  ['IPv6 of other uses', '2001:db8::1', '100::1', 'fec0::1', '3fff::1', '5f00::1', '4000::1'],
])('%s is not connected to, unless the operator allows it', async (_what, ...hosts) => {
  verifies('H27');
  for (const host of hosts) {
    await expect(resolveHost(host, [], signal), host).rejects.toThrow('not a public address');
    const own = `${parseAddress(host)}`;
    expect(await resolveHost(host, networks(own), signal), host).toBe(own);
  }
});

test.each(['8.8.8.8', '203.0.114.7', '2606:4700::1111', '2a00:1450::1'])(
  'the public address %s is connected to as it is',
  async (host) => {
    expect(await resolveHost(host, [], signal)).toBe(host);
  },
);

test('an allowed network allows what is in it and nothing else', () => {
  const allowed = networks('192.168.1.0/24');
  const ask = (text: string) => {
    const address = parseAddress(text);
    return address !== null && isAllowedAddress(address, allowed);
  };
  expect([ask('192.168.1.7'), ask('::ffff:192.168.1.7')]).toEqual([true, true]);
  expect([ask('192.168.2.7'), ask('10.0.0.1')]).toEqual([false, false]);
});

test('a name is judged by the address it leads to', async () => {
  verifies('H27');
  names = await startNameServer({
    'inside.example': ['10.0.0.7'],
    'metadata.example': ['169.254.169.254'],
    'inside6.example': ['::ffff:127.0.0.1'],
    'outside.example': ['203.0.114.7'],
  });
  const at = [names.address];
  for (const host of ['inside.example', 'metadata.example', 'inside6.example']) {
    await expect(resolveHost(host, [], signal, at), host).rejects.toThrow('not a public address');
  }
  expect(await resolveHost('outside.example', [], signal, at)).toBe('203.0.114.7');
  await expect(resolveHost('absent.example', [], signal, at)).rejects.toThrow('leads to no address');
});

test('a name that leads inside and outside is connected to outside', async () => {
  verifies('H27');
  names = await startNameServer({ 'both.example': ['10.0.0.7', '2606:4700::1111'] });
  expect(await resolveHost('both.example', [], signal, [names.address])).toBe('2606:4700::1111');
});

test('a name that changes its mind after the check gains nothing: it is asked once', async () => {
  verifies('H27');
  names = await startNameServer({ 'rebinding.example': ['203.0.114.7', '127.0.0.1'] });
  const at = [names.address];
  expect(await resolveHost('rebinding.example', [], signal, at)).toBe('203.0.114.7');
  expect(names.asked).toBe(1);
  // The next command is judged anew.
  await expect(resolveHost('rebinding.example', [], signal, at)).rejects.toThrow('not a public address');
});

test.each(['127.1', '0x7f.0.0.1', '0177.0.0.1', '2130706433', 'fe80::1%eth0', ''])(
  'an address in the odd notation %j leads nowhere',
  async (host) => {
    verifies('H27');
    names = await startNameServer({});
    await expect(resolveHost(host, networks('127.0.0.0/8'), signal, [names.address])).rejects.toThrow(
      'leads to no address',
    );
  },
);

test('a name server that says nothing keeps nobody waiting', async () => {
  names = await startNameServer({ 'slow.example': 'silence' });
  const soon = AbortSignal.timeout(200);
  await expect(resolveHost('slow.example', [], soon, [names.address])).rejects.toThrow(
    'could not be resolved in time',
  );
});
