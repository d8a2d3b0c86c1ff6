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
/** In place of a status: the connection is cut. */
const CUT = 0;

/** Answers polls one after the other, the last one for ever. Returns the waits between them, and how they ended. */
async function poll(
  answers: readonly { status: number; text: string; headers?: Record<string, string> }[],
): Promise<{ waits: number[]; ended: unknown }> {
  const waits: number[] = [];
  let requests = 0;
  const server = createServer((_request, response) => {
    const { status = 500, text = '', headers = {} } = answers[Math.min(requests, answers.length - 1)] ?? {};
    requests += 1;
    if (status === CUT) return void response.destroy();
    response.writeHead(status, headers).end(text);
  }).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ended = await pollForToken(url, CODES, async (ms) => void waits.push(ms)).catch(
      (error: Error) => error.message,
    );
    return { waits, ended };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const refused = (error: string) => ({ status: 400, text: JSON.stringify({ error }) });
const GRANTED = { access_token: SECRET, token_id: 'tok_1', guild_id: '200000000000000001' };
const TOKEN = { status: 200, text: JSON.stringify(GRANTED) };

test.each([
  ['a page of a proxy', '<html>502 Bad Gateway</html>'],
  ['an error of another service', '{"message":"no server is available"}'],
  ['nothing', ''],
])('%s in place of an answer does not end a login', async (_what, text) => {
  const { waits, ended } = await poll([{ status: 502, text }, TOKEN]);
  expect(ended).toEqual(GRANTED);
  expect(waits).toEqual([5_000, 10_000]);
});

test('a connection that is cut does not end a login, and its code goes nowhere else', async () => {
  const cut = { status: CUT, text: '' };
  const elsewhere = { status: 302, text: '', headers: { Location: '/elsewhere' } };
  const { waits, ended } = await poll([cut, elsewhere, TOKEN]);
  expect(ended).toEqual(GRANTED);
  expect(waits).toEqual([5_000, 10_000, 20_000]);
});

test('a login that is told to slow down asks five seconds later each time from then on', async () => {
  const { waits, ended } = await poll([
    refused('authorization_pending'),
    refused('slow_down'),
    refused('authorization_pending'),
    refused('slow_down'),
    TOKEN,
  ]);
  expect(ended).toEqual(GRANTED);
  expect(waits).toEqual([5_000, 5_000, 10_000, 10_000, 15_000]);
});

test('a login waits as long as a limit says, and else twice as long each time, a minute at most', async () => {
  const limited = { status: 429, text: '{"error":"RATE_LIMITED"}', headers: { 'Retry-After': '212' } };
  expect((await poll([limited, TOKEN])).waits).toEqual([5_000, 212_000]);
  const away = refused('temporarily_unavailable');
  const { waits } = await poll([away, away, away, away, away, TOKEN]);
  expect(waits).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
});

test.each([
  ['a cut connection', { status: CUT, text: '' }],
  ['a page of a proxy', { status: 502, text: '<html>502 Bad Gateway</html>' }],
  ['an error behind which nobody knows', { status: 502, text: '{"error":"server_error"}' }],
])('a login whose token was lost with %s says that there is one to revoke', async (_what, lost) => {
  const { ended } = await poll([refused('authorization_pending'), lost, refused('invalid_grant')]);
  expect(ended).toMatch(/^A token was issued, but the answer with it was lost\. Revoke it/);
  const perhaps = await poll([refused('authorization_pending'), lost]);
  expect(perhaps.ended).toMatch(/^The code has lapsed\. Perhaps a token was issued/);
  const pending = await poll([lost, refused('authorization_pending')]);
  expect(pending.ended).toBe('The code has lapsed before anybody entered it.');
  const never = refused('temporarily_unavailable');
  expect((await poll([never, refused('invalid_grant')])).ended).toBe('The login ended with invalid_grant.');
});

test('a login ends with the refusal of the owner, and when its code has lapsed', async () => {
  expect(await poll([refused('access_denied')])).toEqual({
    waits: [5_000],
    ended: 'The login ended with access_denied.',
  });
  const told = { error: 'access_denied', error_description: 'The owner declined.' };
  expect(await poll([{ status: 400, text: JSON.stringify(told) }])).toMatchObject({
    ended: 'The owner declined.',
  });
  const { waits, ended } = await poll([refused('authorization_pending')]);
  expect(waits).toHaveLength(CODES.expires_in / CODES.interval);
  expect(ended).toBe('The code has lapsed before anybody entered it.');
});

test('a login asks as often as before once an outage or the wait for a limit is over', async () => {
  const pending = refused('authorization_pending');
  const away = refused('temporarily_unavailable');
  const limited = { status: 429, text: '{"error":"RATE_LIMITED"}', headers: { 'Retry-After': '212' } };
  const { waits, ended } = await poll([away, away, pending, refused('slow_down'), limited, pending, TOKEN]);
  expect(ended).toEqual(GRANTED);
  expect(waits).toEqual([5_000, 10_000, 20_000, 5_000, 10_000, 212_000, 10_000]);
});

test('a login goes on as long as its code is good, also where it asks seldom in an outage', async () => {
  const { waits, ended } = await poll([refused('temporarily_unavailable')]);
  expect(waits.reduce((sum, ms) => sum + ms)).toBeGreaterThanOrEqual(CODES.expires_in * 1_000);
  expect(ended).toBe('The code has lapsed before anybody entered it.');
});
