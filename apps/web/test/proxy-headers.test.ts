// Who the client is, when what a proxy or the client itself wrote comes in several headers.
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { parseTrustedProxies } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import pino from 'pino';
import { expect, it } from 'vitest';
import { clientReader } from '#src/http/client-of.ts';

/** The address that the server takes for the client's, when a request has these lines. */
async function addressOf(trusted: string, lines: readonly string[]): Promise<string> {
  const parsed = parseTrustedProxies(trusted);
  if (!parsed.ok) throw new Error(trusted);
  const config = { trustedProxies: parsed.proxies };
  const clientOf = clientReader({ config, log: pino({ level: 'silent' }) });
  const server = createServer((request, response) => response.end(clientOf(request).address));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const socket = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1');
  socket.end(`${['GET / HTTP/1.0', 'Host: bailiff.example', ...lines].join('\r\n')}\r\n\r\n`);
  const answer = await text(socket);
  server.close();
  return answer.split('\r\n').at(-1) ?? '';
}

const header = (address: string) => `X-Forwarded-For: ${address}`;

it('three X-Forwarded-For headers are one list, whose right-most address of a stranger counts', async () => {
  verifies('ops.proxy.headers');
  const three = ['192.0.2.66', '203.0.113.7', '10.1.1.1'].map(header);
  expect(await addressOf('127.0.0.1, 10.0.0.0/8', three)).toBe('203.0.113.7');
  expect(await addressOf('127.0.0.1', three)).toBe('10.1.1.1');
  expect(await addressOf('127.0.0.1', three.toReversed())).toBe('192.0.2.66');
  expect(await addressOf('', three)).toBe('127.0.0.1');
  // Names are alike in any spelling, and a header may have several addresses.
  const mixed = [
    'X-Forwarded-For: 192.0.2.66, 203.0.113.7',
    'x-forwarded-for: 10.1.1.1',
    'X-FORWARDED-FOR: 10.2.2.2',
  ];
  expect(await addressOf('127.0.0.1, 10.0.0.0/8', mixed)).toBe('203.0.113.7');
});

it('X-Real-IP and Forwarded name nobody', async () => {
  verifies('ops.proxy.headers');
  const others = ['X-Real-IP: 192.0.2.66', 'Forwarded: for=192.0.2.66'];
  expect(await addressOf('127.0.0.1', others)).toBe('127.0.0.1');
  expect(await addressOf('127.0.0.1', [...others, header('203.0.113.7')])).toBe('203.0.113.7');
});
