import { Owner, send } from '@bailiff/sandbox/visitor';
import type { Page } from '@playwright/test';
import { faultsIn } from '#src/axe.ts';
import { refillBudgets } from '#src/budgets.ts';
import { say } from '#src/chat-command.ts';
import { joined } from '#src/newcomers.ts';
import { GUILD, signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

test.beforeAll(() => refillBudgets(run.directory));

const guildPath = `/guilds/${run.guild_id}`;

let owner: Page;
let moderator: Page;

test.beforeAll(async ({ browser }) => {
  const newPage = async () => (await browser.newContext()).newPage();
  [owner, moderator] = await Promise.all([newPage(), newPage()]);
  await Promise.all([signIn(owner, run, 'owner'), signIn(moderator, run, 'moderator')]);
});
test.afterAll(async () => {
  await owner?.context().close();
  await moderator?.context().close();
});

const open = (page: Page, path: string) => page.goto(`${run.web}${guildPath}${path}`);

/** Sets the capabilities of a role by what it has now. @returns the role's id */
async function grant(role: string, change: (held: string[]) => string[]): Promise<string> {
  const api = await Owner.signIn(run.web, run.people.owner ?? '');
  const { body } = await api.request('GET', `/api${guildPath}/grants`);
  const { roles } = body as { roles: { role_id: string; name: string; capabilities: string[] }[] };
  const { role_id = '', capabilities = [] } = roles.find(({ name }) => name === role) ?? {};
  const grants = [{ role_id, capabilities: change(capabilities) }];
  const { status } = await api.request('PUT', `/api${guildPath}/grants`, { grants });
  expect(status).toBe(200);
  return role_id;
}

test('a moderator gets into the guild once the owner has confirmed the proposed grants, and sees no tokens', async () => {
  verifies('capability.proposed.confirm');
  await open(owner, '/settings/roles');
  await owner.getByRole('button', { name: 'Confirm these grants' }).click();
  await owner.getByText('Nothing of this is in force yet').waitFor({ state: 'detached' });

  // The bot fetches who holds the role that was granted something.
  await expect
    .poll(() => moderator.reload().then(() => moderator.getByRole('link', { name: GUILD }).count()))
    .toBe(1);
  await moderator.getByRole('link', { name: GUILD }).click();
  await moderator.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  expect(await moderator.getByRole('link', { name: 'API & MCP' }).count()).toBe(0);
  const { hostname } = new URL(run.web);
  await moderator
    .context()
    .addCookies([{ name: 'bailiff.developer-mode', value: 'on', domain: hostname, path: '/' }]);
  const sections = ['roles', 'reasons', 'escalation'].map((section) => `/settings/${section}`);
  for (const path of ['/tokens', '/approvals', '/guard', ...sections]) {
    await open(moderator, path);
    await moderator.getByText(/^Only the guild.s owner can do this$/).waitFor();
    expect(await moderator.getByRole('main').getByRole('form').count(), path).toBe(0);
    expect(await moderator.getByRole('button', { name: 'Create token' }).count()).toBe(0);
  }
});

test('what a capability is missing for is not in the page, whatever its address', async () => {
  await grant('Moderator', (held) =>
    held.filter((name) => !name.startsWith('tickets.') && name !== 'members.read'),
  );
  for (const [path, needed] of [
    ['/tickets', 'tickets.read'],
    ['/tickets/1', 'tickets.read'],
    ['/members', 'members.read'],
    [`/members/${run.people.member}`, 'members.read'],
    ['/servers', 'servers.read'],
    [`/servers/${run.servers[0]?.id}`, 'servers.read'],
  ] as const) {
    await open(moderator, path);
    await moderator.getByText(`(${needed}).`).waitFor();
    expect(await moderator.getByRole('table').count(), path).toBe(0);
  }
});

test('a moderator takes up a ticket that comes in, and closes it with what was written in it', async () => {
  const added = ['tickets.read', 'tickets.write', 'members.read', 'servers.read', 'servers.rcon'];
  await grant('Moderator', (held) => [...held, ...added]);
  await open(moderator, '/tickets');
  await moderator.getByRole('heading', { level: 1, name: 'Tickets' }).waitFor();
  await say('ticket open', { subject: 'The lighthouse is dark' }, 'quiet');
  // Nobody reloads the page.
  const row = moderator.getByRole('row', { name: /The lighthouse is dark/ });
  await row.getByRole('button', { name: /^Claim/ }).click();
  await row.waitFor({ state: 'detached' });
  await moderator.getByRole('link', { name: /^Claimed/ }).click();
  await row.getByRole('link', { name: /^#\d+$/ }).click();
  await moderator.getByRole('heading', { level: 1, name: /^Ticket #\d+$/ }).waitFor();
  await writeIn(moderator);

  await moderator.getByRole('button', { name: 'Close ticket' }).click();
  const dialog = moderator.getByRole('dialog', { name: /^Close ticket/ });
  await dialog.getByLabel('Reason (optional)').fill('A new lamp is in');
  expect(await faultsIn(moderator)).toEqual([]);
  await dialog.getByRole('button', { name: 'Close ticket' }).click();
  await dialog.waitFor({ state: 'detached' });
  await moderator.getByText('A new lamp is in').waitFor();
  await moderator.getByText('It is <b>dark</b> out here').waitFor();
  await moderator.getByText('lamp.png').waitFor();
  expect(await moderator.locator('main img').count()).toBe(0);
});

test('a ticket from before a moderator’s roles were granted tickets says that its channel may be hidden', async () => {
  verifies('dashboard.tickets-before-grant');
  const tickets = ['tickets.read', 'tickets.write'];
  const warning = moderator.getByText('This ticket was opened before your roles were granted tickets');
  const look = async (subject: string) => {
    await open(moderator, '/tickets');
    await moderator
      .getByRole('row', { name: subject })
      .getByRole('link', { name: /^#\d+$/ })
      .click();
    await moderator.getByRole('heading', { level: 1, name: /^Ticket #\d+$/ }).waitFor();
  };
  await grant('Moderator', (held) => held.filter((name) => !tickets.includes(name)));
  await say('ticket open', { subject: 'The pier is loose' }, 'member2');
  await grant('Moderator', (held) => [...held, ...tickets]);
  await say('ticket open', { subject: 'The pier is gone' }, 'member2');
  await look('The pier is loose');
  await warning.waitFor();
  await look('The pier is gone');
  await expect(warning).toHaveCount(0);
});

/** The opener writes in the channel of the ticket that the page shows. */
async function writeIn(page: Page): Promise<void> {
  const address = await page.getByRole('link', { name: 'Open in Discord' }).getAttribute('href');
  const { status, text } = await send(`${run.sandbox}/sandbox/messages`, {
    method: 'POST',
    json: {
      user: 'quiet',
      channel: address?.split('/').at(-1),
      content: '**It is <b>dark</b> out here**',
      files: [{ filename: 'lamp.png', base64: 'AAAA' }],
    },
  });
  expect(status, text).toBe(200);
}

test('a moderator strikes a member from their record, and takes the strike back', async () => {
  // Nothing is on record about them: they are shown by their id.
  const userId = await joined('Flooding Flo');
  await open(moderator, '/members');
  await moderator.getByRole('searchbox').fill(userId);
  await moderator.getByRole('searchbox').press('Enter');
  await moderator.getByRole('link', { name: `Open the record of ${userId}` }).click();

  await moderator.getByRole('button', { name: 'Strike' }).click();
  const dialog = moderator.getByRole('dialog', { name: /^Give/ });
  await dialog.getByLabel('Severity').selectOption('major');
  await dialog.getByLabel('Reason', { exact: true }).fill('Flooded the harbour on purpose');
  await dialog.getByText(/with this strike/).waitFor();
  expect(await faultsIn(moderator)).toEqual([]);
  await dialog.getByRole('button', { name: 'Strike' }).click();
  await dialog.waitFor({ state: 'detached' });

  const row = moderator.getByRole('row', { name: /Flooded the harbour/ });
  await row.getByRole('link', { name: /^#\d+$/ }).click();
  await moderator.getByRole('heading', { level: 1, name: /^Strike #\d+$/ }).waitFor();
  await moderator.getByText('Strike given by').waitFor();
  await moderator.getByText('in the dashboard').waitFor();
  await moderator.getByRole('button', { name: 'Remove the strike' }).click();
  const question = moderator.getByRole('dialog', { name: /^Remove the strike/ });
  await question.getByLabel('Reason (optional)').fill('It was the storm');
  await question.getByRole('button', { name: 'Remove the strike' }).click();
  await moderator.getByText('Strike removed by').waitFor();
  await moderator.getByText('It was the storm').waitFor();

  await open(moderator, '/cases?q=harbour+flooded&standing=ended');
  await row.getByText('Removed').waitFor();
});

test('a moderator runs a command on a game server and sees what it answered', async () => {
  await open(moderator, `/servers/${run.servers[0]?.id}`);
  await moderator.getByLabel('Command').fill('say The tide is turning');
  await moderator.getByText('allowed', { exact: true }).waitFor();
  await moderator.getByRole('button', { name: 'Run' }).click();
  const entry = moderator.getByRole('list', { name: 'History' }).getByRole('listitem').first();
  await entry.getByText('[Server] The tide is turning').waitFor();
  await entry.getByText('done').waitFor();
});

test('an entry of the audit log shows no request that its reader may not make, and no details of the owner’s changes', async ({
  browser,
}) => {
  const roleId = await grant('Helper', () => ['audit.read']);
  const reason = 'Flooded the harbour on purpose';
  const newest = async (operation: string, shown: string) => {
    await open(owner, `/audit?outcome=performed&operation=${operation}`);
    await owner.getByRole('row').filter({ hasText: operation }).first().getByRole('link').first().click();
    await owner.getByText(shown).first().waitFor();
    return owner.url();
  };
  const [struck, granted] = [await newest('strikes.add', reason), await newest('grants.update', roleId)];

  const own = await browser.newContext();
  try {
    const helper = await own.newPage();
    await signIn(helper, run, 'helper');
    await expect.poll(async () => (await helper.goto(struck))?.status()).toBe(200);
    await expect.soft(helper.getByText('is shown to those who hold strikes.write')).toBeVisible();
    expect.soft(await helper.content()).not.toContain(reason);
    expect((await helper.goto(granted))?.status()).toBe(200);
    await helper.getByText('grants.update').first().waitFor();
    expect(await helper.content()).not.toContain(roleId);
  } finally {
    await own.close();
  }
});
