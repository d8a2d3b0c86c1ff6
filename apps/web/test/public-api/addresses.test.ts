import { verifies } from '@bailiff/core/testing';
import { seedToken } from '@bailiff/engine/testing';
import { updateToken } from '@bailiff/engine/tokens/tokens';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { asOwner, type PublicApiHarness, startPublicApi } from './harness.ts';

let api: PublicApiHarness;

beforeAll(async () => {
  api = await startPublicApi();
});

afterAll(async () => {
  await api.close();
});

async function from(entries: string[]) {
  const token = await seedToken(api.database, api.guild, { ipAllowlist: entries });
  const codeFrom = async (address: string) => {
    const { status, body } = await api.call('/me', { token, address });
    return status === 200 ? 'passes' : `${status} ${body.error.code}`;
  };
  return { token, codeFrom };
}

const DENIED = '403 TOKEN_IP_NOT_ALLOWED';
const ANY = ['192.0.2.1', '10.0.0.1', '::1', '2001:db8::1', '::ffff:203.0.113.9'];

it('a network of IPv6 admits what lies in it', async () => {
  verifies('allowlist.ipv6-cidr');
  const { codeFrom } = await from(['2001:db8::/32']);
  expect(await codeFrom('2001:db8:1::5')).toBe('passes');
  expect(await codeFrom('2001:db9::1')).toBe(DENIED);
  expect(await codeFrom('192.0.2.1')).toBe(DENIED);
});

it('a bare address of IPv4 admits itself alone', async () => {
  verifies('allowlist.bare-ipv4');
  const { codeFrom } = await from(['203.0.113.7']);
  expect(await codeFrom('203.0.113.7')).toBe('passes');
  expect(await codeFrom('203.0.113.6')).toBe(DENIED);
  expect(await codeFrom('203.0.113.8')).toBe(DENIED);
});

it('a bare address of IPv6 admits itself alone', async () => {
  verifies('allowlist.bare-ipv6');
  const { codeFrom } = await from(['2001:db8::7']);
  expect(await codeFrom('2001:db8::7')).toBe('passes');
  expect(await codeFrom('2001:DB8:0:0::7')).toBe('passes');
  expect(await codeFrom('2001:db8::6')).toBe(DENIED);
  expect(await codeFrom('2001:db8::8')).toBe(DENIED);
});

it('an empty list refuses nobody for their address, also when it was reset', async () => {
  verifies('allowlist.empty');
  const { codeFrom } = await from([]);
  for (const address of ANY) expect(await codeFrom(address), address).toBe('passes');
  const once = await from(['203.0.113.7']);
  for (const address of ANY) expect(await once.codeFrom(address), address).toBe(DENIED);
  await updateToken(api.database, asOwner(api.guild), once.token.id, { ipAllowlist: [] });
  for (const address of ANY) expect(await once.codeFrom(address), address).toBe('passes');
});

it('an edited list judges the very next request', async () => {
  verifies('allowlist.edit-next-request', 'G3');
  const { token, codeFrom } = await from([]);
  const edit = (ipAllowlist: string[]) =>
    updateToken(api.database, asOwner(api.guild), token.id, { ipAllowlist });
  expect(await codeFrom('203.0.113.7')).toBe('passes');
  await edit(['198.51.100.0/24']);
  expect(await codeFrom('203.0.113.7')).toBe(DENIED);
  await edit(['198.51.100.0/24', '203.0.113.0/24']);
  expect(await codeFrom('203.0.113.7')).toBe('passes');
});
