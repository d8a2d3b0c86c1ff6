// What each page of a guild needs, and what it leaves out for a reader who may see only some of it.
import { CAPABILITIES, type Capability } from '@bailiff/core';
import { Owner, readSandbox, spareMembers } from '@bailiff/sandbox/visitor';
import type { Page } from '@playwright/test';
import { act as actAs } from '#src/api.ts';
import { refillBudgets } from '#src/budgets.ts';
import { say } from '#src/chat-command.ts';
import { joined } from '#src/newcomers.ts';
import { signedInPage, signIn } from '#src/pages.ts';
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
  await expect.poll(async () => (await helper.goto(guild))?.status()).toBe(200);
});
test.afterAll(async () => {
  await grant([]);
  await owner.change('PATCH', `/api/guilds/${run.guild_id}/settings`, { reports_channel_id: null });
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

const act = <Answer>(operation: string, input: object) => actAs<Answer>(owner, run, operation, input);

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
  const number = /#(\d+)/.exec(await say('ticket open', { subject: 'No wind' }, 'newcomer'))?.[1];

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

  // What the member wrote is not in the log either for who may not read tickets.
  const subject = async () => {
    await helper.goto(`${guild}/audit?operation=tickets.open&outcome=performed`);
    await helper.getByRole('main').getByRole('row').nth(1).getByRole('link').first().click();
    await helper.getByRole('heading', { name: 'The request' }).waitFor();
    return helper.getByText(/"subject": "No wind"/).count();
  };
  await grant(['audit.read']);
  expect(await subject()).toBe(0);
  await grant(['audit.read', 'tickets.read']);
  expect(await subject()).toBeGreaterThan(0);
  await say('unlock', { channel: run.channels.general ?? '' });
});

test('who may only mute is offered no ban of several people, and does not read of those that there were', async () => {
  verifies('dashboard.no-access');
  const people = await Promise.all(['Gale One', 'Gale Two'].map(joined));
  const preview = await act<{ preview: { id: string; count: number } }>('bans.preview', {
    users: people.join('\n'),
  });
  const { id: preview_id, count } = preview.preview;
  await act('bans.many', { preview_id, count, reason: 'Came with the gale' });
  const person = await joined('Gale Three');
  const look = async () => {
    await helper.goto(`${guild}/members?q=${person}`);
    await helper.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
    const lately = await helper.getByText('Came with the gale').count();
    await helper.goto(`${guild}/members?list=server`);
    const boxes = helper.getByRole('checkbox', { name: /^Select [^a]/ });
    await helper.getByRole('main').getByRole('row').nth(1).waitFor();
    if ((await boxes.count()) === 0) return { lately, ban: 0, mute: 0 };
    await boxes.first().check();
    await helper.getByText('1 person selected').waitFor();
    const ban = await helper.getByRole('button', { name: /^Ban 1 person/ }).count();
    const mute = await helper.getByRole('button', { name: /^Mute 1 person/ }).count();
    return { lately, ban, mute };
  };
  await grant(['members.read']);
  expect(await look()).toEqual({ lately: 0, ban: 0, mute: 0 });
  await grant(['members.read', 'mutes.write']);
  expect(await look()).toEqual({ lately: 0, ban: 0, mute: 1 });
  await grant(['members.read', 'mutes.write', 'bans.write']);
  expect(await look()).toEqual({ lately: 1, ban: 1, mute: 1 });
});

