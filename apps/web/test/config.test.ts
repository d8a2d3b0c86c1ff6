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
