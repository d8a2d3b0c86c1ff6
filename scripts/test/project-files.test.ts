// The files by which people join the project, and the scripts of a release.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { verifies } from '@bailiff/core/testing';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { isLater, releaseChangelog, withVersion } from '../release/changelog.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8');
const undo: (() => void)[] = [];
afterAll(() => {
  for (const step of undo) step();
});

test('the workflow runs exactly what .ci/run runs', () => {
  verifies('project.files');
  const { jobs } = parse(read('.github', 'workflows', 'ci.yml'));
  const steps: { run?: string; uses?: string }[] = Object.values<{ steps: [] }>(jobs).flatMap(
    (job) => job.steps,
  );
  expect(steps.flatMap(({ run }) => run ?? [])).toEqual(['.ci/run']);
  expect(existsSync(join(ROOT, '.ci', 'run'))).toBe(true);
});

test('every other workflow builds what it uses, and none installs as our lock file does not allow', () => {
  verifies('project.files');
  const folder = join(ROOT, '.github', 'workflows');
  const commands = Object.fromEntries(
    readdirSync(folder).map((file) => {
      const { jobs } = parse(readFileSync(join(folder, file), 'utf8'));
      const steps = Object.values<{ steps: { run?: string }[] }>(jobs).flatMap((job) => job.steps);
      return [file, steps.flatMap(({ run }) => run ?? [])];
    }),
  );
  expect(commands).toEqual({
    'ci.yml': ['.ci/run'],
    'soak.yml': ['npm run build', expect.stringMatching(/^npm run soak -- --minutes /)],
    // It uses nothing but Node.
    'vulnerabilities.yml': ['node scripts/osv.ts'],
  });
});

test('templates ask for what helps and for no secret, and updates of packages come together', () => {
  verifies('project.files');
  const bug = parse(read('.github', 'ISSUE_TEMPLATE', 'bug.yml'));
  expect(bug.body.map(({ id }: { id?: string }) => id)).toEqual([undefined, 'happened', 'doctor', 'version']);
  expect(bug.body[0].attributes.value).toContain('SECURITY.md');
  for (const file of readdirSync(join(ROOT, '.github', 'ISSUE_TEMPLATE')))
    parse(read('.github', 'ISSUE_TEMPLATE', file));
  expect(read('.github', 'pull_request_template.md')).toContain('`npm test` passes');
  expect(JSON.parse(read('renovate.json'))).toMatchObject({
    extends: ['config:recommended', ':pinAllExceptPeerDependencies', 'helpers:pinGitHubActionDigests'],
  });
});

test('the licence is the choice of the owner, who has not made it', () => {
  verifies('project.files');
  expect(JSON.parse(read('package.json')).license).toBe('UNLICENSED');
  expect(readdirSync(ROOT).filter((name) => /^licen[cs]e/i.test(name))).toEqual([]);
  expect(read('LICENSING.md')).toContain('all rights are reserved');
});

function osv(url: string, lockFile: string) {
  return new Promise<{ status: number | null; stdout: string }>((resolve) => {
    // Not spawnSync: this process answers.
    import('node:child_process').then(({ execFile }) => {
      const child = execFile(
        process.execPath,
        [join(ROOT, 'scripts', 'osv.ts'), lockFile],
        { env: { ...process.env, OSV_URL: url } },
        (_error, stdout) => resolve({ status: child.exitCode, stdout }),
      );
    });
  });
}

