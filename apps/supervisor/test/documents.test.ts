// What the guide for operators shows of a `.env` is a configuration that Bailiff takes.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { verifies } from '@bailiff/core/testing';
import { expect, onTestFinished, test } from 'vitest';
import { readConfiguration } from '#src/configuration.ts';
import { ROOT } from '#src/root.ts';

const PAGE = readFileSync(join(ROOT, 'docs', 'operations.md'), 'utf8');
const SAMPLES = [...PAGE.matchAll(/^```ini\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);

/** What the samples leave out, because each is about one thing. */
const REST = {
  DISCORD_TOKEN: 'some.bot.token',
  DISCORD_CLIENT_ID: '100000000000000000',
  DISCORD_CLIENT_SECRET: 'a secret',
  SECRETS_KEY: Buffer.alloc(32).toString('base64'),
  NEXTAUTH_SECRET: 'a secret that is long enough for a test',
};

/** Puts each secret that is to be in a file into one. */
function withFiles(given: NodeJS.Dict<string>): NodeJS.Dict<string> {
  const folder = mkdtempSync(join(tmpdir(), 'bailiff-secrets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const all = { ...given };
  for (const name of Object.keys(given).filter((each) => each.endsWith('_FILE'))) {
    const secret = name.slice(0, -'_FILE'.length);
    const path = join(folder, secret);
    writeFileSync(path, `${all[secret]}\n`);
    delete all[secret];
    all[name] = path;
  }
  return all;
}

test.each(SAMPLES)('%s', (sample) => {
  verifies('ops.documents-run');
  const given = parseEnv(sample);
  expect(Object.keys(given).length).toBe(sample.trim().split('\n').length);
  expect(() => readConfiguration(withFiles({ ...REST, ...given }))).not.toThrow();
  const explained = readFileSync(join(ROOT, '.env.example'), 'utf8');
  for (const name of Object.keys(given))
    expect(explained).toContain(name.endsWith('_FILE') ? ` ${name}=` : `\n${name}=`);
});

test('there are such samples', () => {
  expect(SAMPLES.length).toBeGreaterThan(1);
});
