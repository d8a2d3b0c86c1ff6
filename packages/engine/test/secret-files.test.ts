import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnvironment } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { takeSecretFiles, withSecretFiles } from '#src/secret-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'bailiff-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

test('secrets are read from their files, without the end of the line, and nothing else is', () => {
  verifies('ops.secret-files');
  const env = {
    DISCORD_TOKEN_FILE: file('token', 'the.bot.token\n'),
    SECRETS_KEY_FILE: file('key', ' a key = \r\n'),
    NEXTAUTH_SECRET: 'given',
    NEXTAUTH_SECRET_FILE: '',
    PORT_FILE: file('port', '3000'),
  };
  expect(takeSecretFiles(env)).toEqual([]);
  expect(env).toEqual({
    DISCORD_TOKEN: 'the.bot.token',
    SECRETS_KEY: ' a key = ',
    NEXTAUTH_SECRET: 'given',
    NEXTAUTH_SECRET_FILE: '',
    PORT_FILE: join(folder, 'port'),
  });
});

test('a secret that is set twice, and a file that is empty or cannot be read, are each told by name', () => {
  verifies('ops.secret-files');
  const env = {
    DATABASE_URL: 'postgresql://somewhere/bailiff',
    DATABASE_URL_FILE: file('url', 'postgresql://elsewhere/bailiff'),
    DISCORD_TOKEN_FILE: join(folder, 'absent'),
    SECRETS_KEY_FILE: file('empty', '\n'),
    NEXTAUTH_SECRET_FILE: folder,
  };
  const before = { ...env };
  expect(takeSecretFiles(env)).toEqual([
    { variable: 'DATABASE_URL', message: 'DATABASE_URL_FILE and DATABASE_URL are both set: remove one.' },
    {
      variable: 'DISCORD_TOKEN',
      message: `DISCORD_TOKEN_FILE names a file that cannot be read (${folder}/absent: ENOENT): let this user read it.`,
    },
    {
      variable: 'NEXTAUTH_SECRET',
      message: `NEXTAUTH_SECRET_FILE names a file that cannot be read (${folder}: EISDIR): let this user read it.`,
    },
    {
      variable: 'SECRETS_KEY',
      message: `SECRETS_KEY_FILE names an empty file (${folder}/empty): write the secret into it.`,
    },
  ]);
  expect(env).toEqual(before);
});

test('a process tells what is wrong with its files together with what is wrong with its variables', () => {
  verifies('ops.secret-files', 'ops.all-problems');
  const Environment = z.object({
    DISCORD_TOKEN: z.string(),
    SECRETS_KEY: z.string(),
    PORT: z.coerce.number('must be a number'),
  });
  const read = (env: NodeJS.ProcessEnv) =>
    withSecretFiles(env, (given) => parseEnvironment(Environment, given));
  expect(() => read({ DISCORD_TOKEN_FILE: join(folder, 'absent'), PORT: 'x' })).toThrow(
    [
      'Bailiff cannot start with this configuration:',
      `  DISCORD_TOKEN_FILE names a file that cannot be read (${folder}/absent: ENOENT): let this user read it.`,
      '  SECRETS_KEY is not set: set it in the environment or in .env.',
      '  PORT must be a number.',
      '.env.example explains every variable.',
    ].join('\n'),
  );
  const fine = { DISCORD_TOKEN_FILE: file('token', 'abc'), SECRETS_KEY: 'k', PORT: '1' };
  expect(read(fine)).toEqual({ DISCORD_TOKEN: 'abc', SECRETS_KEY: 'k', PORT: 1 });
  expect(() => read({ ...fine, DISCORD_TOKEN: 'abc', DISCORD_TOKEN_FILE: file('token', 'abc') })).toThrow(
    'DISCORD_TOKEN_FILE and DISCORD_TOKEN are both set: remove one.',
  );
});
