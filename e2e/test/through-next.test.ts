// The public API answered by Next's route handler (PUBLIC_API_THROUGH_NEXT=on) beside the same API answered directly.
import { once } from 'node:events';
import { connect } from 'node:net';
import { Owner } from '@bailiff/sandbox/visitor';
import { type Instance, startInstance } from '@bailiff/supervisor/instance';
import { expect, test } from '#src/testing.ts';

interface Api {
  readonly instance: Instance;
  readonly secret: string;
}

interface Answer {
  readonly status: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Both ways; each has an instance of its own, so that budgets and audit logs are those of these calls alone. */
let direct: Api;
let throughNext: Api;

test.beforeAll(async () => {
  [direct, throughNext] = await Promise.all([start('off'), start('on')]);
});
test.afterAll(async () => {
  await Promise.all([direct?.instance.stop(), throughNext?.instance.stop()]);
});

async function start(setting: 'on' | 'off'): Promise<Api> {
  const instance = await startInstance({ env: { PUBLIC_API_THROUGH_NEXT: setting } });
  const { run } = instance;
  const owner = await Owner.signIn(run.web, run.people.owner ?? '');
  const minted = await owner.mint(run.guild_id, 'two ways');
  return { instance, secret: (minted.body as { secret: string }).secret };
}

/** A request as raw text, so that nothing between the test and the server tidies it. */
async function send({ instance, secret }: Api, call: Call): Promise<Answer> {
  const { hostname, port } = new URL(instance.run.web);
  const { method = 'GET', path, body = '', headers = {}, token = true } = call;
  const lines = [
    `${method} ${path.replace('{guildId}', instance.run.guild_id)} HTTP/1.1`,
    `Host: ${hostname}`,
    'Connection: close',
    ...(token ? [`Authorization: Bearer ${secret}`] : []),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
  ];
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return parse(text);
}

/** Headers that say what the API says; those of the transport may differ. */
const COMPARED =
  /^(allow|cache-control|content-type|idempotent-replayed|ratelimit.*|retry-after|www-authenticate|x-ratelimit-.*)$/;

function parse(text: string): Answer {
  const [head = '', rest = ''] = text.split(/\r\n\r\n([\s\S]*)/, 2);
  const [status = '', ...lines] = head.split('\r\n');
  const headers = lines
    .map(
      (line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)] as const,
    )
    .filter(([name]) => COMPARED.test(name))
    // How much a budget holds depends on the moment.
    .map(([name, value]) => [name, name === 'ratelimit' ? value.replace(/=\d+/g, '=n') : value] as const);
  const json = rest.slice(Math.max(0, rest.indexOf('{')), rest.lastIndexOf('}') + 1);
  return {
    status: status.split(' ').slice(1).join(' '),
    headers: Object.fromEntries(headers.toSorted(([a], [b]) => a.localeCompare(b))),
    body: json === '' ? null : JSON.parse(withoutOwn(json)),
  };
}

/** Ids, moments and what has come back into a budget by now are each instance's own. */
function withoutOwn(text: string): string {
  return text
    .replace(/\b([a-z]{2,4})_[0-9a-f]{32}\b/g, '$1_id')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'moment')
    .replace(/"remaining":\d+/g, '"remaining":0')
    .replace(/http:\/\/localhost:\d+/g, 'origin');
}

interface Call {
  readonly method?: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: boolean;
}

const BANS = '/api/public/v1/guilds/{guildId}/bans';
const BAN = { user_id: '100000000000000001', reason: 'Spam' };

const CALLS: Readonly<Record<string, Call>> = {
  'who the token is': { path: '/api/public/v1/me' },
  'a list with a filter': { path: `${BANS}?active=true&limit=5` },
  'a filter that is not one': { path: `${BANS}?active=perhaps` },
  'what is not there': { path: `${BANS}/100000000000000001` },
  'no token': { path: BANS, token: false },
  'a browser': { path: BANS, headers: { Origin: 'https://elsewhere.example' } },
  'a preflight': { method: 'OPTIONS', path: BANS },
  'a HEAD': { method: 'HEAD', path: BANS },
  'a method the path does not take': { method: 'PUT', path: BANS, body: '{}' },
  'a method Next does not carry': { method: 'TRACE', path: BANS },
  'an unknown path': { path: '/api/public/v1/nothing' },
  'the root of the API': { path: '/api/public/v1' },
  'a doubled slash': { path: '/api/public/v1//me' },
  'a broken escape': { path: '/api/public/v1/%E0%A4%A' },
  'a forged address': { path: '/api/public/v1/me', headers: { 'x-bailiff-address': '198.51.100.7' } },
  'a write without consent': {
    method: 'POST',
    path: BANS,
    body: JSON.stringify({
      ...BAN,
      _confirmation: 'BAN USER 100000000000000001 IN GUILD {guildId} PERMANENT',
    }),
  },
  'a body that is not JSON': { method: 'POST', path: BANS, body: '{"reason":' },
  'a body of wrong fields': { method: 'POST', path: BANS, body: JSON.stringify({ whom: 1 }) },
  'a body that is too large': {
    method: 'POST',
    path: BANS,
    body: JSON.stringify({ reason: 'x'.repeat(70_000) }),
  },
  'an idempotency key that is none': {
    method: 'POST',
    path: BANS,
    body: JSON.stringify(BAN),
    headers: { 'Idempotency-Key': 'not one' },
  },
};

for (const [name, call] of Object.entries(CALLS)) {
  test(`${name} is answered the same both ways`, async () => {
    const expected = await send(direct, call);
    expect(expected.status).toMatch(/^\d{3} /);
    expect(await send(throughNext, call)).toEqual(expected);
  });
}

test('it is Next that answers with the setting on', async () => {
  const vary = async ({ instance }: Api) =>
    (await fetch(`${instance.run.web}/api/public/v1/me`)).headers.get('vary') ?? '';
  expect(await vary(throughNext)).toContain('rsc');
  expect(await vary(direct)).not.toContain('rsc');
});
