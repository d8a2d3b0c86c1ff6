// npm run test:mutation [-- token budgets …]: breaks the pure code of core and engine in every small way there is, one
// after the other, and counts how many of these breaks its tests notice. At least 90 % of each file's must be.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { pureFiles } from './mutation/files.mjs';

const LEAST_PERCENT = 90;
const ROOT = resolve(import.meta.dirname, '..');
const STRYKER = join(ROOT, 'node_modules', '.bin', 'stryker');
const CONFIG = join(ROOT, 'scripts', 'mutation', 'stryker.config.mjs');

const all = await pureFiles();
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !all.some(({ file }) => isNamed(name, file)));
if (unknown.length > 0) {
  const names = all.map(({ file }) => nameOf(file)).join(', ');
  process.stderr.write(`There are no mutation tests of ${unknown.join(', ')}. Name some of: ${names}.\n`);
  process.exit(1);
}
const chosen = all.filter(({ file }) => asked.length === 0 || asked.some((name) => isNamed(name, file)));

// Files with the same tests share a run.
const runs = Map.groupBy(chosen, ({ package: name, tests }) => `${name} ${tests.join()}`);
const reports = mkdtempSync(join(tmpdir(), 'mutation-'));
const scores = [...runs.values()].flatMap(scoresOf);
rmSync(reports, { recursive: true });

const tooLow = scores.filter(({ percent }) => percent < LEAST_PERCENT);
process.stdout.write('\n| File | Noticed | Breaks |\n|---|---|---|\n');
for (const { name, percent, count } of scores) {
  process.stdout.write(`| \`${name}\` | ${percent.toFixed(1)} % | ${count} |\n`);
}
process.stdout.write(
  tooLow.length === 0
    ? `Every file has ${LEAST_PERCENT} % or more.\n`
    : `Below ${LEAST_PERCENT} %: ${tooLow.map(({ name }) => name).join(', ')}.\n`,
);
process.exit(tooLow.length === 0 ? 0 : 1);

/**
 * @param {string} asked `token`, or `database/coalesce`
 * @param {string} file
 */
function isNamed(asked, file) {
  return nameOf(file) === asked || basename(file, '.ts') === asked;
}

/** @param {string} file */
function nameOf(file) {
  return file.replace(/^src\//, '').replace(/\.ts$/, '');
}

/**
 * The score of each of these files that has something to break. Ends the process if the tests could not be run.
 *
 * @param {import('./mutation/files.mjs').Measured[]} files with the same tests
 */
function scoresOf(files) {
  const [first] = files;
  if (first === undefined) return [];
  const { package: name, tests, isTable } = first;
  const report = join(reports, 'report.json');
  const { status } = spawnSync(STRYKER, ['run', CONFIG], {
    cwd: join(ROOT, 'packages', name),
    env: {
      ...process.env,
      MUTATED: files.map(({ file }) => file).join(','),
      TESTS: tests.join(),
      TABLES: isTable ? 'yes' : 'no',
      REPORT: report,
    },
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(1);
  /** @type {{ files: Record<string, { mutants: { status: string }[] }> }} */
  const { files: reported } = JSON.parse(readFileSync(report, 'utf8'));
  return Object.entries(reported).flatMap(([file, { mutants }]) => {
    const count = (/** @type {string[]} */ ...states) =>
      mutants.filter(({ status }) => states.includes(status)).length;
    const noticed = count('Killed', 'Timeout');
    const breaks = noticed + count('Survived', 'NoCoverage');
    const percent = (100 * noticed) / breaks;
    return breaks === 0 ? [] : [{ name: `${name}/${file}`, percent, count: breaks }];
  });
}
