import { randomBytes } from 'node:crypto';
import { type Config as BotConfig, readConfig as readBotConfig } from '../../apps/bot/src/config.ts';
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
 * @returns how the bot understands it
 * @throws ConfigurationError with a line for each variable that is wrong
 */
export function checkConfiguration(env: NodeJS.ProcessEnv, settings: Settings): BotConfig {
  const complete: NodeJS.ProcessEnv = {
    ...(settings.databaseUrl === undefined ? PROVIDED.database : {}),
    ...(settings.usesSandbox ? PROVIDED.sandbox : {}),
    ...env,
  };
  const { DISCORD_TOKEN: _token, SECRETS_KEY: _key, SECRETS_KEY_PREVIOUS: _previous, ...ofWeb } = complete;
  const bot = attempt(() => readBotConfig(complete));
  const problems = [...bot.problems, ...attempt(() => readWebConfig(ofWeb)).problems];
  // Some variables are read by both.
  const byVariable = new Map(problems.map((problem) => [problem.split(' ', 1)[0], problem]));
  if (bot.value !== undefined && byVariable.size === 0) return bot.value;
  throw new ConfigurationError(
    [
      'Bailiff cannot start with this configuration:',
      ...byVariable.values(),
      '.env.example explains every variable.',
    ].join('\n  '),
  );
}

/** What a process makes of its configuration, or the lines about variables in what it says of it. */
function attempt<Value>(read: () => Value): { value?: Value; problems: string[] } {
  try {
    return { value: read(), problems: [] };
  } catch (error) {
    const { message } = error as Error;
    const lines = [...message.matchAll(/^\s*(?:- )?([A-Z][A-Z_]+ .+?)\.?$/gm)].map(([, line = '']) => line);
    return { problems: lines.length === 0 ? [message] : lines };
  }
}
