import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const HERE = join(import.meta.dirname, '..');

test('the README shows the examples as they are in the folder, where a test runs them', async () => {
  const readme = await readFile(join(HERE, 'README.md'), 'utf8');
  const shown = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);
  const files = ['list-strikes.ts', 'ban.ts', 'read-audit-log.ts', 'strike-many.ts'];
  const examples = files.map((file) => readFile(join(HERE, 'examples', file), 'utf8'));
  expect(shown).toEqual(await Promise.all(examples));
});
