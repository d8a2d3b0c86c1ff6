import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { guildForEachTest } from './each-test.ts';
import { bot, personOf, type Stage } from './harness.ts';
import { issueToken, runJob, sql } from './upkeep-support.ts';

let stage: Stage;
guildForEachTest((next) => {
  stage = next;
});

const runNightly = () => runJob(stage, 'require_rotation');

/** A night in which nobody gets a message. */
async function nightWithoutMessages(): Promise<void> {
  await runNightly();
  expect(
    await sql(stage, "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'rotation_notice'"),
  ).toEqual([]);
}

const untilMarked = (tokenId: string) =>
  stage.row('SELECT FROM tokens WHERE id = $1 AND rotation_required_at IS NOT NULL', [tokenId]);
const untilReminded = (outcome: string) =>
  stage.row<{ target_id: string; details: object }>(
    'SELECT target_id, details FROM audit WHERE operation = \'tokens.remind\' AND outcome = $1::"AuditOutcome"',
    [outcome],
  );

function messagesTo(name: string): string[] {
  const id = personOf(stage.sandbox, name);
  const dm = stage.sandbox.getState().dms.find(({ user_id }) => user_id === id);
  return (dm?.messages ?? []).map(({ content }) => content);
}

const isMarked = async (tokenId: string) =>
  (await sql(stage, 'SELECT FROM tokens WHERE id = $1 AND rotation_required_at IS NOT NULL', tokenId))
    .length === 1;

test('the issuer gets one direct message that names the tokens and where to rotate them', async () => {
  verifies('rotation.dm-180', 'rotation.required-180');
  const tokens = [
    await issueToken(stage, 'owner', { days: 181, name: 'night *watch*' }),
    await issueToken(stage, 'owner', { days: 200, name: 'backup' }),
  ];
  const young = await issueToken(stage, 'owner', { days: 179, name: 'young' });
  await runNightly();
  expect(await untilReminded('performed')).toMatchObject({ target_id: stage.people.owner });
  const [message = '', ...more] = messagesTo('owner');
  expect(more).toEqual([]);
  expect(message).toContain('Harbourlight');
  expect(message).toContain('- night \\*watch\\*\n');
  expect(message).toContain('- backup\n');
  expect(message).not.toContain('young');
  expect(message).toContain(`http://localhost:3000/guilds/${stage.guildId}/tokens`);
  expect(await Promise.all([...tokens, young].map(isMarked))).toEqual([true, true, false]);

  await nightWithoutMessages();
  expect(messagesTo('owner')).toHaveLength(1);
});

test('of more tokens than a message has lines for, ten are named and the others are counted', async () => {
  verifies('rotation.dm-180');
  for (let n = 1; n <= 12; n += 1) await issueToken(stage, 'owner', { days: 200, name: `token ${n}` });
  await runNightly();
  await untilReminded('performed');
  const [message = ''] = messagesTo('owner');
  expect(message.match(/^- token \d+$/gm)).toHaveLength(10);
  expect(message).toContain('\n- and 2 more\n');
});

test('closed direct messages are noted once, and the banner stays', async () => {
  verifies('rotation.dm-180', 'H30');
  const token = await issueToken(stage, 'owner', { days: 181 });
  stage.sandbox.control.members({ action: 'close_dms', user: 'owner' });
  await runNightly();
  expect(await untilReminded('failed')).toMatchObject({
    target_id: stage.people.owner,
    details: { token_ids: [token], reason: 'closed' },
  });
  expect(await isMarked(token)).toBe(true);
  stage.sandbox.control.members({ action: 'open_dms', user: 'owner' });
  await nightWithoutMessages();
  expect(messagesTo('owner')).toEqual([]);
});

test('when Discord finds that conversations are opened too fast, the message waits for another night', async () => {
  verifies('H30');
  await issueToken(stage, 'owner', { days: 181 });
  const body = { message: 'You are opening direct messages too fast.', code: 40003 };
  stage.sandbox.control.addFault({ method: 'POST', route: '/users/@me/channels', status: 403, body });
  await runNightly();
  expect(await untilReminded('failed')).toMatchObject({ details: { reason: 'not_sent' } });
  expect(messagesTo('owner')).toEqual([]);
  await runNightly();
  await untilReminded('performed');
  expect(messagesTo('owner')).toHaveLength(1);
});

test('a message whose answer was lost is not sent again', async () => {
  await issueToken(stage, 'owner', { days: 181 });
  stage.sandbox.control.addFault({
    method: 'POST',
    route: '/channels/*/messages',
    when: 'after',
    socket: 'reset',
  });
  await runNightly();
  await untilReminded('unknown');
  await nightWithoutMessages();
  expect(messagesTo('owner')).toHaveLength(1);
});

test('of 25 issuers ten are told in a night, a minute apart, and every banner is set', async () => {
  verifies('H30');
  const guild = stage.sandbox.getState().guilds.find(({ id }) => id === stage.guildId);
  const people = (guild?.members ?? []).filter((member) => !member.bot).slice(0, 25);
  for (const { user_id } of people) await issueToken(stage, user_id, { days: 365 });
  await runNightly();
  const { minutes } = await stage.row<{ minutes: number[] }>(
    `SELECT array_agg(round(extract(epoch FROM run_at - first) / 60)::int ORDER BY run_at) AS minutes
     FROM graphile_worker.jobs, (SELECT min(rotation_required_at) AS first FROM tokens) AS marks
     WHERE task_identifier = 'rotation_notice' HAVING count(*) = 9`,
  );
  expect(minutes).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(await sql(stage, 'SELECT FROM tokens WHERE rotation_required_at IS NOT NULL')).toHaveLength(25);
  await untilReminded('performed');
  expect(stage.sandbox.getState().dms).toHaveLength(1);
});

test('a night in which no bot ran is made up for at the next start', async () => {
  verifies('rotation.required-180');
  await stage.bot.stop();
  const token = await issueToken(stage, 'owner', { days: 181 });
  await sql(
    stage,
    `UPDATE graphile_worker._private_known_crontabs
     SET known_since = now() - interval '3 days', last_execution = now() - interval '2 days'
     WHERE identifier = 'require_rotation'`,
  );
  // Its worker died while it wrote the post, and the queue keeps that job locked.
  await sql(
    stage,
    `INSERT INTO appeals (guild_id, case_id, user_id, answers, language, busy_until)
     SELECT guild_id, id, user_id, '[]', 'en', now() - interval '1 minute'
     FROM open_case($1, 'strike', 'str', $2, 'Spam', $3, NULL, NULL, 'minor')`,
    ...[stage.guildId, personOf(stage.sandbox, 'member'), personOf(stage.sandbox, 'owner')],
  );
  await sql(stage, "DELETE FROM graphile_worker._private_jobs WHERE key LIKE 'post_appeal:%'");
  const again = await bot(stage.config);
  try {
    await untilMarked(token);
    await stage.row('SELECT FROM appeals WHERE busy_until IS NULL');
  } finally {
    await again.stop();
  }
});
