// What a browser's script may import: `next build` fails on a module of Node's there, and takes minutes to say so.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const WEB = resolve(import.meta.dirname, '..');
/** Packages whose index needs Node. Their types cost nothing, and some of their files are safe. */
const OF_SERVERS = /^(@bailiff\/(core|prisma|engine(\/.*)?)|node:.*)$/;
const IMPORT = /^(?:import|export)\s+(?!type\b)([^'";]*?)\s*from\s*'([^']+)'/gm;

/** The modules of a file's imports, without those of which it takes types alone. */
function importsOf(path: string): string[] {
  return [...readFileSync(path, 'utf8').matchAll(IMPORT)].flatMap(([, names = '', from = '']) => {
    const listed = /^\{(.*)\}$/s.exec(names)?.[1]?.split(',') ?? [names];
    const isTypes = listed.every((name) => name.trim() === '' || /^\s*type\s/.test(name));
    return isTypes ? [] : [from];
  });
}

/** The file of this app that a module's name means, as a browser's script gets it; undefined for a package. */
function fileOf(from: string, importer: string): string | undefined {
  if (from === '#components/messages-here') return join(WEB, 'components/messages-in-browser.ts');
  const path = /^#(src|app|components)\//.test(from)
    ? join(WEB, from.slice(1))
    : from.startsWith('.')
      ? resolve(dirname(importer), from)
      : undefined;
  return path !== undefined && existsSync(path) ? path : undefined;
}

test('no script of a browser imports what needs Node', () => {
  const scripts = globSync('{app,components}/**/*.{ts,tsx}', { cwd: WEB })
    .map((path) => join(WEB, path))
    .filter((path) => /^'use client'/m.test(readFileSync(path, 'utf8')));
  expect(scripts.length).toBeGreaterThan(50);
  const seen = new Set(scripts);
  const wrong: string[] = [];
  for (const path of seen) {
    for (const from of importsOf(path)) {
      if (OF_SERVERS.test(from)) wrong.push(`${path.slice(WEB.length + 1)} imports ${from}`);
      const file = fileOf(from, path);
      if (file !== undefined) seen.add(file);
    }
  }
  expect(wrong).toEqual([]);
});