test('known vulnerabilities are told, and fail the check in what production has; without a network nothing fails', async () => {
  verifies('project.osv');
  const lockFile = join(folder(), 'package-lock.json');
  const packages = {
    '': { name: 'bailiff', version: '0.1.0' },
    'apps/bot': { name: '@bailiff/bot', version: '0.1.0' },
    'node_modules/@bailiff/bot': { resolved: 'apps/bot', link: true },
    'node_modules/bad': { version: '1.0.0' },
    'node_modules/good': { version: '2.0.0' },
    'node_modules/good/node_modules/bad': { version: '1.0.0' },
    'node_modules/builder': { version: '3.0.0', dev: true },
  };
  writeFileSync(lockFile, JSON.stringify({ packages }));
  let isFixed = false;
  const asked: unknown[] = [];
  const server: Server = createServer(async (message, response) => {
    let text = '';
    for await (const chunk of message) text += chunk;
    const { queries } = JSON.parse(text);
    if (queries.length > 1_000) return void response.writeHead(400).end();
    asked.push(...queries);
    const results = queries.map(({ package: { name } }: { package: { name: string } }) =>
      name === 'builder' || (name === 'bad' && !isFixed) ? { vulns: [{ id: `GHSA-${name}` }] } : {},
    );
    response.end(JSON.stringify({ results }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;

  expect(await osv(url, lockFile)).toEqual({
    status: 1,
    stdout:
      'bad 1.0.0: GHSA-bad\nbuilder 3.0.0 (only builds or tests): GHSA-builder\n' +
      '3 packages, 2 with known vulnerabilities, 1 in production\n',
  });
  expect(asked).toContainEqual({ package: { name: 'good', ecosystem: 'npm' }, version: '2.0.0' });
  isFixed = true;
  expect((await osv(url, lockFile)).status).toBe(0);
  // OSV takes at most 1,000 questions at once.
  const many = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, n) => [`node_modules/other-${n}`, { version: '1.0.0' }]),
  );
  writeFileSync(lockFile, JSON.stringify({ packages: { ...many, ...packages } }));
  expect((await osv(url, lockFile)).stdout).toBe(
    'builder 3.0.0 (only builds or tests): GHSA-builder\n1003 packages, 1 with known vulnerabilities, 0 in production\n',
  );
  writeFileSync(lockFile, JSON.stringify({ packages }));
  await new Promise((done) => server.close(done));
  const away = await osv(url, lockFile);
  expect(away.status).toBe(0);
  expect(away.stdout).toMatch(/^OSV could not be reached \(.+\): nothing is known of 3 packages\.\n$/);
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'bailiff-project-'));
  undo.push(() => rmSync(path, { recursive: true }));
  return path;
}

test('a release takes what is unreleased, and is later than the one before', () => {
  verifies('project.release');
  const changelog = '# Changelog\n\n## Unreleased\n\n### Operators\n\n- News.\n\n## 0.1.0\n\nThe first.\n';
  expect(releaseChangelog(changelog, '0.2.0', '2026-11-23')).toEqual({
    notes: '### Operators\n\n- News.',
    changelog:
      '# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-11-23)\n\n### Operators\n\n- News.\n\n## 0.1.0\n\nThe first.\n',
  });
  expect(() => releaseChangelog('## Unreleased\n\n## 0.1.0\n', '0.2.0', '')).toThrow(
    'nothing under "Unreleased"',
  );
  expect(() => releaseChangelog(changelog, '0.1.0', '')).toThrow('has 0.1.0 already');
  expect([
    isLater('0.2.0', '0.1.9'),
    isLater('0.10.0', '0.9.0'),
    isLater('0.1.0', '0.1.0'),
    isLater('0.0.9', '0.1.0'),
  ]).toEqual([true, true, false, false]);
  const manifest =
    '{\n  "name": "@bailiff/bot",\n  "version": "0.1.0",\n  "dependencies": { "@bailiff/core": "0.1.0", "other": "0.1.0" }\n}\n';
  expect(withVersion(manifest, '0.1.0', '0.2.0')).toBe(
    '{\n  "name": "@bailiff/bot",\n  "version": "0.2.0",\n  "dependencies": { "@bailiff/core": "0.2.0", "other": "0.1.0" }\n}\n',
  );
});

