// The samples of deploy/ in the programs they are for, in front of Bailiff. Without a program its tests are skipped.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { connect } from 'node:tls';
import { freePort, verifies } from '@bailiff/core/testing';
import { type SeededGuild, type SeededToken, seedGuild, seedToken } from '@bailiff/engine/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ORIGIN,
  type Person,
  serve,
  signedIn,
  startTestWeb,
  type TestServer,
  type TestWeb,
} from './support.ts';

const DEPLOY = resolve(import.meta.dirname, '..', '..', '..', 'deploy');
/** Where the client connects from. The proxy itself connects from 127.0.0.1, which alone is trusted. */
const CLIENT = '127.0.0.2';
const API_HOST = 'bailiff.example';
const DASHBOARD_HOST = new URL(ORIGIN).host;

/** Where a program is, or undefined. Debian has those of administrators in a folder that is in root's PATH alone. */
function found(program: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return folders
    .map((folder) => join(folder, program))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** What a sample gets in place of the addresses, the certificate and the folders of a real machine. */
interface Here {
  readonly folder: string;
  readonly bailiff: number;
  readonly http: number;
  readonly https: number;
}

/** The text with each replacement made at least once. */
function replaced(
  sample: string,
  replacements: readonly (readonly [from: string | RegExp, to: string])[],
): string {
  return replacements.reduce((before, [from, to]) => {
    const after = before.replaceAll(from, to);
    if (after === before) throw new Error(`The sample has no ${from}.`);
    return after;
  }, sample);
}

const PROXIES = {
  async nginx({ folder, bailiff, http, https }: Here): Promise<string[]> {
    const sample = replaced(await readFile(join(DEPLOY, 'nginx', 'bailiff.conf'), 'utf8'), [
      [/^ *listen \[::\].*\n/gm, ''],
      ['listen 80;', `listen 127.0.0.1:${http};`],
      ['listen 443', `listen 127.0.0.1:${https}`],
      ['server 127.0.0.1:3000;', `server 127.0.0.1:${bailiff};`],
      [/\/etc\/letsencrypt\/live\/bailiff.example\/(fullchain|privkey)/g, join(folder, '$1')],
      ['/var/log/nginx', folder],
    ]);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${join(folder, name)};`,
    );
    await writeFile(
      join(folder, 'nginx.conf'),
      `daemon off; master_process off; pid ${join(folder, 'pid')}; events {}
       http { access_log off; ${temporary.join(' ')} ${sample} }`,
    );
    return ['-e', 'stderr', '-c', join(folder, 'nginx.conf')];
  },
  async caddy({ folder, bailiff, http, https }: Here): Promise<string[]> {
    const sites = [API_HOST, DASHBOARD_HOST].map((host) => `https://${host}:${https}`).join(', ');
    const tls = `tls ${join(folder, 'fullchain.pem')} ${join(folder, 'privkey.pem')}`;
    const sample = replaced(await readFile(join(DEPLOY, 'caddy', 'Caddyfile'), 'utf8'), [
      [/^bailiff\.example \{/gm, `${sites} {\n\tbind 127.0.0.1\n\t${tls}`],
      ['reverse_proxy 127.0.0.1:3000', `reverse_proxy 127.0.0.1:${bailiff}`],
    ]);
    const file = join(folder, 'Caddyfile');
    await writeFile(file, `{\n\tadmin off\n\thttp_port ${http}\n\thttps_port ${https}\n}\n${sample}`);
    return ['run', '--adapter', 'caddyfile', '--config', file];
  },
};

let web: TestWeb;
let server: TestServer;
let guild: SeededGuild;
let token: SeededToken;
let owner: Person;

beforeAll(async () => {
  web = await startTestWeb({
    PUBLIC_URL: `https://${API_HOST}`,
    DASHBOARD_URL: ORIGIN,
    TRUSTED_PROXIES: '127.0.0.1',
  });
  server = await serve(web, 'a page');
  guild = await seedGuild(web.db);
  token = await seedToken(web.db, guild);
  owner = await signedIn(web, guild.ownerId);
});
afterAll(async () => {
  server.close();
  await web.close();
});

describe.each(Object.entries(PROXIES))('%s with the sample of deploy/', (name, configure) => {
  const program = found('openssl') === undefined ? undefined : found(name);
  const ready = it.skipIf(program === undefined);
  let folder: string;
  let here: Here;
  let proxy: ChildProcess;
  let printed = '';

  beforeAll(async () => {
    if (program === undefined) return;
    folder = await mkdtemp(join(tmpdir(), `bailiff-${name}-`));
    here = { folder, bailiff: server.port, http: await freePort(), https: await freePort() };
    const certificate = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')];
    const subject = [
      '-subj',
      `/CN=${API_HOST}`,
      '-addext',
      `subjectAltName=DNS:${API_HOST},DNS:${DASHBOARD_HOST}`,
    ];
    const options = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    execFileSync('openssl', ['req', ...options, ...certificate, ...subject], { stdio: 'pipe' });
    proxy = spawn(program, await configure(here), {
      env: { ...process.env, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, HOME: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const output of [proxy.stdout, proxy.stderr]) {
      output?.setEncoding('utf8').on('data', (part: string) => {
        printed += part;
      });
    }
    for (;;) {
      if (proxy.exitCode !== null) throw new Error(`${name} ended with ${proxy.exitCode}:\n${printed}`);
      const answer = await send('/healthz').catch(() => null);
      if (answer !== null) break;
      await setTimeout(100);
    }
  });
  afterAll(async () => {
    if (program === undefined) return;
    if (proxy.exitCode === null) {
      proxy.kill('SIGKILL');
      await once(proxy, 'close');
    }
    await rm(folder, { recursive: true });
  });

  async function send(path: string, options: RequestOptions = {}, body = ''): Promise<IncomingMessage> {
    const host = options.host ?? API_HOST;
    const sent = request({
      ...options,
      host: '127.0.0.1',
      port: here.https,
      localAddress: CLIENT,
      path,
      servername: host,
      rejectUnauthorized: false,
      agent: false,
      headers: { Host: host, ...options.headers },
    });
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return answer;
  }

  const call = (path: string, options: RequestOptions = {}, body = '') =>
    send(
      `/api/public/v1/guilds/${guild.id}${path}`,
      {
        ...options,
        headers: { Authorization: `Bearer ${token.secret}`, ...options.headers },
      },
      body,
    );

  ready(
    'says who the client is, whatever three headers of the client say, and names its request',
    async () => {
      verifies('ops.deploy.samples', 'ops.proxy.headers');
      const forged = { 'X-Forwarded-For': ['192.0.2.1', '192.0.2.2', '127.0.0.1'], 'X-Real-IP': '192.0.2.3' };
      const answer = await call('/bans', { headers: forged });
      expect([answer.statusCode, await json(answer)]).toEqual([200, { data: [], next_cursor: null }]);
      const { rows } = await web.db.pool.query('SELECT address FROM audit WHERE request_id = $1', [
        answer.headers['x-request-id'],
      ]);
      expect(rows).toEqual([{ address: CLIENT }]);
    },
  );

  ready('passes the host on, by which Bailiff tells the API and the dashboard apart', async () => {
    verifies('ops.deploy.samples');
    const atApi = await send('/guilds', { headers: { Accept: 'text/html' } });
    expect([atApi.statusCode, atApi.headers.location]).toEqual([307, `${ORIGIN}/guilds`]);
    const atDashboard = await send('/guilds', { host: DASHBOARD_HOST });
    expect([atDashboard.statusCode, await text(atDashboard)]).toEqual([200, 'a page']);
  });

  ready('sends who comes by http to https, and speaks HTTP/2', async () => {
    verifies('ops.deploy.samples');
    const plain = httpRequest({
      host: '127.0.0.1',
      port: here.http,
      path: '/x',
      headers: { Host: API_HOST },
    }).end();
    const [answer] = (await once(plain, 'response')) as [IncomingMessage];
    answer.resume();
    expect([301, 308]).toContain(answer.statusCode);
    expect(answer.headers.location).toMatch(new RegExp(`^https://${API_HOST}(:\\d+)?/x$`));
    const options = { servername: API_HOST, rejectUnauthorized: false, ALPNProtocols: ['h2', 'http/1.1'] };
    const socket = connect(here.https, '127.0.0.1', options);
    await once(socket, 'secureConnect');
    expect(socket.alpnProtocol).toBe('h2');
    socket.destroy();
  });

  ready('sends an event on when it happens, without waiting for more', async () => {
    verifies('ops.deploy.samples');
    const path = `/api/guilds/${guild.id}/events?age=0`;
    const events = await send(path, { host: DASHBOARD_HOST, headers: { Cookie: owner.cookie } });
    expect(events.statusCode).toBe(200);
    let heard = '';
    events.setEncoding('utf8').on('data', (part: string) => {
      heard += part;
    });
    // The first one says that the page is subscribed.
    await expect.poll(() => heard).not.toBe('');
    await web.db.pool.query("SELECT tell('ticket', $1, '{}')", [guild.id]);
    await expect.poll(() => heard).toContain('"ticket"');
    events.destroy();
  });

  ready('waits with a caller who waits for a decision', async () => {
    verifies('ops.deploy.samples');
    const strike = {
      user_id: guild.memberId,
      severity: 'minor',
      reason: name,
      _confirmation: `ADD STRIKE TO USER ${guild.memberId} IN GUILD ${guild.id} SEVERITY MINOR`,
    };
    const headers = { 'Content-Type': 'application/json' };
    const parked = await call('/strikes', { method: 'POST', headers }, JSON.stringify(strike));
    const { error } = (await json(parked)) as { error: { details: { approval_id: string } } };
    const path = `/approvals/${error.details.approval_id}`;
    const inVain = await call(path, { headers: { Prefer: 'wait=1' } });
    expect(inVain.headers['preference-applied']).toBe('wait=1');
    expect(await json(inVain)).toMatchObject({ state: 'pending' });
    const approval = call(path, { headers: { Prefer: 'wait=30' } });
    await owner.call('POST', `/api${path}`, { decision: 'call' });
    expect(await json(await approval)).toMatchObject({ state: 'approved' });
  });

  ready('lets Bailiff refuse a body that is too long', async () => {
    verifies('ops.deploy.samples');
    const post = (body: string, headers: Record<string, string> = {}) =>
      call('/strikes', { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers } }, body);
    const long = await post('x'.repeat(100_000));
    expect([long.statusCode, await json(long)]).toMatchObject([
      413,
      { error: { code: 'VALIDATION_FAILED' } },
    ]);
    // Caddy counts what it passes on, and Bailiff refuses before that is too much.
    if (name !== 'nginx') return;
    const longest = await post('x', { 'Content-Length': '10000000' });
    expect(longest.statusCode).toBe(413);
    expect(longest.headers['x-request-id']).toBeUndefined();
    longest.resume();
  });
});
