import { randomBytes } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { verifies } from '@bailiff/core/testing';
import { RconServer, type RconStyle } from '@bailiff/sandbox';
import fc from 'fast-check';
import { decodePacket, encodePacket, PacketType } from 'rcon-client/lib/packet.js';
import { afterEach, expect, test } from 'vitest';
import { createLog } from '#src/log.ts';
import { KEPT_OUTPUT_BYTES } from '#src/performers/rcon.ts';
import { RconFailure } from '#src/rcon/frames.ts';
import { MOST_OUTPUT_BYTES, runCommand } from '#src/rcon/session.ts';
import { addGameServer, bot, configFor, refusalOf, SECRETS_KEY, type Stage, setStage } from './harness.ts';

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
  for (const bytes of [0, 4095, 4096, 4097, 100_000, MOST_OUTPUT_BYTES]) {
    const { output, truncated } = await run(port, `big ${bytes}`);
    expect([output.length, truncated]).toEqual([bytes, false]);
  }
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
    const failure = await run(port, 'list', { withinMs: 3_000 }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RconFailure);
    expect(failure).toMatchObject({ wasSent: true });
  },
);

test('the output of a server that ignores the question for its end, and talks by itself, comes back', async () => {
  const talking = peer((socket) => {
    socket.on('data', (data: Buffer) => {
      const { id, type } = decodePacket(data);
      if (type === PacketType.Auth)
        socket.write(encodePacket({ id, type: PacketType.AuthResponse, payload: Buffer.alloc(0) }));
      if (type !== PacketType.Command) return;
      socket.write(encodePacket({ id, type: PacketType.CommandResponse, payload: Buffer.from('done') }));
      const line = encodePacket({
        id: 0,
        type: PacketType.CommandResponse,
        payload: Buffer.from('Steve: hi'),
      });
      const chat = setInterval(() => socket.write(line), 100);
      socket.once('close', () => clearInterval(chat));
    });
  });
  expect(await run(await talking, 'save-all', { withinMs: 10_000 })).toEqual({
    output: 'done',
    truncated: false,
  });
});

test('what came of an output while the bot stood still for longer than a pause of the server is part of it', async () => {
  const packet = (id: number, text: string) =>
    encodePacket({ id, type: PacketType.CommandResponse, payload: Buffer.from(text) });
  const stalling = peer((socket) => {
    socket.setNoDelay().on('data', (data: Buffer) => {
      const { id, type } = decodePacket(data);
      if (type === PacketType.Auth)
        socket.write(encodePacket({ id, type: PacketType.AuthResponse, payload: Buffer.alloc(0) }));
      else if (type === PacketType.Command) socket.write(packet(id, 'first, '));
      else {
        // The question for the end, which has the id behind that of the command.
        socket.write(Buffer.concat([packet(id - 1, 'last'), packet(id, '')]));
        const until = performance.now() + 1_100;
        while (performance.now() < until);
      }
    });
  });
  const output = { output: 'first, last', truncated: false };
  expect(await run(await stalling, 'list', { withinMs: 60_000 })).toEqual(output);
});

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

