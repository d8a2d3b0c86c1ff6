// Runs every check of the repository, stage by stage.
import { chmod, mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRequirements } from '@bailiff/core/testing';
import { removeWithServers } from '@bailiff/prisma/embedded';
import { endOnStopRequest, endProcessesNaming, run } from '../apps/supervisor/src/processes.mjs';
import { ROOT, StageError, turbo } from './prepare.mjs';
import { explainUnshown, readClaims } from './verify/claims.ts';
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
/** Both only end what hangs: a busy machine may take several times as long as a quiet one. */
const CHECK_TIMEOUT_MS = 4 * MINUTE_MS;
const TESTS_TIMEOUT_MS = 40 * MINUTE_MS;
/** The file system in memory that Linux has. */
const MEMORY = '/dev/shm';
/** About five times what the tests have at a time. */
const MEMORY_NEEDED_BYTES = 2 * 1024 ** 3;

/** The stages of a list run side by side, one list after the other. */
const STAGES: readonly (readonly Stage[])[] = [
  [{ name: 'generate', run: () => check(turbo(['generate'], MINUTE_MS)) }],
  [
    { name: 'lint', run: () => check(script('lint')) },
    { name: 'typecheck', run: () => check(script('typecheck')), needs: ['generate'] },
    { name: 'layers', run: layers, needs: ['generate'] },
    { name: 'unused', run: () => check(script('unused')), needs: ['generate'] },
    { name: 'build', run: () => check(turbo(['build'], 5 * MINUTE_MS)), needs: ['generate'] },
  ],
  [{ name: 'unit and integration', run: unitTests, needs: ['generate'] }],
  [{ name: 'end to end', run: endToEndTests, needs: ['build'] }],
  [{ name: 'requirements', run: requirements, follows: ['unit and integration', 'end to end'] }],
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
  const directory = await mkdtemp(join(await temporaryFiles(), 'bailiff-run-'));
  // If we are root, PostgreSQL runs as another user, who needs access to this directory.
  await chmod(directory, 0o755);
  const cleanUp = async () => {
    await endProcessesNaming(directory);
    await removeWithServers(directory);
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

/**
 * Where the files of the tests go: into memory if there is enough, because copying test databases is about a third of
 * what the tests cost on a disk.
 */
async function temporaryFiles(): Promise<string> {
  const space = await statfs(MEMORY).catch(() => null);
  return space !== null && space.bavail * space.bsize > MEMORY_NEEDED_BYTES ? MEMORY : tmpdir();
}

/** The stage of one kind of tests after those it needs. @throws StageError for a word that names no kind */
function stagesFor(kind: string): Stage[][] {
  const wanted = new Set([KINDS[kind]]);
  // A stage comes after those it needs, so one pass from the end finds all of them.
  const stages = STAGES.toReversed().map((sideBySide) =>
    sideBySide.filter(({ name, needs = [] }) => {
      if (!wanted.has(name)) return false;
      for (const need of needs) wanted.add(need);
      return true;
    }),
  );
  if (stages.flat().length === 0) {
    throw new StageError(
      `There are no tests called "${kind}". Use npm test, npm run test:unit or npm run test:e2e.`,
    );
  }
  return stages.toReversed();
}

/** What the stages of a run came to. */
interface Outcome {
  /** Names of the stages that ran, and whether they passed. */
  readonly stages: Map<string, boolean>;
  passed: number;
  failed: number;
}

async function runStages(stages: readonly (readonly Stage[])[], session: Session): Promise<number> {
  const outcome: Outcome = { stages: new Map(), passed: 0, failed: 0 };
  for (const sideBySide of stages) {
    await Promise.all(sideBySide.map((stage) => runStage(stage, session, outcome)));
  }
  print(`${outcome.passed} passed, ${outcome.failed} failed`);
  const passed = [...outcome.stages.values()].filter(Boolean);
  return outcome.failed === 0 && passed.length === stages.flat().length ? 0 : 1;
}

/** Runs a stage and adds its result to `outcome`, or says why it is left out. */
async function runStage(
  { name, run: runIt, needs = [], follows = [] }: Stage,
  session: Session,
  outcome: Outcome,
): Promise<void> {
  const missing = [
    ...needs.filter((need) => outcome.stages.get(need) !== true),
    ...follows.filter((one) => !outcome.stages.has(one)),
  ];
  if (missing.length > 0) {
    print(`- ${name}: left out, because ${missing.join(' and ')} did not pass`);
    return;
  }
  print(`… ${name}`);
  const startedAt = Date.now();
  const testsBefore = session.results.length;
  const result = await runIt(session);
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  if (result.failed > 0) print(`\n${result.output.trim()}\n`);
  print(
    `${result.failed === 0 ? '✓' : '✗'} ${name}  ${[`${seconds} s`, result.summary].filter(Boolean).join(', ')}`,
  );
  for (const test of session.results.slice(testsBefore)) {
    if (test.state === 'skipped') print(`  skipped: ${test.file}, ${test.name}`);
  }
  outcome.stages.set(name, result.failed === 0);
  outcome.passed += result.passed;
  outcome.failed += result.failed;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

type Finished = Promise<{ code: number; output: string }>;

/** Runs a script of the root package.json, so that `npm run` of it does the same. */
function script(name: string): Finished {
  return run(process.execPath, ['--run', name], { cwd: ROOT, timeoutMs: CHECK_TIMEOUT_MS });
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
  const reporters = `--reporter=${session.runnerArguments === undefined ? 'dot' : 'list'},json,e2e/src/failed-pages.ts`;
  const args = ['test', '--config', 'e2e/playwright.config.ts', reporters];
  // Who names a file wants that one, without the project that follows its own.
  if ((session.runnerArguments ?? []).length > 0) args.push('--no-deps');
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

/** The result of a stage of tests. @param results gets the results of the tests */
export function judge(
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
  const problems = [...explainMissing(coverage, results), ...explainUnshown(readClaims(ROOT), results)];
  return {
    passed: problems.length === 0 ? 1 : 0,
    failed: problems.length === 0 ? 0 : 1,
    output: problems.join('\n'),
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
  'DASHBOARD_URL',
  'PORT',
  'HOST',
];

/** The environment without variables of a developer's own instance. */
function testEnvironment(directory: string): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    TMPDIR: directory,
    // Tests start hundreds of processes, and compiling is half of what a start costs.
    NODE_COMPILE_CACHE: join(directory, 'compile-cache'),
  };
  for (const name of OF_AN_INSTANCE) delete env[name];
  return env;
}
