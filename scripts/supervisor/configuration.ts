import { randomBytes } from 'node:crypto';
import { readConfig as readBotConfig } from '../../apps/bot/src/config.ts';
import { readConfig as readWebConfig } from '../../apps/web/src/config.ts';
import { ConfigurationError, type Settings } from './settings.ts';

/** Stand in for what the supervisor will provide, once it has started it. */
const PROVIDED = {
  database: {
    DATABASE_URL: 'postgresql://127.0.0.1/bailiff',
    NEXTAUTH_SECRET: randomBytes(32).toString('base64'),
    SECRETS_KEY: randomBytes(32).toString('base64'),
  },
  sandbox: {
    DISCORD_TOKEN: 'sandbox-bot-token',
    DISCORD_CLIENT_ID: '100000000000000000',
    DISCORD_CLIENT_SECRET: 'sandbox-client-secret',
  },
};

/**
 * Asks the bot and the web process what they make of the environment before anything is started, so that everything that
 * is wrong is told at once.
 *
 * @param env of the services, without empty variables
 * @throws ConfigurationError with a line for each variable that is wrong
 */
export function checkConfiguration(env: NodeJS.ProcessEnv, settings: Settings): void {
  const complete: NodeJS.ProcessEnv = {
    ...(settings.databaseUrl === undefined ? PROVIDED.database : {}),
    ...(settings.usesSandbox ? PROVIDED.sandbox : {}),
    ...env,
  };
  const { DISCORD_TOKEN: _token, SECRETS_KEY: _key, SECRETS_KEY_PREVIOUS: _previous, ...ofWeb } = complete;
  const problems = [...problemsOf(() => readBotConfig(complete)), ...problemsOf(() => readWebConfig(ofWeb))];
  // Some variables are read by both.
  const byVariable = new Map(problems.map((problem) => [problem.split(' ', 1)[0], problem]));
  if (byVariable.size === 0) return;
  throw new ConfigurationError(
    [
      'Bailiff cannot start with this configuration:',
      ...byVariable.values(),
      '.env.example explains every variable.',
    ].join('\n  '),
  );
}

/** The lines about variables in what a process says of its configuration. */
function problemsOf(read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (error) {
    const { message } = error as Error;
    const lines = [...message.matchAll(/^\s*(?:- )?([A-Z][A-Z_]+ .+?)\.?$/gm)].map(([, line = '']) => line);
    return lines.length === 0 ? [message] : lines;
  }
}
