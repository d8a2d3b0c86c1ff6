// Runs every check of the repository, stage by stage.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRequirements } from '@bailiff/core/testing';
import { endOnStopRequest, endProcessesNaming, run } from '../apps/supervisor/src/processes.mjs';
import { ROOT, StageError, turbo } from './prepare.mjs';
import { coverageOf, explainMissing, summaryOf } from './verify/coverage.ts';
import { readPlaywrightReport, readVitestReport, type TestResult } from './verify/test-results.ts';

interface StageResult {
  readonly passed: number;
  readonly failed: number;
  /** Printed if something failed. */
  readonly output: string;
  /** Printed in any case: the result of the stage. */
  readonly summary?: string;
}

interface Stage {
  readonly name: string;
  readonly run: (session: Session) => Promise<StageResult>;
  /** Stages that must have passed before, because otherwise this one would fail for the same reason. */
  readonly needs?: readonly string[];
  /** Stages that must have run before, even if they failed. */
  readonly follows?: readonly string[];
}

/** A run of the stages. */
interface Session {
  /** For temporary files. */
  readonly directory: string;
  /** Arguments for the test runner, whose output is then shown immediately. Undefined: everything is run. */
  readonly runnerArguments: readonly string[] | undefined;
  /** Results of the tests that ran so far. */
  readonly results: TestResult[];
}

const MINUTE_MS = 60_000;
const TESTS_TIMEOUT_MS = 9 * MINUTE_MS;

const STAGES: readonly Stage[] = [
  { name: 'generate', run: () => check(turbo(['generate'], MINUTE_MS)) },
  { name: 'lint', run: () => check(script('lint')) },
  { name: 'typecheck', run: () => check(script('typecheck', 4 * MINUTE_MS)), needs: ['generate'] },
  { name: 'layers', run: layers, needs: ['generate'] },
  { name: 'unused', run: () => check(script('unused')), needs: ['generate'] },
  { name: 'build', run: () => check(turbo(['build'], 5 * MINUTE_MS)), needs: ['generate'] },
  { name: 'unit and integration', run: unitTests, needs: ['generate'] },
  { name: 'end to end', run: endToEndTests, needs: ['build'] },
  { name: 'requirements', run: requirements, follows: ['unit and integration', 'end to end'] },
];

/** The stages of tests by the words of `npm run test:unit` and `npm run test:e2e`. */
const KINDS: Readonly<Record<string, string>> = { unit: 'unit and integration', e2e: 'end to end' };

/**
 * Runs the stages and prints when each begins and ends; the last line is exactly `N passed, N failed`, a stage without
 * tests counts as one.
 *
 * @param kind of tests; undefined runs every stage, otherwise only what these tests need
 * @param runnerArguments for the test runner
 * @returns the exit code
 */
export async function verify(kind?: string, runnerArguments: readonly string[] = []): Promise<number> {
  const stages = kind === undefined ? STAGES : stagesFor(kind);
  // Processes of the tests keep their files in here. If the run is interrupted, they are found by this path.
  const directory = await mkdtemp(join(tmpdir(), 'bailiff-run-'));
  // If we are root, PostgreSQL runs as another user, who needs access to this directory.
  await chmod(directory, 0o755);
  const cleanUp = async () => {
    await endProcessesNaming(directory);
    await rm(directory, { recursive: true, force: true });
  };
  endOnStopRequest(cleanUp);
  try {
    return await runStages(stages, {
      directory,
      runnerArguments: kind === undefined ? undefined : runnerArguments,
      results: [],
    });
  } finally {
    await cleanUp();
  }
}

/** The stage of one kind of tests after those it needs. @throws StageError for a word that names no kind */
function stagesFor(kind: string): Stage[] {
  const wanted = new Set([KINDS[kind]]);
  // A stage comes after those it needs, so one pass from the end finds all of them.
  const stages = STAGES.toReversed().filter(({ name, needs = [] }) => {
    if (!wanted.has(name)) return false;
    for (const need of needs) wanted.add(need);
    return true;
  });
  if (stages.length === 0) {
    throw new StageError(
      `There are no tests called "${kind}". Use npm test, npm run test:unit or npm run test:e2e.`,
    );
  }
  return stages.toReversed();
}

