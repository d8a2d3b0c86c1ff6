import type { BailiffClient, BailiffError } from '@bailiff/client';
import { Owner, readSandbox, spareMembers } from '@bailiff/sandbox/visitor';
import { type Instance, instanceDirectory, startInstance } from '@bailiff/supervisor/instance';
import type { RunFile } from '@bailiff/supervisor/run-file';
import { apiOf, onceApiOf, refusalOf } from '#src/api.ts';
import { refillBudgets } from '#src/budgets.ts';
import { expect, test, verifies } from '#src/testing.ts';
import { demonstrate } from '../../scripts/demo.ts';

/** One of its own: its bot is stopped. */
let instance: Instance;
let run: RunFile;
let home: Awaited<ReturnType<typeof instanceDirectory>>;

test.beforeAll(async () => {
  home = await instanceDirectory();
  instance = await startInstance({ directory: home.path });
  run = instance.run;
});
test.afterAll(async () => {
  await instance?.stop();
  await home?.remove();
});

test('the demo plays the main job to its end', async () => {
  verifies('token.create.response', 'window.open.response', 'window.delete.response');
  expect(await demonstrate(run)).toBe(0);
});

test('with the bot stopped a ban is 503 and not performed, and no ban appears when the bot goes on', async () => {
  const owner = await Owner.signIn(run.web, run.people.owner ?? '');
  const token = await owner.mintWithWindow(run.guild_id, 'stopped bot');
  const ban = (api: BailiffClient, userId: string) =>
    api.send('bans.add', {
      user_id: userId,
      reason: 'Nobody is there to do it',
      _confirmation: `BAN USER ${userId} IN GUILD ${run.guild_id} PERMANENT`,
    });
  const { guild } = await readSandbox(run.sandbox ?? '', run.guild_id);
  const [late = '', next = ''] = spareMembers(guild, run.people);

  process.kill(run.pids.bot, 'SIGSTOP');
  let refused: BailiffError;
  try {
    // A slow database is told of as well, and is not what is asked for here.
    do refused = await refusalOf(ban(onceApiOf(run, token.secret), late));
    while (refused.is('UPSTREAM_UNAVAILABLE') && refused.details?.upstream === 'database');
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
  await refillBudgets(home.path);
  expect(await ban(apiOf(run, token.secret), next)).toMatchObject({ status: 201 });
  const after = await readSandbox(run.sandbox ?? '', run.guild_id);
  const banned = after.guild.bans.map(({ user_id }) => user_id);
  expect(banned).toContain(next);
  expect(banned).not.toContain(late);
  await owner.revoke(token.id);
});
