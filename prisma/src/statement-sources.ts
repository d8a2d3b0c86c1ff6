import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The TypeScript files of a folder and those within it, with their whole paths. */
export function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => join(folder, path));
}

/** Files of a folder that run SQL of their own instead of a declared statement: no test would check it. */
export function plainQueries(folder: string): string[] {
  return sourcesIn(folder)
    .filter((path) => /\.query\b\s*[<(]/.test(readFileSync(path, 'utf8')))
    .map((path) => relative(folder, path))
    .sort();
}

/** Files of a folder that declare statements: a test imports them, and then checks what is declared. */
export function declaringSources(folder: string): string[] {
  return sourcesIn(folder).filter((path) => readFileSync(path, 'utf8').includes('sql.'));
}
