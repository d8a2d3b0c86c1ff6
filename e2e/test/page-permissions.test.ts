// What each page of a guild needs, and what it leaves out for a reader who may see only some of it.
import { CAPABILITIES, type Capability } from '@bailiff/core';
import { Owner, readSandbox, send, spareMembers } from '@bailiff/sandbox/visitor';
import type { Page } from '@playwright/test';
import { refillBudgets } from '#src/budgets.ts';
import { say } from '#src/chat-command.ts';
import { signedInPage } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

const guild = `${run.web}/guilds/${run.guild_id}`;
const NO_ACCESS = 'You do not have access to this page';

/** The pages for which a capability is needed, of several any one. The first is the one that the page names. */
const NEEDED: readonly [readonly Capability[], readonly string[]][] = [
  [
    ['strikes.read', 'bans.read', 'mutes.read'],
    ['/cases', '/cases/1'],
  ],
  [['members.read'], ['/members', `/members/${run.people.member}`]],
  [['channels.write', 'roles.write'], ['/in-force']],
  [['tickets.read'], ['/tickets', '/tickets/1', '/tickets/statistics']],
  [['appeals.read'], ['/appeals', '/appeals/1']],
  [['reports.read'], ['/reports']],
  [
    ['servers.read', 'servers.rcon'],
    ['/servers', `/servers/${run.servers[0]?.id}`],
  ],
  [['audit.read'], ['/audit', '/moderators']],
  [['messages.purge'], ['/archives/arc_00000000000000000000000000000009']],
];

let owner: Owner;
let helper: Page;

test.beforeAll(() => refillBudgets(run.directory));
test.beforeAll(async ({ browser }) => {
  owner = await Owner.signIn(run.web, run.people.owner ?? '');
  helper = await signedInPage(browser, run, 'helper');
  await grant(['members.read']);
  // The bot fetches who holds the role that was granted something.
  await expect.poll(async () => (await helper.goto(guild))?.status(), { timeout: 15_000 }).toBe(200);
});
test.afterAll(async () => {
  await grant([]);
  await helper?.context().close();
});

/** Gives the role Helper these capabilities and no others. */
async function grant(capabilities: readonly Capability[]): Promise<void> {
  const path = `/api/guilds/${run.guild_id}/grants`;
  const { roles } = (await owner.request('GET', path)).body as { roles: { role_id: string; name: string }[] };
  const role_id = roles.find(({ name }) => name === 'Helper')?.role_id;
  const { status } = await owner.request('PUT', path, { grants: [{ role_id, capabilities }] });
  expect(status).toBe(200);
}

async function act<Answer>(operation: string, input: object): Promise<Answer> {
  const path = `/api/guilds/${run.guild_id}/actions`;
  const { status, body } = await owner.request('POST', path, { operation, input });
  expect(status, JSON.stringify(body)).toBeLessThan(300);
  return body as Answer;
}

for (const [needed, paths] of NEEDED) {
  test(`who holds everything but ${needed.join(', ')} finds nothing at ${paths[0]}, and who holds one of them does`, async () => {
    verifies('dashboard.no-access');
    await grant(CAPABILITIES.filter((capability) => !needed.includes(capability)));
    for (const path of paths) {
      await helper.goto(`${guild}${path}`);
      await helper.getByText(NO_ACCESS).waitFor();
      await helper.getByText(`(${needed[0]}).`).waitFor();
      await expect(helper.getByRole('main').locator('table, form, article, dl'), path).toHaveCount(0);
    }
    for (const capability of needed) {
      await grant([capability]);
      for (const path of paths) {
        await helper.goto(`${guild}${path}`);
        await helper.getByRole('navigation', { name: 'Guild' }).getByRole('link').first().waitFor();
        await expect(helper.getByText(NO_ACCESS), `${path} with ${capability}`).toHaveCount(0);
      }
    }
  });
}

test('a page leaves out the parts that its reader may not see, and has them for who may', async () => {
  verifies('dashboard.no-access');
  const { guild: sample } = await readSandbox(run.sandbox ?? '', run.guild_id);
  const userId = spareMembers(sample, run.people).at(15) ?? '';
  const { strike } = await act<{ strike: { id: string; case_number: number } }>('strikes.add', {
    ...{ user_id: userId, severity: 'minor', reason: 'Rowed without a lamp' },
  });
  const { mute } = await act<{ mute: { case_number: number } }>('mutes.add', {
    ...{ user_id: userId, duration_minutes: 10, reason: 'Sang to the seals' },
  });
  await act('cases.link', { caseId: strike.id, other_number: mute.case_number });
  const { body } = await send(`${run.sandbox}/sandbox/interactions`, {
    method: 'POST',
    json: { type: 'command', user: 'newcomer', command: 'ticket open', options: { subject: 'No wind' } },
  });
  const number = /#(\d+)/.exec((body as { message?: { content: string } }).message?.content ?? '')?.[1];

  const parts = async () => {
    await helper.goto(`${guild}/cases/${strike.case_number}`);
    await helper.getByText('Rowed without a lamp').first().waitFor();
    const main = helper.getByRole('main');
    const audit = await main.getByRole('heading', { name: 'In the audit log' }).count();
    const linked = await main.getByRole('link', { name: `#${mute.case_number}` }).count();
    const change = await main.getByRole('button', { name: 'Change', exact: true }).isEnabled();
    await helper.goto(`${guild}/tickets/${number}`);
    await helper.getByText('No wind').first().waitFor();
    const notes = await main.getByRole('heading', { name: 'Internal notes' }).count();
    const claim = await main.getByRole('button', { name: /^Claim/ }).isEnabled();
    await helper.goto(`${guild}/servers/${run.servers[0]?.id}`);
    await helper.getByText('Last checked').waitFor();
    const console = await main.getByRole('textbox', { name: 'Command' }).count();
    await helper.goto(guild);
    await main.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const activity = await main.getByRole('heading', { name: 'What was done' }).count();
    await helper.goto(`${guild}/in-force`);
    await main.getByRole('heading', { level: 1, name: 'In force' }).waitFor();
    const locks = await main.getByRole('heading', { name: 'Locks' }).count();
    return { audit, linked, change, notes, claim, console, activity, locks };
  };
  await say('lock', { channel: run.channels.general ?? '', duration: '2h', reason: 'Fog' });
  const reads: Capability[] = ['strikes.read', 'tickets.read', 'servers.read', 'members.read', 'roles.write'];
  await grant(reads);
  const nothing = { audit: 0, linked: 0, notes: 0, console: 0, activity: 0, locks: 0 };
  expect(await parts()).toEqual({ ...nothing, change: false, claim: false });
  await grant([
    ...reads,
    ...([
      'strikes.write',
      'mutes.read',
      'tickets.write',
      'servers.rcon',
      'audit.read',
      'channels.write',
    ] as const),
  ]);
  const everything = { audit: 1, linked: 1, notes: 1, console: 1, activity: 1, locks: 1 };
  expect(await parts()).toEqual({ ...everything, change: true, claim: true });
  await say('unlock', { channel: run.channels.general ?? '' });
});
