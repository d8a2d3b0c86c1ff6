import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';

const path = fileURLToPath(new URL('../src/log.ts', import.meta.url));

test.runIf(process.platform === 'linux')('a full disk behind the log costs its lines alone', async () => {
  verifies('ops.full-disk');
  const source = `
    import { createLog } from ${JSON.stringify(path)};
    const log = createLog('info');
    for (let n = 0; n < 400; n += 1) log.info('lost '.repeat(1000));
    log.flush();
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

test('no line has a secret of the process or a token, wherever it comes from', async () => {
  verifies('G18');
  const token = `svcpat_${'7'.repeat(48)}`;
  const config = {
    ...{ logLevel: 'info', discordClientSecret: 'the-client-secret', nextAuthSecret: 'the-key-of-sessions' },
    databaseUrl: 'postgresql://bailiff_web:the-password@db1,db2/bailiff',
    tracing: { headers: { authorization: 'the-key-of-traces' } },
  };
  const source = `
    import { logOf } from ${JSON.stringify(path)};
    const config = ${JSON.stringify(config)};
    const log = logOf(config);
    log.info({ path: '/api/public/v1/me/${token}' }, 'public api');
    log.error({ err: new Error(Object.values(config).join() + config.tracing.headers.authorization) }, 'failed');
    log.flush();`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let written = '';
  child.stdout.on('data', (chunk) => (written += String(chunk)));
  expect(await once(child, 'close')).toEqual([0, null]);
  const lines = written
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([{ path: '/api/public/v1/me/[secret]' }, { msg: 'failed' }]);
  expect(written).not.toMatch(/svcpat_7|the-(client-secret|key-of-sessions|password|key-of-traces)/);
});
