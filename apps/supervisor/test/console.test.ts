import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';

const path = fileURLToPath(new URL('../src/console.ts', import.meta.url));

test.runIf(process.platform === 'linux')('a full disk behind the console costs its lines alone', async () => {
  verifies('ops.full-disk');
  const source = `
    import { complain, say } from ${JSON.stringify(path)};
    say('lost');
    complain('lost');
    setImmediate(() => say('lost too'));
    // It went on to its own end.
    process.on('exit', (code) => process.exit(code === 0 ? 7 : code));`;
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', full, full],
  });
  closeSync(full);
  expect(await once(child, 'exit')).toEqual([7, null]);
});