/** A clone of the project as it is now, committed or not, with the packages that are installed here. */
function cloned(): { path: string; git: (...args: string[]) => string } {
  const path = folder();
  const git = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: path, encoding: 'utf8' });
    expect({ args, status, stderr: status === 0 ? '' : stderr }).toEqual({ args, status: 0, stderr: '' });
    return stdout;
  };
  const { stdout } = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  for (const file of stdout.split('\n').filter((name) => name !== '' && existsSync(join(ROOT, name)))) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    cpSync(join(ROOT, file), join(path, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(path, 'node_modules'));
  git('init', '--quiet', '--initial-branch', 'main');
  writeFileSync(join(path, '.git', 'info', 'exclude'), 'node_modules\n');
  git('config', 'user.name', 'A maintainer');
  git('config', 'user.email', 'maintainer@bailiff.example');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'All of it');
  return { path, git };
}

test('a release is only told until it is wanted, and then written, tagged and packed', () => {
  verifies('project.release');
  const { path, git } = cloned();
  const release = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/release.ts', ...args], {
      cwd: path,
      encoding: 'utf8',
    });
    return { status, told: `${stdout}${stderr}` };
  };
  expect(release('next')).toMatchObject({ status: 64 });
  expect(release('0.0.1', '--yes')).toMatchObject({ status: 1, told: expect.stringContaining('not later') });
  const before = git('rev-parse', 'HEAD');
  expect(release('99.0.0')).toMatchObject({
    status: 0,
    told: expect.stringContaining('Nothing was changed'),
  });
  expect([git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag')]).toEqual([before, '', '']);

  expect(release('99.0.0', '--yes')).toMatchObject({
    status: 0,
    told: expect.stringContaining('git push --follow-tags'),
  });
  expect(git('tag')).toBe('v99.0.0\n');
  expect(git('tag', '--list', '--format=%(contents)').trim()).toBe(
    readFileSync(join(path, 'dist/NOTES.md'), 'utf8').trim(),
  );
  expect(git('status', '--porcelain')).toBe('');
  const manifests = git('ls-files', '*package.json', 'package-lock.json').split('\n').filter(Boolean);
  const text = (file: string) => readFileSync(join(path, file), 'utf8');
  const { version } = JSON.parse(read('package.json'));
  for (const file of manifests)
    expect(text(file)).not.toMatch(new RegExp(`"@bailiff/[\\w-]+": "${version}"`));
  for (const file of ['package.json', 'package-lock.json', 'apps/bot/package.json'])
    expect(JSON.parse(text(file)).version).toBe('99.0.0');
  expect(text('deploy/kubernetes/kustomization.yaml')).toContain('newTag: 99.0.0\n');
  expect(text('CHANGELOG.md')).toMatch(/^## Unreleased\n\n## 99\.0\.0 \(\d{4}-\d\d-\d\d\)\n\n###/m);
  expect(JSON.parse(text('docs/openapi.released.json'))['x-release']).toBe('99.0.0');
  const made = readdirSync(join(path, 'dist')).sort();
  expect(made).toEqual([
    'NOTES.md',
    'SHA256SUMS',
    'bailiff-99.0.0.tar.gz',
    expect.stringMatching(/mcp-99\.0\.0\.tgz$/),
    'openapi.json',
  ]);
  expect(text('dist/SHA256SUMS').trim().split('\n')).toHaveLength(4);

  writeFileSync(join(path, 'README.md'), 'changed');
  expect(release('99.1.0', '--yes')).toMatchObject({
    status: 1,
    told: expect.stringContaining('not committed'),
  });

  // What fails after the commit is not told as if nothing had happened.
  writeFileSync(join(path, 'apps', 'mcp', 'build.ts'), "throw new Error('The disk is full.');\n");
  writeFileSync(
    join(path, 'CHANGELOG.md'),
    text('CHANGELOG.md').replace('## Unreleased\n', '## Unreleased\n\n- News.\n'),
  );
  git('commit', '--quiet', '--all', '--message', 'Break the build');
  const broken = git('rev-parse', 'HEAD').trim();
  const retry = `git tag -d v99.1.0 && git reset --hard ${broken}`;
  expect(release('99.1.0', '--yes')).toMatchObject({
    status: 1,
    told: expect.stringMatching(
      new RegExp(`^v99.1.0 is committed and tagged here, .*The disk is full.*^To try again: ${retry}$`, 'ms'),
    ),
  });
});
