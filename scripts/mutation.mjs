// npm run test:mutation [-- token budgets …]: breaks the policy in packages/core in every small way there is, one after the
// other, and counts how many of these breaks the test of the file notices. At least 90 % of each file's must be.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const CORE = resolve(import.meta.dirname, '..', 'packages', 'core');
const STRYKER = resolve(import.meta.dirname, '..', 'node_modules', '.bin', 'stryker');

/** The files of `packages/core/src` that decide something, each with a test of its name. */
const FILES = [
  'allowlist',
  'audit-reason',
  'budgets',
  'capabilities',
  'client-address',
  'command-policy',
  'cursor',
  'device',
  'digest',
  'errors',
  'escalation',
  'sentinel',
  'target-policy',
  'token',
];

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !FILES.includes(name));
if (unknown.length > 0) {
  process.stderr.write(
    `There are no mutation tests of ${unknown.join(', ')}. Name some of: ${FILES.join(', ')}.\n`,
  );
  process.exit(1);
}

const tooLow = (asked.length > 0 ? asked : FILES).filter((name) => {
  const { status } = spawnSync(STRYKER, ['run', '--mutate', `src/${name}.ts`], {
    cwd: CORE,
    env: { ...process.env, MUTATED: name },
    stdio: 'inherit',
  });
  return status !== 0;
});
process.stdout.write(
  tooLow.length === 0 ? 'Every file has 90 % or more.\n' : `Below 90 %: ${tooLow.join(', ')}.\n`,
);
process.exitCode = tooLow.length === 0 ? 0 : 1;
