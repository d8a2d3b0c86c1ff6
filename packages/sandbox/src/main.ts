import { parseArgs } from 'node:util';
import { readyMessage } from './ready.ts';
import { type SandboxOptions, startSandbox } from './sandbox.ts';

/**
 * The sandbox as a process: `SANDBOX_PORT` (3100), `SANDBOX_RCON_PORT` (a free one), `SANDBOX_HOST` (127.0.0.1),
 * `SANDBOX_BOT_TOKEN`, `SANDBOX_CLIENT_ID`, `SANDBOX_CLIENT_SECRET`, `SANDBOX_SEED`, `SANDBOX_RATE_LIMIT` (requests per
 * second on each route, instead of Discord's own limits), `DASHBOARD_URL` (for the page's links; none without it).
 * `--guilds` and `--members`, or `SANDBOX_GUILDS` and `SANDBOX_MEMBERS`, add a large world: so many guilds, the first of
 * them with so many members. Tells its parent a ReadyMessage over IPC and ends with it.
 */
function readOptions(env: NodeJS.ProcessEnv): SandboxOptions {
  const text = (name: string, field: string) => (env[name] ? { [field]: env[name] } : {});
  const number = (name: string, fallback: number, max: number) => {
    const given = env[name] ?? String(fallback);
    if (!/^\d{1,9}$/.test(given) || Number(given) > max) {
      throw new Error(`${name} is ${given}; it must be a whole number from 0 to ${max}.`);
    }
    return Number(given);
  };
  return {
    port: number('SANDBOX_PORT', 3100, 65_535),
    rconPort: number('SANDBOX_RCON_PORT', 0, 65_535),
    seed: number('SANDBOX_SEED', 0, 4_000_000),
    ...readLargeWorld(env),
    ...(env.SANDBOX_RATE_LIMIT
      ? { rateLimit: { limit: number('SANDBOX_RATE_LIMIT', 0, 1_000_000), windowSeconds: 1 } }
      : {}),
    ...text('SANDBOX_HOST', 'host'),
    ...text('DASHBOARD_URL', 'dashboardUrl'),
    ...text('SANDBOX_BOT_TOKEN', 'botToken'),
    ...text('SANDBOX_CLIENT_ID', 'clientId'),
    ...text('SANDBOX_CLIENT_SECRET', 'clientSecret'),
  };
}

function readLargeWorld(env: NodeJS.ProcessEnv): Pick<SandboxOptions, 'large'> {
  const option = (name: string) => ({ type: 'string', default: env[name] || '0' }) as const;
  const { values } = parseArgs({
    options: { guilds: option('SANDBOX_GUILDS'), members: option('SANDBOX_MEMBERS') },
  });
  const [guilds, members] = [Number(values.guilds), Number(values.members)];
  if (!Number.isSafeInteger(guilds) || !Number.isSafeInteger(members) || guilds < 0 || members < 0) {
    throw new Error('--guilds and --members must be whole numbers.');
  }
  return guilds === 0 ? {} : { large: { guilds, members: Math.max(1, members) } };
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  return code === 'EADDRINUSE'
    ? `port ${port} is taken. Stop what uses it, or set SANDBOX_PORT (SANDBOX_RCON_PORT for the game server) to another.`
    : error.message;
}

async function main(): Promise<void> {
  const sandbox = await startSandbox(readOptions(process.env));
  let closing = false;
  const stop = () => {
    if (closing) return;
    closing = true;
    void sandbox.close().then(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('disconnect', stop);
  if (process.send) process.send(readyMessage(sandbox));
  else process.stdout.write(`sandbox: ${sandbox.url} (API ${sandbox.apiUrl}, guild ${sandbox.guildId})\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`sandbox: cannot start: ${explain(error)}\n`);
  process.exit(1);
});
