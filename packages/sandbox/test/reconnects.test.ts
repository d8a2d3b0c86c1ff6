import { Events, GatewayIntentBits as Intent } from 'discord.js';
import { expect, test } from 'vitest';
import { startSandbox } from '#src/index.ts';
import { connect } from './rig.ts';

test('a client is asked to reconnect again and again, as often as was said, and resumes each time', async () => {
  const sandbox = await startSandbox({ gateway: { reconnectEveryMs: 300 } });
  const client = await connect(sandbox, [Intent.Guilds]);
  try {
    for (const _time of [1, 2]) {
      await new Promise((resolve) => client.once(Events.ShardReconnecting, resolve));
      await new Promise((resolve) => client.once(Events.ShardResume, resolve));
    }
    expect(sandbox.getState().gateway.identifies).toBe(1);
  } finally {
    await client.destroy();
    await sandbox.close();
  }
});