test('the page of a member shows tickets and points to those who may read them, and to nobody else', async () => {
  verifies('dashboard.no-access');
  const escalation = `/api/guilds/${run.guild_id}/escalation`;
  const points = { minor_points: 1, major_points: 3, decay_days: 30 };
  const steps = [{ points: 500, sanction: 'ban', duration_minutes: null }];
  await owner.change('PUT', escalation, { ...points, steps });
  const look = async () => {
    await helper.goto(`${guild}/members/${run.people.newcomer}`);
    const main = helper.getByRole('main');
    await main.getByRole('heading', { name: 'Notes' }).waitFor();
    const tickets = await main.getByRole('heading', { name: 'Tickets', exact: true }).count();
    const standing = await main.getByText('Points', { exact: true }).count();
    return { tickets, standing };
  };
  await grant(['members.read']);
  expect(await look()).toEqual({ tickets: 0, standing: 0 });
  await grant(['members.read', 'tickets.read']);
  expect(await look()).toEqual({ tickets: 1, standing: 0 });
  await grant(['members.read', 'strikes.read']);
  expect(await look()).toEqual({ tickets: 0, standing: 1 });
  await owner.change('PUT', escalation, { ...points, steps: [] });
});

test('the names that one person gives to filters are not those of the next in the same browser', async ({
  browser,
}) => {
  verifies('dashboard.saved-views');
  await grant(['audit.read']);
  const context = await browser.newContext();
  const own = await context.newPage();
  const views = own.getByRole('dialog', { name: 'Views' });
  for (const person of ['owner', 'helper'] as const) {
    await context.clearCookies();
    await signIn(own, run, person);
    await own.goto(`${guild}/audit?outcome=failed`);
    await own.getByRole('button', { name: 'Views' }).click();
    await views.getByLabel('Name').waitFor();
    await expect(views.getByRole('link')).toHaveCount(0);
    await views.getByLabel('Name').fill('What failed');
    await views.getByRole('button', { name: 'Save these filters' }).click();
    await views.getByRole('link', { name: 'What failed' }).waitFor();
  }
  await context.close();
});

test('who may only read about a member writes and removes neither notes nor identities', async () => {
  verifies('dashboard.no-access');
  const look = async () => {
    await helper.goto(`${guild}/members/${run.people.newcomer}`);
    const main = helper.getByRole('main');
    await main.getByRole('heading', { name: 'Notes' }).waitFor();
    const note = await main.getByLabel('What to remember').count();
    const identity = await main.getByLabel('Name or id').count();
    return { note, identity };
  };
  await grant(['members.read']);
  expect(await look()).toEqual({ note: 0, identity: 0 });
  await grant(['members.read', 'strikes.write']);
  expect(await look()).toEqual({ note: 1, identity: 1 });
});

test('the commands of a game are the owner’s, also where others may run some', async () => {
  verifies('dashboard.no-access');
  await grant(['servers.rcon']);
  await helper.goto(`${guild}/servers/${run.servers[0]?.id}`);
  await helper.getByRole('textbox', { name: 'Command' }).waitFor();
  await expect(helper.getByRole('heading', { name: 'Commands of the game' })).toHaveCount(0);
});

test('the search for pages offers to ban people to those who may, and to nobody else', async () => {
  verifies('dashboard.palette');
  const field = helper.getByRole('combobox', { name: /^A page, a name/ });
  const ban = helper.getByRole('option', { name: 'Ban: Sana Iqbal' });
  const warn = helper.getByRole('option', { name: 'Warn: Sana Iqbal' });
  const search = async (text: string) => {
    await helper.goto(`${guild}/members`);
    await helper.getByRole('button', { name: 'Search …' }).click();
    await field.fill(text);
  };
  await grant(['members.read', 'strikes.write']);
  await search('warn san');
  await warn.waitFor();
  await field.fill('ban san');
  await expect(warn).toHaveCount(0);
  await expect(ban).toHaveCount(0);
  await grant(['members.read', 'bans.write']);
  await search('ban san');
  await ban.waitFor();
});