test('a command is run on the game server of the guild, and its policy is held', async () => {
  verifies(
    'rcon.response',
    'rcon.output.kept',
    'errors.upstream-unavailable.game-server',
    'errors.not-found.not-visible',
  );
  const stage: Stage = await setStage();
  closing.push(() => stage.close());
  const { pool } = stage.test.database;
  const serverId = await addGameServer(stage, { allow: [], deny: ['stop'] });
  const rcon = (command: string) => stage.act('servers.rcon', 'owner', { serverId, command });
  const { body } = await rcon('say hello');
  expect(body).toMatchObject({ run: { server_id: serverId, output: '[Server] hello', truncated: false } });
  for (const length of [KEPT_OUTPUT_BYTES, KEPT_OUTPUT_BYTES + 1, MOST_OUTPUT_BYTES]) {
    expect((await rcon(`big ${length}`)).body).toMatchObject({
      run: {
        output: 'x'.repeat(KEPT_OUTPUT_BYTES),
        truncated: length > KEPT_OUTPUT_BYTES,
        output_bytes: length,
      },
    });
  }
  expect(await refusalOf(rcon('stop'))).toMatchObject({ details: { reason: 'COMMAND_NOT_ALLOWED' } });
  stage.sandbox.control.addRconFault({ mode: 'reset' });
  expect(await refusalOf(rcon('list'))).toMatchObject({
    status: 502,
    details: { upstream: 'game_server', outcome: 'unknown' },
  });
  // Nothing shows later whether it ran. Nobody looks for it, and it goes on saying so.
  await pool.query("SELECT graphile_worker.add_job('recover', '{}')");
  const left =
    "SELECT error->>'message' AS said FROM actions WHERE state = 'unknown' AND looked_at = 'infinity'";
  expect((await stage.row<{ said: string }>(left)).said).toContain('This can never be found out');
  stage.sandbox.control.addRconFault({ mode: 'refuse_auth' });
  expect(await refusalOf(rcon('list'))).toMatchObject({
    code: 'UPSTREAM_UNAVAILABLE',
    status: 502,
    details: { upstream: 'game_server', outcome: 'not_performed', server_problem: 'login_refused' },
  });
  await stage.row("SELECT FROM game_servers WHERE reachable = false AND problem = 'login_refused'");

  // The server of another guild is as absent as one that never was.
  const { rows: others } = await pool.query<{ id: string }>(
    `WITH other AS (
       INSERT INTO guilds (id, name, owner_id, tier) VALUES ('900000000000000009', 'Other', 'owner', 'pro') RETURNING id)
     INSERT INTO game_servers (guild_id, name, host, port, password_sealed, created_by)
     SELECT id, 'Elsewhere', '127.0.0.1', 1, '', 'owner' FROM other RETURNING id`,
  );
  const absentId = `srv_${'0'.repeat(32)}`;
  for (const id of [others[0]?.id ?? '', absentId]) {
    const refusal = await refusalOf(stage.act('servers.rcon', 'owner', { serverId: id, command: 'list' }));
    expect(refusal).toMatchObject({ code: 'NOT_FOUND', status: 404 });
    expect(String(refusal).replace(id, absentId)).toContain(`no game server ${absentId}`);
  }
});

test('after a change of SECRETS_KEY the passwords that were stored before still work', async () => {
  const stage = await setStage();
  closing.push(() => stage.close());
  const serverId = await addGameServer(stage);
  const run = () => stage.act('servers.rcon', 'owner', { serverId, command: 'say hello' });
  let lines: { msg: string }[] = [];
  const restart = async (more: NodeJS.ProcessEnv) => {
    lines = [];
    const log = createLog('info', [], (line) => lines.push(JSON.parse(line)));
    const next = await bot(configFor(stage.sandbox, stage.test.url, more), log);
    await next.settled;
    return next;
  };
  const saidOfPasswords = () => lines.filter(({ msg }) => msg.includes('passwords of game servers'));
  await stage.bot.stop();
  const newKey = randomBytes(32).toString('base64');
  const rotating = await restart({
    SECRETS_KEY: newKey,
    SECRETS_KEY_PREVIOUS: SECRETS_KEY.toString('base64'),
  });
  expect(saidOfPasswords()).toMatchObject([
    { level: 30, msg: expect.stringMatching(/^sealed .* new SECRETS_KEY$/), count: 1 },
  ]);
  expect((await run()).body).toMatchObject({ run: { output: '[Server] hello' } });
  await rotating.stop();
  const rotated = await restart({ SECRETS_KEY: newKey });
  expect(saidOfPasswords()).toEqual([]);
  expect((await run()).body).toMatchObject({ run: { output: '[Server] hello' } });
  await rotated.stop();

  // With a key that nothing was sealed to, the owner is told what to do, and nothing is sent.
  const lost = await restart({ SECRETS_KEY: randomBytes(32).toString('base64') });
  expect(saidOfPasswords()).toMatchObject([
    { level: 40, msg: expect.stringContaining('do not open with this SECRETS_KEY'), server_ids: [serverId] },
  ]);
  const commands = stage.sandbox.getState().server_commands.length;
  const refusal = await refusalOf(run());
  expect(refusal).toMatchObject({ status: 502, details: { outcome: 'not_performed' } });
  expect(String(refusal)).toContain('must be entered again in the dashboard');
  expect(stage.sandbox.getState().server_commands).toHaveLength(commands);
  await lost.stop();
});
