import { Socket } from 'node:net';
import { Rcon } from 'rcon-client';
import { afterEach, describe, expect, it } from 'vitest';
import { RconServer } from '#src/index.ts';
import { sandboxForFile } from './rig.ts';

const sandbox = sandboxForFile({ rconStyle: 'minecraft' });
const open: Rcon[] = [];

async function connect(server = sandbox.get().servers[0], timeout = 20_000): Promise<Rcon> {
  if (!server) throw new Error('The sandbox has no game server.');
  const rcon = await Rcon.connect({
    host: server.host,
    port: server.port,
    password: server.password,
    timeout,
  });
  rcon.on('error', () => undefined);
  open.push(rcon);
  return rcon;
}

afterEach(async () => {
  sandbox.get().control.clearRconFaults();
  await Promise.allSettled(open.splice(0).map((rcon) => rcon.end()));
});

/** Everything the server says to one login and one command, as [id, type, bytes of body]. */
function talk(port: number, password: string, command: string, untilPackets: number): Promise<number[][]> {
  return new Promise((resolve, reject) => {
    const socket = new Socket().connect(port, '127.0.0.1');
    const packet = (id: number, type: number, text: string) => {
      const buffer = Buffer.alloc(text.length + 14);
      buffer.writeInt32LE(text.length + 10, 0);
      buffer.writeInt32LE(id, 4);
      buffer.writeInt32LE(type, 8);
      buffer.write(text, 12);
      return buffer;
    };
    let received = Buffer.alloc(0);
    const packets: number[][] = [];
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 4 && received.length >= received.readInt32LE(0) + 4) {
        const length = received.readInt32LE(0);
        packets.push([received.readInt32LE(4), received.readInt32LE(8), length - 10]);
        received = received.subarray(length + 4);
      }
      if (packets.length < untilPackets) return;
      socket.destroy();
      resolve(packets);
    });
    socket.write(packet(1, 3, password));
    socket.write(packet(2, 2, command));
    socket.write(packet(3, 0, ''));
  });
}

describe('the game server', () => {
  it('answers commands over RCON and keeps them', async () => {
    const rcon = await connect();
    expect(await rcon.send('list')).toContain('Steve');
    expect(await rcon.send('echo grüße')).toBe('grüße');
    expect(await rcon.send('kick Steve')).toBe('Kicked Steve');
    expect(await rcon.send('list')).not.toContain('Steve');
    expect(await rcon.send('fly')).toContain('Unknown command');
    expect(
      sandbox
        .get()
        .getState()
        .server_commands.map((each) => each.command),
    ).toContain('kick Steve');
  });

  it('refuses a wrong password', async () => {
    const server = sandbox.get().servers[0];
    await expect(connect(server && { ...server, password: 'wrong' })).rejects.toThrow(
      'Authentication failed',
    );
  });

  it('splits a long reply into packets and, in Source style, mirrors the probe for its end', async () => {
    const server = new RconServer({
      id: 'source',
      host: '127.0.0.1',
      port: 0,
      password: 'pw',
      style: 'source',
    });
    const port = await server.listen();
    const packets = await talk(port, 'pw', 'big 10000', 7);
    await server.close();
    expect(packets).toEqual([
      [1, 0, 0],
      [1, 2, 0],
      [2, 0, 4096],
      [2, 0, 4096],
      [2, 0, 1808],
      [3, 0, 0],
      [3, 0, 4],
    ]);
  });

  it('can stay silent, or perform a command and lose the reply', async () => {
    const rcon = await connect();
    const impatient = await connect(sandbox.get().servers[0], 2_000);
    sandbox.get().control.addRconFault({ mode: 'hang' });
    await expect(impatient.send('say one')).rejects.toThrow('Timeout');
    sandbox.get().control.addRconFault({ mode: 'drop_after' });
    await expect(rcon.send('say two')).rejects.toThrow();
    const said = sandbox
      .get()
      .getState()
      .server_commands.map((each) => each.command);
    expect(said).not.toContain('say one');
    expect(said).toContain('say two');
  });
});
