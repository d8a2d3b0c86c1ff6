import { createServer, type Server, type Socket } from 'node:net';
import { parseAddress } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { RconServer, type RconStyle } from '@bailiff/sandbox';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { isAllowedAddress, resolveHost } from '../src/rcon/address.ts';
import { openPassword, sealPassword } from '../src/rcon/secrets.ts';
import { RconFailure, runCommand } from '../src/rcon/session.ts';
import { refusalOf, SECRETS_KEY, type Stage, setStage } from './harness.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function gameServer(style: RconStyle): Promise<{ server: RconServer; port: number }> {
  const server = new RconServer({ id: 'test', host: '127.0.0.1', port: 0, password: 'right', style });
  const port = await server.listen();
  closing.push(() => server.close());
  return { server, port };
}

function run(port: number, command: string, { password = 'right', withinMs = 4_000 } = {}) {
  return runCommand({ address: '127.0.0.1', port, password }, command, AbortSignal.timeout(withinMs));
}

test.each(['source', 'minecraft'] as const)('a reply of any length comes back whole (%s)', async (style) => {
  const { port } = await gameServer(style);
  expect(await run(port, 'echo Grüße')).toEqual({ output: 'Grüße', truncated: false });
  for (const bytes of [0, 4095, 4096, 4097, 100_000]) {
    const { output, truncated } = await run(port, `big ${bytes}`);
    expect([output.length, truncated]).toEqual([bytes, false]);
  }
});

test('a reply beyond what is kept is cut, and says so', async () => {
  const { port } = await gameServer('source');
  const { output, truncated } = await run(port, 'big 1000000');
  expect([output.length, truncated]).toEqual([262_144, true]);
});

test.each(['source', 'minecraft'] as const)(
  'a wrong password is refused, and nothing is run (%s)',
  async (style) => {
    const { port } = await gameServer(style);
    const failure = await run(port, 'list', { password: 'wrong' }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ wasSent: false, message: expect.stringContaining('password') });
  },
);

test.each(['hang', 'reset', 'drop_after', 'wrong_id', 'negative_length', 'huge_length', 'garbage'] as const)(
  'a server that misbehaves (%s) ends in an error that says the command was sent',
  async (mode) => {
    const { server, port } = await gameServer('source');
    server.addFault({ mode });
    const failure = await run(port, 'list', { withinMs: 1_000 }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RconFailure);
    expect(failure).toMatchObject({ wasSent: true });
  },
);

async function peer(behave: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    behave(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

test('whatever a peer sends, the answer is an error in time and the process goes on', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 64 }), { maxLength: 5 }),
      async (chunks) => {
        const port = await peer((socket) => {
          for (const chunk of chunks) socket.write(chunk);
          socket.end();
        });
        await expect(run(port, 'list', { withinMs: 1_000 })).rejects.toBeInstanceOf(RconFailure);
      },
    ),
    { numRuns: 30 },
  );
});

test('a port where nobody listens is an error before anything was sent', async () => {
  const port = await peer(() => {});
  for (const close of closing.splice(0)) await close();
  await expect(run(port, 'list')).rejects.toMatchObject({ wasSent: false });
});

test('only public addresses are connected to, unless the operator allows a network', async () => {
  const refused = [
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fd00::1',
    'fe80::1',
    'fd00:ec2::254',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
  ];
  const { signal } = new AbortController();
  for (const host of refused)
    await expect(resolveHost(host, [], signal)).rejects.toThrow('not a public address');
  await expect(resolveHost('localhost', [], signal)).rejects.toThrow('not a public address');
  await expect(resolveHost('127.1', [], signal)).rejects.toThrow();
  expect(await resolveHost('203.0.114.7', [], signal)).toBe('203.0.114.7');
  const loopback = parseAddress('127.0.0.0');
  const allowed = loopback === null ? [] : [{ address: loopback, prefixBits: 8 }];
  expect(await resolveHost('::ffff:127.0.0.1', allowed, signal)).toBe('127.0.0.1');
  const ten = parseAddress('10.0.0.1');
  expect(ten !== null && isAllowedAddress(ten, allowed)).toBe(false);
});

test('a sealed password opens only under its key and for its server', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (password) => {
      const sealed = sealPassword(SECRETS_KEY, 'srv_1', password);
      expect(openPassword(SECRETS_KEY, 'srv_1', sealed)).toBe(password);
      expect(() => openPassword(SECRETS_KEY, 'srv_2', sealed)).toThrow();
      expect(() => openPassword(Buffer.alloc(32), 'srv_1', sealed)).toThrow();
    }),
  );
});

test('a command is run on the game server of the guild, and its policy is held', async () => {
  verifies('rcon.response', 'errors.upstream-unavailable.game-server', 'errors.not-found.not-visible');
  const stage: Stage = await setStage();
  closing.push(() => stage.close());
  const [server] = stage.sandbox.servers;
  if (server === undefined) throw new Error('The sandbox has no game server');
  const { pool } = stage.test.database;
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO game_servers (guild_id, name, host, port, password_sealed, allow_patterns, deny_patterns, created_by)
     VALUES ($1, 'Survival', $2, $3, '', '{}', '{stop}', 'owner') RETURNING id`,
    [stage.guildId, server.host, server.port],
  );
  const serverId = rows[0]?.id ?? '';
  await pool.query('UPDATE game_servers SET password_sealed = $2 WHERE id = $1', [
    serverId,
    sealPassword(SECRETS_KEY, serverId, server.password),
  ]);
  const rcon = (command: string) => stage.act('servers.rcon', 'owner', { serverId, command });
  const { body } = await rcon('say hello');
  expect(body).toMatchObject({ run: { server_id: serverId, output: '[Server] hello', truncated: false } });
  expect(await refusalOf(rcon('stop'))).toMatchObject({ details: { reason: 'COMMAND_NOT_ALLOWED' } });
  stage.sandbox.control.addRconFault({ mode: 'reset' });
  expect(await refusalOf(rcon('list'))).toMatchObject({
    status: 502,
    details: { upstream: 'game_server', outcome: 'unknown' },
  });
  await pool.query('UPDATE game_servers SET port = 1');
  expect(await refusalOf(rcon('list'))).toMatchObject({
    code: 'UPSTREAM_UNAVAILABLE',
    status: 502,
    details: { upstream: 'game_server', outcome: 'not_performed' },
  });
  await stage.row('SELECT FROM game_servers WHERE reachable = false AND checked_at IS NOT NULL');

  // The server of another guild is as absent as one that never was.
  const { rows: others } = await pool.query<{ id: string }>(
    `WITH other AS (
       INSERT INTO guilds (id, name, owner_id, tier) VALUES ('900000000000000009', 'Other', 'owner', 'pro') RETURNING id)
     INSERT INTO game_servers (guild_id, name, host, port, password_sealed, created_by)
     SELECT id, 'Elsewhere', $1, $2, '', 'owner' FROM other RETURNING id`,
    [server.host, server.port],
  );
  const absentId = `srv_${'0'.repeat(32)}`;
  for (const id of [others[0]?.id ?? '', absentId]) {
    const refusal = await refusalOf(stage.act('servers.rcon', 'owner', { serverId: id, command: 'list' }));
    expect(refusal).toMatchObject({ code: 'NOT_FOUND', status: 404 });
    expect(String(refusal).replace(id, absentId)).toContain(`no game server ${absentId}`);
  }
});
