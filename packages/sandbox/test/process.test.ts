import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { type ReadyMessage, startSandbox } from '#src/index.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const children: ChildProcess[] = [];

function start(env: Record<string, string>): ChildProcess {
  const child = fork(MAIN, {
    env: { ...process.env, SANDBOX_PORT: '0', ...env },
    stdio: 'pipe',
    execArgv: [],
  });
  children.push(child);
  return child;
}

async function ready(child: ChildProcess): Promise<ReadyMessage> {
  const [message] = await once(child, 'message');
  return message as ReadyMessage;
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

describe('the process', () => {
  it('tells its parent where it is, takes its credentials from the environment, and ends with 0 on SIGTERM', async () => {
    const child = start({ SANDBOX_BOT_TOKEN: 'my-bot-token', SANDBOX_CLIENT_SECRET: 'my-secret' });
    const message = await ready(child);
    expect(message).toMatchObject({ type: 'ready', botToken: 'my-bot-token', clientSecret: 'my-secret' });
    const answer = await fetch(`${message.apiUrl}/v10/users/@me`, {
      headers: { authorization: 'Bot my-bot-token' },
    });
    expect(answer.status).toBe(200);
    child.kill('SIGTERM');
    expect((await once(child, 'exit'))[0]).toBe(0);
  });

  it('ends when its parent goes', async () => {
    const child = start({});
    await ready(child);
    child.disconnect();
    expect((await once(child, 'exit'))[0]).toBe(0);
  });

  it.each([
    ['SANDBOX_PORT', 'url'],
    ['SANDBOX_RCON_PORT', 'rcon'],
  ])('says in one line that the port of %s is taken, and ends with 1', async (name, which) => {
    const other = await startSandbox();
    const port = which === 'url' ? new URL(other.url).port : String(other.servers[0]?.port);
    const child = start({ [name]: port });
    const chunks: Buffer[] = [];
    child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
    const [code] = await once(child, 'close');
    await other.close();
    const lines = Buffer.concat(chunks).toString().trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`port ${port} is taken`);
    expect(code).toBe(1);
  });
});
