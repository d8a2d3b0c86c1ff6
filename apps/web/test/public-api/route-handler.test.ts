import { type SeededGuild, seedGuild, seedToken } from '@bailiff/engine/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GET, POST } from '#app/api/public/v1/[...path]/route.ts';
import { ADDRESS_HEADER } from '#src/http/headers.ts';
import { ORIGIN, startTestWeb, type TestWeb } from '#test/support.ts';

/** Next's route handler, called as Next calls it. e2e/test/through-next tests the built product. */
const SEEN_BY_NEXT = `${ORIGIN}/api/public/v1/call`;
const ALLOWED_ADDRESS = '198.51.100.7';

let web: TestWeb;
let guild: SeededGuild;
let secret: string;

beforeAll(async () => {
  web = await startTestWeb();
  guild = await seedGuild(web.db);
  ({ secret } = await seedToken(web.db, guild, { ipAllowlist: [ALLOWED_ADDRESS] }));
});

afterAll(() => web.close());

function request(headers: Record<string, string> = {}, body?: string): Request {
  const authorization = { Authorization: `Bearer ${secret}`, ...headers };
  return new Request(SEEN_BY_NEXT, {
    method: body === undefined ? 'GET' : 'POST',
    headers: authorization,
    ...(body === undefined ? {} : { body }),
  });
}

test('a request that came past our server is refused, whatever address it claims', async () => {
  const answer = await GET(request({ [ADDRESS_HEADER]: ALLOWED_ADDRESS }));
  expect(answer.status).toBe(500);
  expect((await answer.json()).error).toMatchObject({
    code: 'INTERNAL_ERROR',
    message: expect.stringContaining('npm start'),
  });
});

test('the address and the path are those that our server saw', async () => {
  const { receivedCall } = web.runtime;
  const me = `${ORIGIN}/api/public/v1/me`;
  const forged = { [ADDRESS_HEADER]: ALLOWED_ADDRESS };
  const elsewhere = await receivedCall.run({ url: me, address: '203.0.113.1' }, () => GET(request(forged)));
  expect((await elsewhere.json()).error.code).toBe('TOKEN_IP_NOT_ALLOWED');
  const allowed = await receivedCall.run({ url: me, address: ALLOWED_ADDRESS }, () => GET(request()));
  expect(allowed.status).toBe(200);
});

test('a body reaches the public API', async () => {
  const url = `${ORIGIN}/api/public/v1/guilds/${guild.id}/bans`;
  const answer = await web.runtime.receivedCall.run({ url, address: ALLOWED_ADDRESS }, () =>
    POST(request({ 'Content-Type': 'application/json' }, '{"reason":')),
  );
  expect(answer.status).toBe(400);
  expect((await answer.json()).error.message).toBe('The body is not valid JSON.');
});
