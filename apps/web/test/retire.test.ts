import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer as createNetServer } from 'node:net';
import { inTime, untilClosed, verifies } from '@bailiff/core/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { OpenConnections } from '#src/retire.ts';

test('a server that is replaced answers on the connections it has, says that this was the last answer, and takes no new one', async () => {
  verifies('ops.rolling-restart');
  const asked = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    if (request.url === '/slow') {
      asked.resolve();
      await goOn.promise;
    }
    response.end('answered');
  });
  server.keepAliveTimeout = 65_000;
  const connections = new OpenConnections(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const agents = [
    new Agent({ keepAlive: true, maxSockets: 1 }),
    new Agent({ keepAlive: true, maxSockets: 1 }),
  ];
  const ask = async (path: string, agent = agents[0]) => {
    const [answer] = (await once(get({ port, path, agent: agent ?? false }), 'response')) as [
      IncomingMessage,
    ];
    const text = await answer.setEncoding('utf8').toArray();
    return [text.join(''), answer.headers.connection];
  };

  expect(await ask('/')).toEqual(['answered', 'keep-alive']);
  const slow = ask('/slow', agents[1]);
  await asked.promise;
  const retired = connections.retire();
  await untilClosed(port);
  const [refusal] = (await once(connect(port, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException];
  expect(refusal.code).toBe('ECONNREFUSED');
  expect(await ask('/')).toEqual(['answered', 'close']);
  goOn.resolve();
  expect(await slow).toEqual(['answered', 'close']);
  await retired;
  for (const agent of agents) agent.destroy();
});

test('a server that is replaced is not over before the last request is answered', async () => {
  verifies('ops.rolling-restart');
  const goOn = Promise.withResolvers<void>();
  const server = createServer(async (_request, response) => {
    await goOn.promise;
    response.end('answered');
  });
  const connections = new OpenConnections(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const asked = once(server, 'request');
  const answered = once(get({ port, agent: false }), 'response');
  await asked;
  let isOver = false;
  const retired = connections.retire().then(() => {
    isOver = true;
  });
  await untilClosed(port);
  expect(isOver).toBe(false);
  goOn.resolve();
  const [answer] = (await answered) as [IncomingMessage];
  expect((await answer.setEncoding('utf8').toArray()).join('')).toBe('answered');
  await retired;
});

test('a server that is replaced waits for a connection that a client may use at any moment, until that closes it', async () => {
  verifies('ops.rolling-restart');
  // One that nobody uses for five seconds is not waited for.
  const wasOver = await inTime(4, async () => {
    const server = createServer((_request, response) => response.end('answered'));
    server.keepAliveTimeout = 65_000;
    const connections = new OpenConnections(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const [answer] = (await once(get({ port, agent }), 'response')) as [IncomingMessage];
    await answer.setEncoding('utf8').toArray();
    let isOver = false;
    const retired = connections.retire().then(() => {
      isOver = true;
    });
    await untilClosed(port);
    const wasOver = isOver;
    agent.destroy();
    await retired;
    return wasOver;
  });
  expect(wasOver).toBe(false);
});

test('a server that is replaced does not wait for a connection on which nobody has asked for five seconds', async () => {
  verifies('ops.rolling-restart');
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const server = createServer((_request, response) => response.end('answered'));
  server.keepAliveTimeout = 0;
  const connections = new OpenConnections(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  let ended: Promise<unknown> = Promise.resolve();
  server.once('request', (_request, response) => {
    ended = once(response, 'close');
  });
  const [answer] = (await once(get({ port, agent }), 'response')) as [IncomingMessage];
  await answer.setEncoding('utf8').toArray();
  await ended;
  let isOver = false;
  const retired = connections.retire().then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(4_900);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(200);
  expect(isOver).toBe(true);
  await retired;
});

test('a server that stops answers what is asked on connections that another process has accepted, and nothing after it', async () => {
  verifies('ops.rolling-restart');
  const goOn = Promise.withResolvers<void>();
  const server = createServer(async (_request, response) => {
    await goOn.promise;
    response.end('answered');
  });
  const connections = new OpenConnections(server);
  const front = createNetServer((socket) => connections.take(socket));
  await once(front.listen(0, '127.0.0.1'), 'listening');
  const { port } = front.address() as AddressInfo;
  const asked = once(server, 'request');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const answered = once(get({ port, agent }), 'response');
  await asked;
  let isOver = false;
  const stopped = connections.answered().then(() => {
    isOver = true;
  });
  front.close();
  await untilClosed(port);
  expect(isOver).toBe(false);
  goOn.resolve();
  const [answer] = (await answered) as [IncomingMessage];
  expect((await answer.setEncoding('utf8').toArray()).join('')).toBe('answered');
  expect(answer.headers.connection).toBe('close');
  await stopped;
  agent.destroy();
});
