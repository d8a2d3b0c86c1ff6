import { openDatabase } from '@bailiff/prisma';
import { send } from '@bailiff/sandbox/visitor';
import { databaseUrl } from '@bailiff/supervisor/database-url';
import { run } from './run.ts';
import { expect } from './testing.ts';

/**
 * Lets the bot know its conversation with somebody. A message to them then waits for no turn, of which a few new
 * conversations have one at once (docs/decisions/pacing.md).
 */
export async function acquaint(userId: string): Promise<void> {
  const { status, body, text } = await send(`${run.sandbox}/api/v10/users/@me/channels`, {
    method: 'POST',
    headers: { authorization: `Bot ${run.application?.token}` },
    json: { recipient_id: userId },
  });
  expect(status, text).toBe(200);
  const { id } = body as { id: string };
  const db = openDatabase(await databaseUrl(run.directory), { applicationName: 'test' });
  await db.pool.query(
    'INSERT INTO direct_channels (user_id, channel_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [userId, id],
  );
  await db.close();
}
