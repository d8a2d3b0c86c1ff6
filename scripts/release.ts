// npm run release -- 0.2.0: says what a release would do. With --yes it does it: writes the changelog's section and the
// version, commits and tags that, and makes the artefacts in dist/. It pushes nothing.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isLater, releaseChangelog, withVersion } from './release/changelog.ts';

const ROOT = resolve(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
const USAGE = 'Usage: npm run release -- <version> [--yes]';
const EX_USAGE = 64;

const say = (line: string) => process.stdout.write(`${line}\n`);
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const run = (program: string, ...args: string[]) => runWith('', program, ...args);

function runWith(input: string, program: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: ROOT, encoding: 'utf8', input });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${error ?? stderr}`);
  return stdout;
}

/** The commit and its tag are made, and nothing of them is wrong: only their files are missing. */
class ArtefactsMissing extends Error {}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function release(version: string, isReal: boolean): void {
  const current: string = JSON.parse(read('package.json')).version;
  if (!isLater(version, current)) throw new Error(`${version} is not later than ${current}.`);
  if (run('git', 'status', '--porcelain') !== '')
    throw new Error('There are changes that are not committed.');
  if (run('git', 'tag', '--list', `v${version}`) !== '')
    throw new Error(`The tag v${version} is there already.`);
  const date = new Date().toISOString().slice(0, 10);
  const { changelog, notes } = releaseChangelog(read('CHANGELOG.md'), version, date);
  const named = ['*package.json', 'package-lock.json', 'deploy/kubernetes/kustomization.yaml'];
  const manifests = run('git', 'ls-files', ...named)
    .split('\n')
    .filter(Boolean);
  const step = (what: string, work: () => void) => {
    say(isReal ? what : `would: ${what}`);
    if (isReal) work();
  };
  step(`write CHANGELOG.md: ${version} (${date}), ${notes.split('\n').length} lines`, () =>
    writeFileSync(join(ROOT, 'CHANGELOG.md'), changelog),
  );
  step(`write the version ${version} into ${manifests.length} files`, () => {
    for (const path of manifests) writeFileSync(join(ROOT, path), withVersion(read(path), current, version));
  });
  step('write docs/openapi.released.json, which later releases must keep to (docs/versioning.md)', () => {
    run(process.execPath, 'scripts/openapi.ts', '--released');
  });
  step(`commit, and tag v${version}`, () => {
    run('git', 'commit', '--all', '--message', `Release ${version}`);
    // Not as an argument: Linux takes none of more than 128 KiB.
    runWith(notes, 'git', 'tag', '--annotate', `v${version}`, '--cleanup', 'verbatim', '--file', '-');
  });
  step('make dist/: the source, the MCP package, the OpenAPI document, the notes, and SHA256SUMS', () =>
    orSayHowToUndo(version, () => makeArtefacts(version, notes)),
  );
  say(isReal ? `Done. To publish it: git push --follow-tags` : 'Nothing was changed. With --yes it is done.');
}

/** @throws ArtefactsMissing, because a second try finds the tag and the version and refuses */
function orSayHowToUndo(version: string, make: () => void): void {
  const before = run('git', 'rev-parse', 'HEAD~1').trim();
  try {
    make();
  } catch (error) {
    throw new ArtefactsMissing(
      `v${version} is committed and tagged here, but dist/ is not made: ${reasonOf(error)}\n` +
        `To try again: git tag -d v${version} && git reset --hard ${before}`,
    );
  }
}

function makeArtefacts(version: string, notes: string): void {
  rmSync(DIST, { recursive: true, force: true });
  mkdirSync(DIST);
  run(
    'git',
    'archive',
    `--prefix=bailiff-${version}/`,
    '-o',
    join(DIST, `bailiff-${version}.tar.gz`),
    `v${version}`,
  );
  run(process.execPath, 'apps/mcp/build.ts');
  run('npm', 'pack', './apps/mcp/dist', '--pack-destination', DIST, '--silent');
  writeFileSync(join(DIST, 'openapi.json'), read('docs/openapi.json'));
  writeFileSync(join(DIST, 'NOTES.md'), `${notes}\n`);
  const sums = readdirSync(DIST).map((name) => {
    const sum = createHash('sha256')
      .update(readFileSync(join(DIST, name)))
      .digest('hex');
    return `${sum}  ${name}\n`;
  });
  writeFileSync(join(DIST, 'SHA256SUMS'), sums.join(''));
}

const { values, positionals } = parseArgs({
  options: { yes: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [version = '', ...rest] = positionals;
if (!/^\d+\.\d+\.\d+$/.test(version) || rest.length > 0) {
  process.stderr.write(`${USAGE}\n`);
  process.exitCode = EX_USAGE;
} else {
  try {
    release(version, values.yes);
  } catch (error) {
    const is = error instanceof ArtefactsMissing ? '' : 'Nothing was released: ';
    process.stderr.write(`${is}${reasonOf(error)}\n`);
    process.exitCode = 1;
  }
}