async function runStages(stages: readonly Stage[], session: Session): Promise<number> {
  const total = { passed: 0, failed: 0 };
  const passed = new Set<string>();
  const ran = new Set<string>();
  for (const { name, run: runStage, needs = [], follows = [] } of stages) {
    const missing = [...needs.filter((need) => !passed.has(need)), ...follows.filter((one) => !ran.has(one))];
    if (missing.length > 0) {
      print(`- ${name}: left out, because ${missing.join(' and ')} did not pass`);
      continue;
    }
    print(`… ${name}`);
    const startedAt = Date.now();
    const testsBefore = session.results.length;
    const result = await runStage(session);
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    if (result.failed > 0) print(`\n${result.output.trim()}\n`);
    print(
      `${result.failed === 0 ? '✓' : '✗'} ${name}  ${[`${seconds} s`, result.summary].filter(Boolean).join(', ')}`,
    );
    for (const test of session.results.slice(testsBefore)) {
      if (test.state === 'skipped') print(`  skipped: ${test.file}, ${test.name}`);
    }
    ran.add(name);
    if (result.failed === 0) passed.add(name);
    total.passed += result.passed;
    total.failed += result.failed;
  }
  print(`${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 && passed.size === stages.length ? 0 : 1;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

type Finished = Promise<{ code: number; output: string }>;

/** Runs a script of the root package.json, so that `npm run` of it does the same. */
function script(name: string, timeoutMs = MINUTE_MS): Finished {
  return run(process.execPath, ['--run', name], { cwd: ROOT, timeoutMs });
}

async function check(command: Finished): Promise<StageResult> {
  const { code, output } = await command;
  return code === 0 ? { passed: 1, failed: 0, output } : { passed: 0, failed: 1, output };
}

async function layers(): Promise<StageResult> {
  const finished = await script('layers');
  // Without a parser for TypeScript it checks almost nothing and reports success.
  if (finished.output.includes('missing-swc')) return { passed: 0, failed: 1, output: finished.output };
  return check(Promise.resolve(finished));
}

async function unitTests(session: Session): Promise<StageResult> {
  const report = join(session.directory, 'unit.json');
  const reporters = [
    `--reporter=${session.runnerArguments === undefined ? 'dot' : 'default'}`,
    '--reporter=json',
    `--outputFile.json=${report}`,
  ];
  const { code, output } = await runTests(session, 'vitest', ['run', ...reporters]);
  return judge(code, output, await readVitestReport(report, ROOT), session.results);
}

async function endToEndTests(session: Session): Promise<StageResult> {
  const report = join(session.directory, 'e2e.json');
  const reporters = `--reporter=${session.runnerArguments === undefined ? 'dot' : 'list'},json`;
  const args = ['test', '--config', 'e2e/playwright.config.ts', reporters];
  const { code, output } = await runTests(session, 'playwright', args, {
    PLAYWRIGHT_JSON_OUTPUT_FILE: report,
  });
  return judge(code, output, await readPlaywrightReport(report, ROOT), session.results);
}

/** Runs a test runner, with the arguments a person gave it and its output shown, if it is all that was asked for. */
function runTests(
  { directory, runnerArguments }: Session,
  runner: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Finished {
  return run(join(ROOT, 'node_modules', '.bin', runner), [...args, ...(runnerArguments ?? [])], {
    cwd: ROOT,
    env: { ...testEnvironment(directory), ...env },
    timeoutMs: TESTS_TIMEOUT_MS,
    output: runnerArguments === undefined ? 'keep' : 'show',
  });
}

/** @param results gets the results of the tests */
function judge(
  code: number,
  output: string,
  tests: readonly TestResult[],
  results: TestResult[],
): StageResult {
  results.push(...tests);
  const count = (state: TestResult['state']) => tests.filter((test) => test.state === state).length;
  // A file that does not load, or an error outside of a test, fails the run without failing a test.
  const failed = code === 0 ? count('failed') : Math.max(1, count('failed'));
  const summary = `${count('passed')} tests passed, ${count('skipped')} skipped`;
  return { passed: count('passed'), failed, output, summary };
}

async function requirements({ results }: Session): Promise<StageResult> {
  const coverage = coverageOf(readRequirements(), results);
  const isWhole = coverage.missing.length === 0;
  return {
    passed: isWhole ? 1 : 0,
    failed: isWhole ? 0 : 1,
    output: explainMissing(coverage, results).join('\n'),
    summary: summaryOf(coverage),
  };
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

/** The environment without variables of a developer's own instance. */
function testEnvironment(directory: string): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, TMPDIR: directory };
  for (const name of OF_AN_INSTANCE) delete env[name];
  return env;
}
