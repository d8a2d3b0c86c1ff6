import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { preflight } from '#src/preflight.ts';
import { StartError } from '#src/start-error.ts';

let directory: string;
let taken: Server;
let port: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bailiff-preflight-'));
  taken = createServer().listen({ host: '127.0.0.1', port: 0 });
  await once(taken, 'listening');
  const address = taken.address();
  port = String(typeof address === 'object' ? address?.port : undefined);
});

afterAll(async () => {
  taken.close();
  await rm(directory, { recursive: true });
});

async function refusalOf(env: NodeJS.ProcessEnv): Promise<Error> {
  const refusal: unknown = await preflight({ BAILIFF_DIR: directory, ...env }).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(refusal instanceof Error)) throw new Error('Nothing was refused.');
  return refusal;
}

const ofPort = (variable: string) =>
  `Port ${port} on 127.0.0.1 is taken by another program. Stop that one, or set ${variable} to another port.`;

test('ports that are taken are told together', async () => {
  verifies('ops.all-problems');
  const refusal = await refusalOf({ PORT: port, SANDBOX_PORT: port });
  expect(refusal).toBeInstanceOf(StartError);
  expect(refusal.message.split('\n')).toEqual([ofPort('PORT'), ofPort('SANDBOX_PORT')]);
});

test('a HOST that this machine does not have is told as such, and not as a port that is taken', async () => {
  verifies('ops.all-problems');
  const { message } = await refusalOf({ HOST: '192.0.2.1', PORT: '0', SANDBOX_PORT: '0' });
  expect(message).toBe('This machine has no address 192.0.2.1. Correct HOST.');
});

test('a HOST that is no host is told once, as a wrong variable', async () => {
  verifies('ops.all-problems');
  for (const HOST of ['0.0.0.0:3000', 'http://127.0.0.1', '[::1]']) {
    const refusal = await refusalOf({ HOST, PORT: '0', SANDBOX_PORT: '0' });
    expect(refusal).toBeInstanceOf(ConfigurationError);
    expect(refusal.message.split('\n').slice(1, -1)).toEqual([
      '  HOST must be the address or the name of this machine that it listens on, without a port, such as 127.0.0.1 or ::.',
    ]);
  }
});

test('a HOST whose name nobody knows is told as such', async () => {
  verifies('ops.all-problems');
  const { message } = await refusalOf({ HOST: 'absent.invalid', PORT: '0', SANDBOX_PORT: '0' });
  expect(message).toBe('This machine has no address absent.invalid. Correct HOST.');
});

test('a port that is taken is told beside wrong variables', async () => {
  verifies('ops.all-problems');
  const refusal = await refusalOf({ PORT: port, SANDBOX_PORT: 'x', DEFAULT_TIER: 'gold' });
  expect(refusal).toBeInstanceOf(ConfigurationError);
  expect(refusal.message.split('\n').slice(1, -1)).toEqual([
    '  SANDBOX_PORT must be a port from 1 to 65535, or 0 for a free one.',
    '  DEFAULT_TIER must be one of free, pro, operator.',
    `  ${ofPort('PORT')}`,
  ]);
});

test('and beside a folder that cannot be written to', async () => {
  verifies('ops.all-problems');
  const file = join(directory, 'a-file');
  await writeFile(file, '');
  const { message } = await refusalOf({ BAILIFF_DIR: join(file, 'below'), PORT: '0', SANDBOX_PORT: port });
  expect(message).toContain('BAILIFF_DIR must be a directory');
  expect(message).toContain(ofPort('SANDBOX_PORT'));
});

test('the process of a further shard needs no port of its own', async () => {
  verifies('ops.shards.announced');
  const env = { BAILIFF_DIR: directory, BOT_SHARDS: '1/2', PORT: port, SANDBOX_PORT: '0' };
  expect((await preflight(env)).ports.web).toBe(Number(port));
  expect((await preflight({ ...env, PORT: '0' })).ports.web).toBeGreaterThan(0);
  expect((await refusalOf({ ...env, BOT_SHARDS: '0/2' })).message).toBe(ofPort('PORT'));
});
