import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { toWebRequest } from '#src/http/web-request.ts';

const MEGABYTE = 1024 * 1024;

test('a body comes no faster than it is read, however much its client sends', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  client.on('error', () => {});
  const size = 32 * MEGABYTE;
  client.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`);
  client.write(Buffer.alloc(size));
  const [message] = (await once(server, 'request')) as [IncomingMessage];
  const reader = toWebRequest(message, 'http://x').body?.getReader();
  for (let parts = 0; parts < 3; parts += 1) {
    expect((await reader?.read())?.done).toBe(false);
    await expect.poll(() => message.isPaused()).toBe(true);
  }
  expect(message.socket.bytesRead).toBeLessThan(4 * MEGABYTE);
});
