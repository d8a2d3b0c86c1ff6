import { verifies } from '@bailiff/core/testing';
import { proxyTo } from '@bailiff/prisma/testing';
import { expect, test } from 'vitest';
import { bot, newMember, setStage } from './harness.ts';

test('the end of a ban comes although the machine of the database was lost behind an address that leads to another one', async () => {
  verifies('ops.database.failover');
  const stage = await setStage();
  try {
    await stage.bot.stop();
    const proxy = await proxyTo(stage.config.databaseUrl);
    const later = await bot({ ...stage.config, databaseUrl: proxy.url });
    try {
      await later.ready;
      const user = newMember(stage.sandbox);
      await stage.act('bans.add', 'owner', { user_id: user, reason: 'Spam', duration_minutes: 5 });
      proxy.mute();
      const { pool } = stage.test.database;
      await pool.query("UPDATE cases SET expires_at = now() - interval '2 seconds' WHERE user_id = $1", [
        user,
      ]);
      const bans = () => stage.sandbox.getState().guilds.flatMap(({ bans: those }) => those);
      // A job that was being fetched when its connection was lost stays locked. Others must be done.
      const end = `SELECT graphile_worker.add_job('end_ban', json_build_object('case_id', id)) FROM cases WHERE user_id = $1`;
      await expect.poll(() => pool.query(end, [user]).then(() => bans().length), { interval: 1_000 }).toBe(0);
      await stage.row('SELECT FROM cases WHERE user_id = $1 AND ended_at IS NOT NULL', [user]);
    } finally {
      await later.stop();
      proxy.close();
    }
  } finally {
    await stage.close();
  }
});
