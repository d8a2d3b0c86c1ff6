import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { verifies } from '@bailiff/core/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { DiscordFailure } from '#src/discord-api.ts';
import { createLog } from '#src/log.ts';
import { tellOfLost } from '#src/lost-events.ts';
import { logFailure } from '#src/performers/carry-out.ts';

const path = fileURLToPath(new URL('../src/log.ts', import.meta.url));

test('a line about a failed action names the action, the request and the guild, and no secret', () => {
  const lines: string[] = [];
  const log = createLog('info', ['s3cret'], (line) => lines.push(line));
  const action = { id: 'act_1', requestId: 'req_1', guildId: '1' } as Parameters<typeof logFailure>[1];
  logFailure(log, action, new DiscordFailure('refused', `No s3cret, ${'x'.repeat(5_000)}`), 'not performed');
  const [line = ''] = lines;
  expect(JSON.parse(line)).toMatchObject({ action_id: 'act_1', request_id: 'req_1', guild_id: '1' });
  expect(line).toContain('No [secret], xxx');
  expect(line).not.toContain('x'.repeat(4_001));
});

test('thousands of events that are lost at once are one line for each guild, with how many they were', () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const lines: object[] = [];
  const isLost = tellOfLost(
    createLog('warn', [], (line) => lines.push(JSON.parse(line))),
    'events are not kept',
  );
  const why = new Error('Too many wait');
  for (let event = 0; event < 3_000; event += 1) isLost('1', why);
  isLost('2', why);
  vi.runAllTimers();
  const line = { msg: 'events are not kept', err: expect.objectContaining({ message: 'Too many wait' }) };
  expect(lines).toEqual([
    expect.objectContaining({ ...line, guild_id: '1', events: 3_000 }),
    expect.objectContaining({ ...line, guild_id: '2', events: 1 }),
  ]);
  isLost('1', why);
  vi.runAllTimers();
  expect(lines).toHaveLength(3);
});

test.runIf(process.platform === 'linux')('a full disk behind the log costs its lines alone', async () => {
  verifies('ops.full-disk');
  const source = `
    import { createLog } from ${JSON.stringify(path)};
    const log = createLog('info', []);
    log.info('lost');
    setImmediate(() => log.info('lost too'));
    // It went on to its own end.
    process.on('exit', (code) => process.exit(code === 0 ? 7 : code));`;
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', full, full],
  });
  closeSync(full);
  expect(await once(child, 'exit')).toEqual([7, null]);
});

test('no line has a secret that the process was configured with, wherever it comes from', async () => {
  verifies('G18');
  const config = {
    ...{ logLevel: 'info', discordToken: 'the-token-of-the-bot' },
    databaseUrl: 'postgresql://bailiff_bot:the-password@db1,db2/bailiff',
    tracing: { headers: { authorization: 'the-key-of-traces' } },
  };
  const env = {
    ...{ SECRETS_KEY: 'the-key-now', SECRETS_KEY_PREVIOUS: 'the-key-before' },
    ...{ NEXTAUTH_SECRET: 'the-key-of-sessions', DISCORD_CLIENT_SECRET: 'the-client-secret' },
  };
  const source = `
    import { logOf } from ${JSON.stringify(path)};
    const log = logOf(${JSON.stringify(config)}, ${JSON.stringify(env)});
    log.error({ err: new Error(${JSON.stringify(JSON.stringify({ config, env }))}) }, 'failed');`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [written] = await Promise.all([text(child.stdout), once(child, 'close')]);
  expect(JSON.parse(written)).toMatchObject({ msg: 'failed' });
  expect(written.match(/\[secret\]/g)?.length).toBeGreaterThanOrEqual(7);
  expect(written).not.toMatch(/the-(token|password|key|client)/);
});
