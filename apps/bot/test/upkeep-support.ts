import { personOf, type Stage } from './harness.ts';

/** Rows of a query. */
export async function sql(stage: Pick<Stage, 'test'>, text: string, ...values: unknown[]) {
  return (await stage.test.database.pool.query(text, values)).rows;
}

/** A token that its issuer left a number of days ago. @returns its id */
export async function issueToken(
  stage: Stage,
  by: string,
  { days = 0, name = 'night watch' }: { days?: number; name?: string } = {},
): Promise<string> {
  const [row] = await sql(
    stage,
    `INSERT INTO tokens (guild_id, issuer_id, name, kind, secret_hash, secret_last_four, capabilities, created_at)
     VALUES ($1, $2, $3, 'rest', decode(md5(random()::text), 'hex'), 'abcd', '{bans.write}',
       now() - make_interval(days => $4)) RETURNING id`,
    stage.guildId,
    /^\d+$/.test(by) ? by : personOf(stage.sandbox, by),
    name,
    days,
  );
  return row?.id;
}

export async function isLive(stage: Stage, tokenId: string): Promise<boolean> {
  return (await sql(stage, 'SELECT FROM tokens WHERE id = $1 AND revoked_at IS NULL', tokenId)).length === 1;
}

/** Runs a job and waits until it has ended. @returns why it failed, or null */
export async function runJob(stage: Stage, task: string, payload: object = {}): Promise<string | null> {
  const [job] = await sql(
    stage,
    'SELECT id FROM graphile_worker.add_job($1, $2, max_attempts => 1)',
    task,
    JSON.stringify(payload),
  );
  const { last_error } = await stage.row<{ last_error: string | null }>(
    `SELECT j.last_error FROM (VALUES (1)) AS one LEFT JOIN graphile_worker.jobs j ON j.id = $1
     WHERE j.id IS NULL OR j.last_error IS NOT NULL`,
    [job?.id],
  );
  return last_error;
}
