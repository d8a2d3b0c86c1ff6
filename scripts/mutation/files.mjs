import { existsSync, globSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** @typedef {{ package: 'core' | 'engine', file: string, tests: readonly string[], isTable: boolean }} Measured */

const PACKAGES = resolve(import.meta.dirname, '..', '..', 'packages');
const CORE = pathToFileURL(join(PACKAGES, 'core', 'src')).href;
const ENGINE = pathToFileURL(join(PACKAGES, 'engine', 'src')).href;

/**
 * Every file that decides something without I/O: `packages/core/src` without the helpers of tests, and the pure files of
 * `packages/engine/src`. Those name the database not even in a type, and what they load is pure as well.
 *
 * @returns {Promise<Measured[]>}
 */
export async function pureFiles() {
  const core = filesOf('core').filter((file) => !basename(file).startsWith('testing'));
  const isPure = await pureInEngine();
  return [
    ...core.map((file) => measured('core', file)),
    ...filesOf('engine')
      .filter(isPure)
      .map((file) => measured('engine', file)),
  ];
}

/** A table, although it has a test of its name. */
const SHAPES = 'src/operations/shapes.ts';

/**
 * The tests of files that are parts of another one.
 *
 * @type {Readonly<Record<string, string>>}
 */
const TEST_OF_WHOLE = {
  'src/imports/archived-rows.ts': 'imports/import-row',
  'src/imports/row-fields.ts': 'imports/import-row',
  'src/notice-settings.ts': 'notice-words',
  'src/typed-codes.ts': 'device',
};

/**
 * The tests of core's tables, by the first part of the path that fits.
 *
 * @type {readonly (readonly [string, readonly string[]])[]}
 */
const TESTS_OF = [
  ['src/addresses.ts', ['allowlist', 'client-address']],
  ['src/oauth.ts', ['openapi']],
  ['src/openapi/', ['openapi']],
  ['src/operations/areas.ts', ['openapi']],
  [SHAPES, ['shapes']],
  ['src/operations/phrases.ts', ['issues']],
  ['src/', ['operations', 'sentences', 'examples']],
];

/**
 * A file is measured by the test of its name. The others are mostly tables of core. What a table holds is data, which
 * the compiler and `docs/openapi.json` check, so only its functions are broken.
 *
 * @param {'core' | 'engine'} name
 * @param {string} file
 * @returns {Measured}
 * @throws Error if a pure file of the engine has no test of its name: the other tests need a database
 */
function measured(name, file) {
  const own = file === SHAPES ? undefined : testOf(name, file);
  if (own !== undefined) return { package: name, file, tests: [own], isTable: false };
  if (name === 'engine') throw new Error(`${file} does no I/O, and there is no test of its name.`);
  const [, others = []] = TESTS_OF.find(([path]) => file.startsWith(path)) ?? [];
  return { package: name, file, tests: others, isTable: true };
}

/**
 * The test of a file, at the same path below `test` or directly in it. Of two files of one name, such as `channels.ts`
 * and `operations/channels.ts`, the latter is that of the one directly in `src`.
 *
 * @param {'core' | 'engine'} name
 * @param {string} file
 * @returns {string | undefined} `token`, or `imports/csv`
 */
function testOf(name, file) {
  const exists = (/** @type {string} */ path) => existsSync(join(PACKAGES, name, path));
  const path = file.replace(/^src\//, '').replace(/\.ts$/, '');
  const own = basename(path);
  const isOfAnother = path !== own && exists(`src/${own}.ts`);
  const tests = [path, ...(isOfAnother ? [] : [own]), TEST_OF_WHOLE[file]];
  return tests.find((test) => test !== undefined && exists(`test/${test}.test.ts`));
}

/** @param {'core' | 'engine'} name */
function filesOf(name) {
  return globSync('src/**/*.ts', { cwd: join(PACKAGES, name) }).sort();
}

/** Loads the engine, and sees what each file loads. Types are gone by then, so the text says which ones a file names. */
async function pureInEngine() {
  /** @type {Map<string, Set<string>>} */
  const loads = new Map();
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const from = context.parentURL ?? '';
      loads.set(from, (loads.get(from) ?? new Set()).add(resolved.url));
      return resolved;
    },
  });
  const urlOf = (/** @type {string} */ file) => pathToFileURL(join(PACKAGES, 'engine', file)).href;
  for (const file of filesOf('engine')) await import(urlOf(file));
  hooks.deregister();

  /** @type {(url: string) => boolean} */
  const loadsPurely = (url) =>
    [...(loads.get(url) ?? [])].every((loaded) =>
      loaded.startsWith(ENGINE) ? loadsPurely(loaded) : doesNoIo(loaded),
    );
  return (/** @type {string} */ file) => {
    const text = readFileSync(join(PACKAGES, 'engine', file), 'utf8');
    return !text.includes("'@bailiff/prisma") && !text.includes("'pg'") && loadsPurely(urlOf(file));
  };
}

/** @param {string} url of a module outside of the engine */
function doesNoIo(url) {
  return url.startsWith(CORE) || url === 'node:crypto' || url.includes('/node_modules/zod/');
}
