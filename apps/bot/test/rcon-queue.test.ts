import { EventEmitter, once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { putServer } from '@bailiff/engine/servers/servers';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Bot } from '#src/bot.ts';
import { freeServerQueues } from '#src/rcon/queues.ts';
import { bot, configFor, letCallsLapse, letCallsWait, refusalOf, type Stage, setStage } from './harness.ts';

const RESPONSE = 0;
const AUTH = 3;
const AUTH_RESPONSE = 2;

/**
 * A game server that counts who uses it at the same time, and answers a command when it is told to. Who has got a whole
 * answer uses it no more: the end of a connection may be heard of after the beginning of the next one.
 */
class CountingServer {
  readonly commands: string[] = [];
  /** Who signed in while others used it, with what those had asked for. */
  readonly overlaps: string[] = [];
  port = 0;
  #held: (() => void)[] = [];
  #holds = false;
  readonly #sockets = new Set<Socket>();
  /** Who is signed in and waits for an answer, with what it has asked for. */
  readonly #using = new Map<Socket, string>();
  readonly #left = new EventEmitter();
  readonly #server = createServer((socket) => this.#serve(socket));

  listen(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.listen(0, '127.0.0.1', () => {
        const address = this.#server.address();
        this.port = typeof address === 'object' && address !== null ? address.port : 0;
        resolve();
      });
    });
  }

  /** From now on commands are answered only by `answer`. */
  hold(): void {
    this.#holds = true;
  }

  answer(): void {
    this.#holds = false;
    for (const send of this.#held.splice(0)) send();
  }

  /** Resolves when nobody uses it any more. */
  async left(): Promise<void> {
    while (this.#using.size > 0) await once(this.#left, 'left');
  }

  close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    const leave = () => {
      this.#sockets.delete(socket);
      this.#using.delete(socket);
      this.#left.emit('left');
    };
    for (const event of ['end', 'error', 'close']) socket.on(event, leave);
    // Each packet of the bot fits into one chunk on loopback.
    socket.on('data', (chunk) => {
      const type = chunk.readInt32LE(8);
      if (type === AUTH) {
        if (this.#using.size > 0) this.overlaps.push([...this.#using.values()].join(', '));
        this.#using.set(socket, 'nothing yet');
        socket.write(packet(chunk.readInt32LE(4), AUTH_RESPONSE, ''));
      } else if (type === RESPONSE) {
        this.#using.delete(socket);
        socket.write(packet(chunk.readInt32LE(4), RESPONSE, ''));
      } else this.#run(socket, chunk);
    });
  }

  #run(socket: Socket, chunk: Buffer): void {
    const command = chunk.toString('utf8', 12, chunk.length - 2);
    this.commands.push(command);
    this.#using.set(socket, command);
    const send = () => socket.write(packet(chunk.readInt32LE(4), RESPONSE, `did ${command}`));
    if (this.#holds) this.#held.push(send);
    // Long enough for another connection to show itself, if there were one.
    else setTimeout(send, 20);
  }
}

function packet(id: number, type: number, body: string): Buffer {
  const bytes = Buffer.alloc(body.length + 14);
  bytes.writeInt32LE(body.length + 10, 0);
  bytes.writeInt32LE(id, 4);
  bytes.writeInt32LE(type, 8);
  bytes.write(body, 12);
  return bytes;
}

let stage: Stage;
let second: Bot;
let game: CountingServer;
let serverId: string;

beforeAll(async () => {
  // Two with a shard each: one without a shard of its own would wait until the other is gone.
  stage = await setStage({ gateway: { shards: 2, maxConcurrency: 4 } }, { BOT_SHARDS: '1/2' });
  second = await bot(configFor(stage.sandbox, stage.test.url, { BOT_SHARDS: '0/2' }));
  await second.settled;
});
afterAll(async () => {
  await second.stop();
  await stage.close();
});

beforeEach(async () => {
  game = new CountingServer();
  await game.listen();
  const policy = { allow: [], deny: [] };
  const at = { name: 'Counting', host: '127.0.0.1', port: game.port, password: 'right', policy };
  serverId = (await putServer(stage.test.database, stage.guildId, at))?.id ?? '';
  await stage.row('SELECT FROM game_servers WHERE id = $1 AND reachable', [serverId]);
  // The bot has only logged in, to test the server.
  await game.left();
  return () => game.close();
});

const run = (command: string) => stage.act('servers.rcon', 'owner', { serverId, command });

test('two bots never have two connections to one game server, and every command runs', async () => {
  await letCallsWait(stage);
  onTestFinished(() => letCallsLapse(stage));
  const commands = Array.from({ length: 6 }, (_, n) => `say ${n}`);
  const answers = await Promise.all(commands.map(run));
  expect(answers.map(({ body }) => body)).toMatchObject(
    commands.map((command) => ({ run: { output: `did ${command}` } })),
  );
  expect([...game.commands].sort()).toEqual([...commands].sort());
  expect(game.overlaps).toEqual([]);
});

test('a command that waits too long behind another is cancelled, and never sent', async () => {
  game.hold();
  const first = run('first');
  await stage.row("SELECT FROM actions WHERE input->>'command' = 'first' AND state = 'running'");
  expect(await refusalOf(run('second'))).toMatchObject({
    status: 503,
    details: { upstream: 'bot', outcome: 'not_performed' },
  });
  game.answer();
  expect((await first).body).toMatchObject({ run: { output: 'did first' } });
  expect((await run('third')).body).toMatchObject({ run: { output: 'did third' } });
  expect(game.commands).toEqual(['first', 'third']);
});

test('a bot that died with a connection open keeps nobody else from the server for long', async () => {
  const { pool } = stage.test.database;
  const lock = (age: string) =>
    pool.query(
      `UPDATE graphile_worker._private_job_queues
       SET locked_by = 'a dead worker', locked_at = clock_timestamp() - $2::interval WHERE queue_name = $1`,
      [serverId, age],
    );
  await lock('5 seconds');
  await freeServerQueues(pool);
  expect((await refusalOf(run('list'))).status).toBe(503);
  await lock('11 seconds');
  await freeServerQueues(pool);
  expect((await run('list')).body).toMatchObject({ run: { output: 'did list' } });
  expect(game.commands).toEqual(['list']);
});

test('a slow server keeps no command from another server', async () => {
  const other = new CountingServer();
  await other.listen();
  const policy = { allow: [], deny: [] };
  const at = { name: 'Other', host: '127.0.0.1', port: other.port, password: 'right', policy };
  const otherId = (await putServer(stage.test.database, stage.guildId, at))?.id ?? '';
  game.hold();
  const slow = run('slow');
  await stage.row("SELECT FROM actions WHERE input->>'command' = 'slow' AND state = 'running'");
  const { body } = await stage.act('servers.rcon', 'owner', { serverId: otherId, command: 'quick' });
  expect(body).toMatchObject({ run: { output: 'did quick' } });
  game.answer();
  await slow;
  await other.close();
});