test('who is reported reads that others look at it, and attaches nothing to a case about themselves', async () => {
  verifies('reports.dashboard');
  const reports_channel_id = run.channels.mod_log;
  const path = `/api/guilds/${run.guild_id}/settings`;
  await owner.change('PATCH', path, { reports_channel_id });
  const reason = 'Hides the rum';
  await say('report', { user: 'helper', reason }, 'quiet');
  await grant(['reports.read', 'reports.write']);
  await helper.goto(`${guild}/reports`);
  const report = helper.getByRole('article').filter({ hasText: reason });
  await report.getByText('This is about you: somebody else has to look at it.').waitFor();
  await expect(report.getByRole('button', { name: /^Close report/ })).toBeDisabled();
  const { warning } = await act<{ warning: { id: string; case_number: number } }>('warnings.add', {
    ...{ user_id: run.people.helper, reason: 'Hid the rum' },
  });
  await grant(['strikes.read', 'strikes.write']);
  await helper.goto(`${guild}/cases/${warning.case_number}`);
  await helper.getByText('Hid the rum').first().waitFor();
  await expect(helper.getByText('Attach files')).toHaveCount(0);
  await act('warnings.remove', { warningId: warning.id });
});

test('the latest entries of the audit log and the way to cases are for who may read them', async () => {
  verifies('dashboard.no-access');
  const look = async () => {
    await helper.goto(guild);
    const main = helper.getByRole('main');
    await main.getByRole('heading', { name: 'Latest' }).waitFor();
    const latest = await main.getByRole('table', { name: 'The latest entries of the audit log' }).count();
    await helper.goto(`${guild}/in-force`);
    await main.getByRole('heading', { level: 1, name: 'In force' }).waitFor();
    const cases = await main.getByRole('link', { name: 'Bans and mutes in force' }).count();
    return { latest, cases };
  };
  await grant(['roles.write']);
  expect(await look()).toEqual({ latest: 0, cases: 0 });
  await grant(['roles.write', 'bans.read']);
  expect(await look()).toEqual({ latest: 0, cases: 1 });
  await grant(['roles.write', 'audit.read']);
  expect(await look()).toEqual({ latest: 1, cases: 0 });
});

test('who may only read a case, a member or a report can change none of them', async () => {
  verifies('dashboard.no-access');
  const user_id = await joined('Read Only Rita');
  const { strike } = await act<{ strike: { case_number: number } }>('strikes.add', {
    ...{ user_id, severity: 'minor', reason: 'Moored across two places' },
  });
  const reason = 'Rings the bell at noon';
  const reports_channel_id = run.channels.mod_log;
  await owner.change('PATCH', `/api/guilds/${run.guild_id}/settings`, { reports_channel_id });
  await say('report', { user: user_id, reason }, 'quiet');
  const look = async () => {
    const main = helper.getByRole('main');
    await helper.goto(`${guild}/cases/${strike.case_number}`);
    const end = await main.getByRole('button', { name: 'Remove the strike' }).isEnabled();
    await expect(main.getByText(/^Your roles lack .*\(strikes\.write\)/)).toHaveCount(end ? 0 : 1);
    const links = await main.getByLabel('Number of another case').count();
    const files = await main.getByText('Attach files').count();
    await helper.goto(`${guild}/members/${user_id}`);
    const acts = await main.getByRole('button', { name: 'Strike', exact: true }).isEnabled();
    const lacks = (await main.getByText(/^Your roles lack /).textContent()) ?? '';
    // Buttons of both capabilities are there; each that is lacking is named.
    expect(lacks).toContain('(bans.write)');
    expect(lacks.includes('(strikes.write)'), lacks).toBe(!acts);
    await helper.goto(`${guild}/reports`);
    const report = helper.getByRole('article').filter({ hasText: reason });
    const closes = await report.getByRole('button', { name: /^Close report/ }).isEnabled();
    return { end, links, files, acts, closes };
  };
  const reads: Capability[] = ['strikes.read', 'members.read', 'reports.read'];
  await grant(reads);
  expect(await look()).toEqual({ end: false, links: 0, files: 0, acts: false, closes: false });
  await grant([...reads, 'strikes.write', 'reports.write']);
  expect(await look()).toEqual({ end: true, links: 1, files: 1, acts: true, closes: true });
});
