// The examples in the client's README, run as programs of an integrator's against the instance.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { type MintedToken, Owner, readSandbox, spareMembers } from '@bailiff/sandbox/visitor';
import { apiOf } from '#src/api.ts';
import { refillBudgets } from '#src/budgets.ts';
import { run } from '#src/run.ts';
import { expect, test } from '#src/testing.ts';

const EXAMPLES = resolve(import.meta.dirname, '..', '..', 'packages', 'client', 'examples');

let owner: Owner;
let token: MintedToken;
let userId: string;

test.beforeAll(() => refillBudgets(run.directory));
test.beforeAll(async () => {
  owner = await Owner.signIn(run.web, run.people.owner ?? '');
  token = await owner.mintWithWindow(run.guild_id, 'integrator');
  const { guild } = await readSandbox(run.sandbox ?? '', run.guild_id);
  userId = spareMembers(guild, run.people).at(-2) ?? '';
});
test.afterAll(() => owner?.revoke(token.id));

function start(example: string, ...args: string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [join(EXAMPLES, example), ...args], {
    env: { ...process.env, BAILIFF_URL: run.web, BAILIFF_TOKEN: token.secret },
  });
  child.stderr.pipe(process.stderr);
  return child;
}

test('list-strikes prints the strikes that count', async () => {
  await apiOf(run, token.secret).call('strikes.add', {
    user_id: userId,
    severity: 'minor',
    reason: 'Fished in the fountain',
    _confirmation: `ADD STRIKE TO USER ${userId} IN GUILD ${run.guild_id} SEVERITY MINOR`,
  });
  expect(await text(start('list-strikes.ts').stdout)).toMatch(
    new RegExp(`^#\\d+ minor strike for ${userId}: Fished in the fountain$`, 'm'),
  );
});

test('ban asks for approval, waits for a person and bans; read-audit-log finds it', async () => {
  await owner.closeWindow(token.id);
  const child = start('ban.ts', userId);
  let printed = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    const isAsked = printed.includes('Press Enter');
    printed += chunk;
    if (isAsked || !printed.includes('Press Enter')) continue;
    await owner.openWindow(token.id);
    child.stdin.write('\n');
  }
  expect(child.exitCode ?? (await once(child, 'exit'))[0], printed).toBe(0);
  expect(printed).toContain(`${run.web}/guilds/${run.guild_id}/approvals`);
  expect(printed).toContain(`${userId} is banned.`);
  const { guild } = await readSandbox(run.sandbox ?? '', run.guild_id);
  expect(guild.bans.map(({ user_id }) => user_id)).toContain(userId);

  const rows = (await text(start('read-audit-log.ts').stdout)).split('\n');
  const own = rows.filter((row) => row.includes(` integrator ${userId} `));
  expect(own.map((row) => row.split(' ').at(-1)).toSorted()).toEqual(['performed', 'refused', 'requested']);
});
