import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endOnStopRequest, endProcessesNaming, run } from '../apps/supervisor/src/processes.mjs';
import { ROOT, turbo } from './prepare.mjs';

interface Counts {
  passed: number;
  failed: number;
}

interface StageResult extends Counts {
  /** Shown when something failed. */
  output: string;
  /** Shown in any case: what the stage found out. */
  summary?: string;
}

interface Stage {
  name: string;
  /** @param directory for its temporary files */
  run: (directory: string) => Promise<StageResult>;
  /** Without these it could only fail for the same reason again. */
  needs?: readonly string[];
}

const MINUTE_MS = 60_000;
const TESTS_TIMEOUT_MS = 9 * MINUTE_MS;

const STAGES: readonly Stage[] = [
  { name: 'generate', run: () => check(turbo(['generate'], MINUTE_MS)) },
  { name: 'lint', run: () => check(tool('biome', ['check', '--error-on-warnings', '.'])) },
  { name: 'types', run: types, needs: ['generate'] },
  { name: 'layers', run: layers, needs: ['generate'] },
  { name: 'unused', run: () => check(tool('knip', ['--no-progress'])), needs: ['generate'] },
  { name: 'build', run: () => check(turbo(['build'], 5 * MINUTE_MS)), needs: ['generate'] },
  { name: 'unit and integration', run: (directory) => tests('packages', directory), needs: ['generate'] },
  { name: 'end to end', run: (directory) => tests('e2e', directory), needs: ['build'] },
  { name: 'requirements', run: requirements },
];

/**
 * Runs every stage and prints one line for each; the last line is exactly `N passed, N failed`, a stage without tests of
 * its own counting as one.
 *
 * @returns the exit code
 */
export async function verify(): Promise<number> {
  // Whatever the tests start keeps its files in here, and is found by that should they be interrupted.
  const directory = await mkdtemp(join(tmpdir(), 'bailiff-run-'));
  // As root, PostgreSQL runs as another user, who has to get through.
  await chmod(directory, 0o755);
  const cleanUp = async () => {
    await endProcessesNaming(directory);
    await rm(directory, { recursive: true, force: true });
  };
  endOnStopRequest(cleanUp);
  try {
    return await runStages(directory);
  } finally {
    await cleanUp();
  }
}

async function runStages(directory: string): Promise<number> {
  const total: Counts = { passed: 0, failed: 0 };
  const failedStages = new Set<string>();
  for (const { name, run: runStage, needs = [] } of STAGES) {
    const missing = needs.filter((need) => failedStages.has(need));
    if (missing.length > 0) {
      print(`- ${name}: left out, because ${missing.join(' and ')} failed`);
      failedStages.add(name);
      continue;
    }
    const startedAt = Date.now();
    const { passed, failed, output, summary } = await runStage(directory);
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    if (failed > 0) print(`\n${output.trim()}\n`);
    print(`${failed === 0 ? '✓' : '✗'} ${name}  ${[`${seconds} s`, summary].filter(Boolean).join(', ')}`);
    if (failed > 0) failedStages.add(name);
    total.passed += passed;
    total.failed += failed;
  }
  print(`${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 && failedStages.size === 0 ? 0 : 1;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

type Finished = Promise<{ code: number; output: string }>;

function tool(name: string, args: string[], timeoutMs = MINUTE_MS, env = process.env): Finished {
  return run(join(ROOT, 'node_modules', '.bin', name), args, { cwd: ROOT, env, timeoutMs });
}

async function check(...commands: Finished[]): Promise<StageResult> {
  const results = await Promise.all(commands);
  const output = results
    .filter(({ code }) => code !== 0)
    .map((result) => result.output)
    .join('\n');
  return results.every(({ code }) => code === 0)
    ? { passed: 1, failed: 0, output }
    : { passed: 0, failed: 1, output };
}

async function types(): Promise<StageResult> {
  const packages = await turbo(['types', '--continue', '--concurrency=2'], 3 * MINUTE_MS);
  const scripts = await tool('tsc', ['-p', 'scripts']);
  return check(Promise.resolve(packages), Promise.resolve(scripts));
}

async function layers(): Promise<StageResult> {
  const folders = ['apps', 'packages', 'prisma', 'e2e', 'bench', 'scripts'];
  const finished = await tool('depcruise', [...folders, '--config', '.dependency-cruiser.json']);
  // Without a parser for TypeScript it looks at next to nothing, and finds nothing wrong.
  if (finished.output.includes('missing-swc')) return { passed: 0, failed: 1, output: finished.output };
  return check(Promise.resolve(finished));
}

/** @param project of vitest.config.ts */
async function tests(project: string, directory: string): Promise<StageResult> {
  const report = join(directory, `${project}.json`);
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
  const args = ['run', '--project', project, ...reporters];
  const { code, output } = await tool('vitest', args, TESTS_TIMEOUT_MS, testEnvironment(directory));
  const text = await readFile(report, 'utf8').catch(() => '{}');
  const { numPassedTests: passed = 0, numFailedTests = 0 } = JSON.parse(text) as Partial<
    Record<string, number>
  >;
  // A file that does not load, or an error outside of a test, fails the run without failing a test.
  const failed = code === 0 ? numFailedTests : Math.max(1, numFailedTests);
  return { passed, failed, output, summary: `${passed} tests passed` };
}

async function requirements(): Promise<StageResult> {
  const finished = await run(process.execPath, [join(ROOT, 'e2e', 'src', 'coverage.ts')], {
    cwd: ROOT,
    timeoutMs: MINUTE_MS,
  });
  const result = await check(Promise.resolve(finished));
  return { ...result, summary: finished.output.trim().split('\n').at(-1) ?? '' };
}

const OF_AN_INSTANCE = [
  'DATABASE_URL',
  'DISCORD_TOKEN',
  'DISCORD_CLIENT_ID',
  'DISCORD_CLIENT_SECRET',
  'DISCORD_API_URL',
  'PUBLIC_URL',
  'PORT',
  'HOST',
];

/** Nothing of a developer's own instance reaches the tests. */
function testEnvironment(directory: string): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, TMPDIR: directory };
  for (const name of OF_AN_INSTANCE) delete env[name];
  return env;
}
