// How a login waits for the owner while something between it and the instance answers in the instance's place.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { pollForToken } from '#src/device-flow.ts';
import { SECRET } from './support.ts';

const CODES = {
  device_code: 'device',
  user_code: 'ABCD-EFGH',
  verification_uri: 'http://bailiff.test/device',
  verification_uri_complete: 'http://bailiff.test/device?code=ABCD-EFGH',
  expires_in: 900,
  interval: 5,
};
const GRANTED = { access_token: SECRET, token_id: 'tok_1', guild_id: '200000000000000001' };

test.each([
  ['a page of a proxy', '<html>502 Bad Gateway</html>'],
  ['an error of another service', '{"message":"no server is available"}'],
  ['nothing', ''],
])('%s in place of an answer does not end a login', async (_what, text) => {
  const waits: number[] = [];
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(requests === 1 ? 502 : 200).end(requests === 1 ? text : JSON.stringify(GRANTED));
  }).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const wait = async (ms: number) => void waits.push(ms);
    expect(await pollForToken(url, CODES, wait)).toEqual(GRANTED);
    expect(waits).toEqual([5_000, 10_000]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
