// What the guide for operators shows of a `.env` is a configuration that Bailiff takes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
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

test.each(SAMPLES)('%s', (sample) => {
  verifies('ops.documents-run');
  const given = parseEnv(sample);
  expect(Object.keys(given).length).toBe(sample.trim().split('\n').length);
  expect(() => readConfiguration({ ...REST, ...given })).not.toThrow();
  const explained = readFileSync(join(ROOT, '.env.example'), 'utf8');
  for (const name of Object.keys(given)) expect(explained).toContain(`\n${name}=`);
});

test('there are such samples', () => {
  expect(SAMPLES.length).toBeGreaterThan(1);
});
