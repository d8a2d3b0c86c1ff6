import { expect, test } from 'vitest';
import { z } from 'zod';
import { ConfigurationError, parseEnvironment } from '#src/index.ts';

const Environment = z.object({
  PORT: z.coerce.number('must be a number').default(3000),
  PUBLIC_URL: z.url('must be a URL'),
});

function problemsOf(env: Readonly<Record<string, string | undefined>>): unknown {
  try {
    return parseEnvironment(Environment, env);
  } catch (error) {
    return error;
  }
}

test('an empty variable counts as not set', () => {
  expect(parseEnvironment(Environment, { PORT: '', PUBLIC_URL: 'http://a.example' })).toEqual({
    PORT: 3000,
    PUBLIC_URL: 'http://a.example',
  });
});

test('every problem is named at once, each with its variable and what to do', () => {
  const error = problemsOf({ PORT: 'x', PUBLIC_URL: '' });
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(String(error)).toBe(
    [
      'ConfigurationError: Bailiff cannot start with this configuration:',
      '  PORT must be a number.',
      '  PUBLIC_URL is not set: set it in the environment or in .env.',
      '.env.example explains every variable.',
    ].join('\n'),
  );
  expect(error).toMatchObject({
    problems: [
      { variable: 'PORT', message: 'PORT must be a number.' },
      {
        variable: 'PUBLIC_URL',
        message: 'PUBLIC_URL is not set: set it in the environment or in .env.',
      },
    ],
  });
  expect(String(problemsOf({ PUBLIC_URL: 'nowhere' }))).toContain('  PUBLIC_URL must be a URL.\n');
});
