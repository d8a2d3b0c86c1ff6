// The conventions of the repository that a newcomer expects.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { verifies } from '@bailiff/core/testing';
import { describe, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const { scripts: SCRIPTS } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
const DOCUMENTS = globSync(
  ['*.md', '{apps,packages}/*/README.md', 'docs/**/*.md', '.env.example', '.ci/run'],
  { cwd: ROOT },
);

/** `start` of `npm start`, and `test:unit` of `npm run test:unit`; not what is run in another workspace. */
function namedScripts(text: string): string[] {
  const ours = /\bnpm (?:run (?:--silent )?([\w:-]+)(?! --workspace)(?![\w:-])|(start|test)\b)/g;
  return [...text.matchAll(ours)].map(([, name, short]) => name ?? short ?? '');
}

describe('the root scripts', () => {
  test('are those that the field expects, and ours', () => {
    const expected = [
      'dev',
      'start',
      'build',
      'typecheck',
      'lint',
      'format',
      'check',
      'migration',
      'demo',
      'bench',
    ];
    expect(Object.keys(SCRIPTS)).toEqual(
      expect.arrayContaining([...expected, 'test', 'test:unit', 'test:e2e', 'layers', 'unused']),
    );
  });

  test('are all in the table of CONTRIBUTING.md or the guide for operators', () => {
    const told = new Set(namedScripts(`${read('CONTRIBUTING.md')}\n${read('docs/operations.md')}`));
    expect(Object.keys(SCRIPTS).filter((name) => !told.has(name))).toEqual([]);
  });

  test.each(DOCUMENTS)('that %s names exist', (path) => {
    expect(namedScripts(read(path)).filter((name) => SCRIPTS[name] === undefined)).toEqual([]);
  });

  test('that another one runs exist', () => {
    const named = Object.values(SCRIPTS).flatMap(namedScripts);
    expect(named).not.toEqual([]);
    expect(named.filter((name) => SCRIPTS[name] === undefined)).toEqual([]);
  });
});

test('every TypeScript file is of a program whose types are checked', () => {
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
  const checked = [...(SCRIPTS.typecheck ?? '').matchAll(/tsc -p (\S+)/g)].flatMap(([, project]) =>
    execFileSync(tsc, ['-p', project ?? '', '--listFilesOnly'], { cwd: ROOT, encoding: 'utf8' }).split('\n'),
  );
  const files = globSync('{apps,packages,prisma,e2e,bench,scripts}/**/*.{ts,tsx}', {
    cwd: ROOT,
    exclude: [
      '**/node_modules',
      '**/dist',
      '**/.next',
      '**/.stryker-tmp',
      '**/generated',
      'bench/empty-next',
    ],
  });
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((file) => !checked.includes(join(ROOT, file)))).toEqual([]);
});

test('no file of product code has more than 350 lines', () => {
  const other = ['node_modules', '.next', 'dist', 'test', 'generated', 'migrations'].map(
    (name) => `**/${name}`,
  );
  const files = globSync('{apps,packages,prisma,e2e,bench,scripts}/**/*.{ts,tsx,mjs,sql,css}', {
    cwd: ROOT,
    exclude: [...other, 'prisma/client', 'packages/client/src/operations.ts'],
  });
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((path) => read(path).split('\n').length > 351)).toEqual([]);
});

test('every page of a guild stays open when it cannot be brought up to date', () => {
  const pages = globSync('apps/web/app/guilds/**/{page,layout}.tsx', { cwd: ROOT });
  expect(pages.length).toBeGreaterThan(20);
  expect(pages.filter((path) => !read(path).includes('export default kept('))).toEqual([]);
});

test.each(DOCUMENTS)('%s has no line of more than 120 columns, tables apart', (path) => {
  const lines = read(path).split('\n');
  expect(lines.filter((line) => line.length > 120 && !line.startsWith('|'))).toEqual([]);
});

test.each(DOCUMENTS)('the files and folders that %s names exist', (path) => {
  const named = [...read(path).matchAll(/`((?:apps|packages|prisma|e2e|bench|scripts|docs)\/[^`\s<…]*)`/g)];
  const made = /\/(?:dist|results|generated)(?:\/|$)/;
  const missing = named
    .map(([, name = '']) => name)
    .filter((name) => !made.test(name) && !existsSync(join(ROOT, name)))
    .filter((name) => globSync(name, { cwd: ROOT }).length === 0);
  expect(missing).toEqual([]);
});

describe('docs/decisions', () => {
  const folder = join('docs', 'decisions');
  const titleOf = (path: string) => /^# (.+)\n/.exec(read(path))?.[1] ?? '';
  const pages = readdirSync(join(ROOT, folder)).filter((name) => name !== 'README.md');
  const titles = pages.map((name) => titleOf(join(folder, name)));

  /** What follows `decisions: ` in a file, whose comments may continue on the next line. */
  const citations = (text: string) =>
    [
      ...text
        .replaceAll(/\n[ \t]*(?:\*|\/\/|--|#)?[ \t]*/g, ' ')
        .matchAll(/\bdecisions: ([A-Z][^).;:"'`\]]*)/g),
    ].map(([, cited = '']) => cited.trim());
  const isKnown = (cited: string) => titles.some((title) => cited === title || cited.startsWith(`${title},`));

  test('its index lists every page by its title', () => {
    const listed = [...read(join(folder, 'README.md')).matchAll(/^\| \[(.+?)\]\((.+?)\) \| .+ \|$/gm)];
    expect(listed.map(([, title, name]) => `${name}: ${title}`).toSorted()).toEqual(
      pages.map((name) => `${name}: ${titleOf(join(folder, name))}`).toSorted(),
    );
  });

  test('has every decision that code, tests and documents cite', () => {
    verifies('ops.documented');
    const files = globSync(
      [
        '{apps,packages}/*/{src,app,components,test}/**/*.{ts,tsx}',
        '{e2e,bench,prisma}/{src,test,functions,views,triggers}/**/*.{ts,sql}',
        'scripts/**/*.{ts,mjs}',
        '{*.md,docs/**/*.md}',
      ],
      { cwd: ROOT },
    );
    const cited = files.flatMap((path) => citations(read(path)).map((name) => ({ path, name })));
    expect(cited.length).toBeGreaterThan(50);
    expect(cited.filter(({ name }) => !isKnown(name))).toEqual([]);
  });
});

test('every picture is linked by a page', () => {
  const pages = DOCUMENTS.map(read).join('\n');
  const pictures = readdirSync(join(ROOT, 'docs', 'pictures'));
  expect(pictures).not.toEqual([]);
  expect(pictures.filter((name) => !pages.includes(`pictures/${name})`))).toEqual([]);
});

test('the machine for checks runs npm test and nothing else', () => {
  expect(read('.ci/run').trim().split('\n').at(-1)).toBe('exec npm test');
});

test('each pure file has tests by which mutations are measured, and a name without any is told the others', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/mutation.mjs', 'nothing'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(stderr).toContain('There are no mutation tests of nothing. Name some of: ');
  expect(stderr).toContain('database/fair-lane');
  expect(status).toBe(1);
});
