import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { ROOT, StageError } from '../prepare.mjs';
import { EX_CONFIG } from './service.ts';

/** What the supervisor itself needs to know; the bot and the web process check the rest. */
export interface Settings {
  /** Where data, secrets and logs are kept. */
  directory: string;
  host: string;
  port: number;
  sandboxPort: number;
  publicUrl: string;
  /** Undefined: the embedded server is used. */
  databaseUrl: string | undefined;
  /** Without a token for Discord, the sandbox stands in for it. */
  usesSandbox: boolean;
}

/** An environment that cannot be used; ends the start with exit code 78. */
export class ConfigurationError extends StageError {
  readonly exitCode = EX_CONFIG;
}

/**
 * The settings of the environment, with free ports in place of 0.
 *
 * @throws ConfigurationError naming every variable that is wrong
 * @throws StageError naming a port that is taken
 */
export async function readSettings(env: NodeJS.ProcessEnv): Promise<Settings> {
  const problems: string[] = [];
  const portOf = (name: string, fallback: number) => {
    const text = env[name] || String(fallback);
    const port = Number(text);
    if (!/^\d{1,5}$/.test(text) || port > 65_535)
      problems.push(`${name} must be a port from 0 to 65535, not "${text}".`);
    return port;
  };
  const host = env.HOST || '127.0.0.1';
  const wantedPort = portOf('PORT', 3000);
  const wantedSandboxPort = portOf('SANDBOX_PORT', 3100);
  const usesSandbox = !env.DISCORD_TOKEN;
  if (problems.length > 0) throw new ConfigurationError(problems.join('\n'));

  const port = await claimPort('PORT', host, wantedPort);
  const sandboxPort = usesSandbox
    ? await claimPort('SANDBOX_PORT', '127.0.0.1', wantedSandboxPort)
    : wantedSandboxPort;
  return {
    directory: resolve(ROOT, env.BAILIFF_DIR || '.bailiff'),
    host,
    port,
    sandboxPort,
    publicUrl: env.PUBLIC_URL?.replace(/\/$/, '') || `http://localhost:${port}`,
    databaseUrl: env.DATABASE_URL || undefined,
    usesSandbox,
  };
}

/** Listens for a moment, to say in one line what would otherwise be found out late. */
function claimPort(variable: string, host: string, port: number): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const reasons: Record<string, string> = {
        EADDRINUSE: 'is taken by another program. Stop that one',
        EACCES: 'may not be used by this user. Start as another user',
        EADDRNOTAVAIL: 'does not exist: this machine has no such address. Correct HOST',
      };
      const reason = reasons[error.code ?? ''] ?? `cannot be used (${error.message}). Find out why`;
      fail(new StageError(`Port ${port} on ${host} ${reason}, or set ${variable} to another port.`));
    });
    probe.listen({ host, port, exclusive: true }, () => {
      const address = probe.address();
      probe.close(() => done(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
}
