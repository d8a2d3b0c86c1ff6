import type { BailiffError } from '@bailiff/client';
import { Owner, readSandbox, spareMembers } from '@bailiff/sandbox/visitor';
import { type Instance, startInstance } from '@bailiff/supervisor/instance';
import type { RunFile } from '@bailiff/supervisor/run-file';
import { apiOf, refusalOf } from '#src/api.ts';
import { expect, test, verifies } from '#src/testing.ts';
import { demonstrate } from '../../scripts/demo.ts';

/** One of its own: the owner's budget of destructive calls is spent here to the last one. */
let instance: Instance;
let run: RunFile;

test.beforeAll(async () => {
  instance = await startInstance();
  run = instance.run;
});
test.afterAll(() => instance?.stop());

test('the demo plays the main job to its end', async () => {
  verifies('token.create.response', 'window.open.response', 'window.delete.response');
  expect(await demonstrate(run)).toBe(0);
});

test('with the bot stopped a ban is 503 and not performed, and no ban appears when the bot goes on', async () => {
  const owner = await Owner.signIn(run.web, run.people.owner ?? '');
  const token = await owner.mintWithWindow(run.guild_id, 'stopped bot');
  const ban = async (userId: string) =>
    apiOf(run, token.secret).send('bans.add', {
      user_id: userId,
      reason: 'Nobody is there to do it',
      _confirmation: `BAN USER ${userId} IN GUILD ${run.guild_id} PERMANENT`,
    });
  const { guild } = await readSandbox(run.sandbox ?? '', run.guild_id);
  const [late = '', next = ''] = spareMembers(guild, run.people);

  process.kill(run.pids.bot, 'SIGSTOP');
  let refused: BailiffError;
  try {
    refused = await refusalOf(ban(late));
  } finally {
    process.kill(run.pids.bot, 'SIGCONT');
  }
  expect(refused).toMatchObject({
    status: 503,
    code: 'UPSTREAM_UNAVAILABLE',
    retryable: true,
    mayHaveHappened: false,
    details: { upstream: 'bot', outcome: 'not_performed' },
  });
  expect(refused.retryAfterSeconds).toBeGreaterThanOrEqual(1);

  // The bot works again: what it had missed it must not make up for.
  expect(await ban(next)).toMatchObject({ status: 201 });
  const after = await readSandbox(run.sandbox ?? '', run.guild_id);
  const banned = after.guild.bans.map(({ user_id }) => user_id);
  expect(banned).toContain(next);
  expect(banned).not.toContain(late);
  await owner.revoke(token.id);
});
