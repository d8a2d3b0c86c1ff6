import { verifies } from '@bailiff/core/testing';
import { proxyTo } from '@bailiff/prisma/testing';
import { expect, test } from 'vitest';
import { createLog } from '#src/log.ts';
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
      const { pool } = stage.test.database;
      // One that is under way would keep its place for long.
      await stage.row('SELECT FROM graphile_worker.jobs WHERE run_at <= now() HAVING count(*) = 0');
      proxy.mute();
      await pool.query("UPDATE cases SET expires_at = now() - interval '2 seconds' WHERE user_id = $1", [
        user,
      ]);
      const bans = () => stage.sandbox.getState().guilds.flatMap(({ bans: those }) => those);
      // A job that was being fetched when its connection was lost stays locked. Others must be done.
      const end = `SELECT graphile_worker.add_job('end_ban', json_build_object('case_id', id)) FROM cases WHERE user_id = $1`;
      await expect
        .poll(() => pool.query(end, [user]).then(() => bans().length), { interval: 1_000, timeout: 180_000 })
        .toBe(0);
      await stage.row('SELECT FROM cases WHERE user_id = $1 AND ended_at IS NOT NULL', [user]);
    } finally {
      await later.stop();
      proxy.close();
    }
  } finally {
    await stage.close();
  }
});

test('a bot goes on with its first session although the database is too slow for what it queues at its start', async () => {
  verifies('ops.database.failover');
  const stage = await setStage();
  try {
    await stage.bot.stop();
    const { pool } = stage.test.database;
    const lines: string[] = [];
    const identified = () => stage.sandbox.getState().gateway.identifies;
    const before = identified();
    const busy = await pool.connect();
    let later: Awaited<ReturnType<typeof bot>> | undefined;
    try {
      await busy.query(
        'BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE reports IN ACCESS EXCLUSIVE MODE',
      );
      const starting = bot(
        stage.config,
        createLog('error', [], (line) => lines.push(line)),
      );
      starting.catch(() => {});
      await expect.poll(() => lines.join('')).toContain('could not be queued; trying again');
      await busy.query('COMMIT');
      later = await starting;
      await later.settled;
      const user = newMember(stage.sandbox);
      await stage.act('bans.add', 'owner', { user_id: user, reason: 'Spam' });
      expect(identified() - before).toBe(1);
    } finally {
      busy.release();
      await later?.stop();
    }
  } finally {
    await stage.close();
  }
});
