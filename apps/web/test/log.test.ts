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
