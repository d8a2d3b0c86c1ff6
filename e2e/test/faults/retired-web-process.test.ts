import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { seedSession } from '@bailiff/engine/testing';
import { expect, test, verifies } from '#src/testing.ts';
import { keepMirrorFresh, type OwnDatabase, startDatabase } from './database.ts';
import { startWebProcess, type WebProcess } from './web-process.ts';

let own: OwnDatabase;
let web: WebProcess;

test.beforeAll(async () => {
  own = await startDatabase({ durable: false });
  web = await startWebProcess(own.url);
});

test.afterAll(async () => {
  await web?.kill('SIGKILL');
  await own?.drop();
});

test('a web process that is replaced lets open pages go to the next one, and ends once nobody uses it', async () => {
  verifies('ops.rolling-restart');
  await keepMirrorFresh(own);
  const secret = randomBytes(32).toString('base64url');
  await seedSession(own.db, own.guild.ownerId, secret);
  const { body, status } = await fetch(`${web.url}/api/guilds/${own.guild.id}/events?age=0`, {
    headers: { Cookie: `bailiff.session=${secret}` },
    // Without that it would end with the process, which answers what is left for 70 s.
    signal: AbortSignal.timeout(45_000),
  });
  expect(status).toBe(200);
  const ended = once(web.child, 'exit');
  web.child.send({ type: 'retire' });
  let events = '';
  for await (const part of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()))
    events += part;
  expect(events).toContain('event: build');
  expect(await ended).toEqual([0, null]);
});
