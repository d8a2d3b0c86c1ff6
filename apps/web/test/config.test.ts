import { ConfigurationError } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { expect, it } from 'vitest';
import { readConfig } from '#src/config.ts';
import { testConfig } from './support.ts';

const DATABASE_URL = 'postgresql://bailiff@127.0.0.1:5432/bailiff';

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems.map(({ message }) => message);
    throw error;
  }
}

it('says everything that is wrong in one message', () => {
  const problems = problemsOf({
    PORT: '70000',
    PUBLIC_URL: 'https://x.example/path',
    TRUSTED_PROXIES: '10.0.0.5/8',
  });
  for (const name of [
    'DATABASE_URL',
    'PORT',
    'PUBLIC_URL',
    'DISCORD_CLIENT_ID',
    'DISCORD_CLIENT_SECRET',
    'NEXTAUTH_SECRET',
    'TRUSTED_PROXIES',
  ]) {
    expect(problems.filter((problem) => problem.startsWith(`${name} `))).toHaveLength(1);
  }
});

it.each(['DISCORD_TOKEN', 'SECRETS_KEY', 'SECRETS_KEY_PREVIOUS'])(
  'refuses to hold %s, and does not repeat its value',
  (name) => {
    const problems = problemsOf({ [name]: 'very-secret' });
    expect(problems[0]).toMatch(new RegExp(`^${name} must not be set`));
    expect(problems.join()).not.toContain('very-secret');
  },
);

it('takes http://localhost:3000 where PUBLIC_URL is unset', () => {
  verifies('ops.public-url');
  expect(testConfig({ DATABASE_URL, PUBLIC_URL: '' }).publicUrl).toBe('http://localhost:3000');
});

it('takes as MCP_PACKAGE what npm gets from a registry, and nothing that a folder or a server of a stranger could hold', () => {
  verifies('mcp.package');
  const taken = (text: string) => testConfig({ DATABASE_URL, MCP_PACKAGE: text }).mcpPackage;
  expect(taken('')).toBeNull();
  for (const name of ['bailiff-mcp', '@example/bailiff-mcp', '@example/bailiff-mcp@1.2.3-rc.1', 'x@latest'])
    expect(taken(name)).toBe(name);
  for (const hostile of [
    '--yes',
    'a b',
    'a;id',
    'a$(id)',
    'a\nb',
    './folder',
    'owner/repository',
    'https://evil.example/a.js',
    'a@npm:evil',
    'a@file:x',
    'a@git+ssh://evil.example/a',
    'a@.',
    'a@..',
    'a@-x',
    'evil.tgz',
    'a@evil.tar.gz',
    'a@1.0.0-x.TAR',
  ])
    expect(() => taken(hostile), hostile).toThrow('MCP_PACKAGE must be the name of an npm package.');
});

it('takes no secret of sessions that somebody could guess, and names how to make one', () => {
  const withSecret = (length: number) =>
    testConfig({ DATABASE_URL, NEXTAUTH_SECRET: 'x'.repeat(length) }).nextAuthSecret;
  expect(() => withSecret(31)).toThrow(/NEXTAUTH_SECRET must have at least 32 characters; .*openssl rand/);
  expect(withSecret(32)).toHaveLength(32);
});

it('says which levels LOG_LEVEL can be', () => {
  expect(() => testConfig({ DATABASE_URL, LOG_LEVEL: 'loud' })).toThrow(
    'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent',
  );
});

it.each(['0', '61', '1.5', 'x'])('does not take REAUTH_WINDOW_MINUTES of %s', (minutes) => {
  verifies('window.configurable');
  expect(() => testConfig({ DATABASE_URL, REAUTH_WINDOW_MINUTES: minutes })).toThrow(/REAUTH_WINDOW_MINUTES/);
});

it('takes windows of 1 and 60 minutes, and 15 where nothing is said', () => {
  verifies('window.configurable');
  expect(testConfig({ DATABASE_URL, REAUTH_WINDOW_MINUTES: '60' }).reauthWindowMinutes).toBe(60);
  expect(testConfig({ DATABASE_URL, REAUTH_WINDOW_MINUTES: '1' }).reauthWindowMinutes).toBe(1);
  expect(testConfig({ DATABASE_URL }).reauthWindowMinutes).toBe(15);
});
