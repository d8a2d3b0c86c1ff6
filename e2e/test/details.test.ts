// Small things of the dashboard that people stumble over.
import { Owner, readSandbox, send, spareMembers } from '@bailiff/sandbox/visitor';
import type { Page, Route } from '@playwright/test';
import { openWhole } from '#src/all-pages.ts';
import { act as actAs } from '#src/api.ts';
import { faultsIn } from '#src/axe.ts';
import { refillBudgets } from '#src/budgets.ts';
import { say } from '#src/chat-command.ts';
import { expectChoiceShown } from '#src/keyboard.ts';
import { markKnown } from '#src/known-region.ts';
import { joined } from '#src/newcomers.ts';
import { signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

test.beforeAll(() => refillBudgets(run.directory));

const guild = `${run.web}/guilds/${run.guild_id}`;
let page: Page;
let owner: Owner;

test.beforeAll(async ({ browser }) => {
  owner = await Owner.signIn(run.web, run.people.owner ?? '');
  page = await (await browser.newContext()).newPage();
  await signIn(page, run, 'owner');
});
test.afterAll(() => page?.context().close());

const act = (operation: string, input: object) => actAs<unknown>(owner, run, operation, input);

const personField = (name: string) => page.getByRole('combobox', { name, exact: true });

test('a filter for a person in which nobody is chosen says so, and lists nothing', async () => {
  verifies('dashboard.filter-not-an-id', 'dashboard.filter-wrong');
  for (const [path, label] of [
    ['/cases', 'Member'],
    ['/tickets', 'Opened by'],
  ] as const) {
    await page.goto(`${guild}${path}`);
    await personField(label).fill('Hugo');
    await personField(label).blur();
    await page.getByText('Nobody was chosen for “Hugo”').waitFor();
    await expect(personField(label)).toHaveAttribute('aria-invalid', 'true');
    expect(await page.getByRole('main').getByRole('row').count()).toBe(0);
  }
  // Nor does the log hand out all of its entries for want of a person.
  await page.goto(`${guild}/audit?actor=Hugo`);
  await expect(page.getByRole('button', { name: 'Export' })).toBeDisabled();
  await page.goto(`${guild}/audit?actor=${run.people.owner}`);
  await expect(page.getByRole('button', { name: 'Export' })).toBeEnabled();
  await page.goto(`${guild}/tickets?opener=Hugo`);
  await page.getByRole('main').getByRole('link', { name: 'Members' }).click();
  await page.waitForURL(/\/members\?q=Hugo/);
  // Without a record, Discord finds them.
  const link = page.getByRole('main').getByRole('link', { name: /Hugo Lefevre/ });
  await expect(link).toHaveAttribute('href', /\/members\/\d+$/);
});

test('a click beside the words of a row opens what the row is about', async () => {
  const { body } = await owner.mint(run.guild_id, 'wide target');
  await page.goto(`${guild}/audit`);
  const row = page.getByRole('row').filter({ hasText: 'wide target' }).first();
  await row
    .getByRole('cell')
    .last()
    // What covers the row is its link.
    .click({ position: { x: 2, y: 2 }, force: true });
  await page.waitForURL(/\/audit\/\w+$/);
  await owner.revoke((body as { token: { id: string } }).token.id);
});

test('a filter finds a person by name with the keyboard alone, and the address keeps their id', async () => {
  verifies('people.field');
  await page.goto(`${guild}/cases`);
  const field = personField('Member');
  await field.focus();
  await page.keyboard.type('hug');
  const option = page.getByRole('option', { name: /Hugo Lefevre/ });
  await option.waitFor();
  await expect(page.getByRole('status').filter({ hasText: '1 person' })).toBeAttached();
  await expect(field).toHaveAttribute('aria-expanded', 'true');
  await expect(field).toHaveAttribute('aria-activedescendant', (await option.getAttribute('id')) ?? '');
  await expectChoiceShown(field);
  expect(await faultsIn(page)).toEqual([]);
  // Enter chooses nobody whom an earlier text has found.
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  await page.route('**/people?*', (route) => held.then(() => route.continue()));
  await page.keyboard.type('z');
  await page.keyboard.press('Enter');
  letGo();
  await page.getByRole('status').filter({ hasText: 'Nobody found.' }).waitFor();
  await expect(page).toHaveURL(/\/cases$/);
  await page.unrouteAll({ behavior: 'wait' });
  await page.keyboard.press('Backspace');
  await option.waitFor();
  await page.keyboard.press('Escape');
  await expect(field).toHaveAttribute('aria-expanded', 'false');
  await page.keyboard.press('ArrowDown');
  await option.waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/[?&]member=\d+$/);
  await expect(field).toHaveValue('Hugo Lefevre');
  await expect(field).toBeFocused();
  const chips = page.getByRole('list', { name: 'Filters that are set' });
  await expect(chips.getByRole('link')).toHaveText([/^Member: Hugo Lefevre/]);

  // The page says the name too when it is opened anew, and an id or a mention is a way in.
  const id = new URL(page.url()).searchParams.get('member') ?? '';
  await page.reload();
  await expect(field).toHaveValue('Hugo Lefevre');
  await field.fill('');
  await page.keyboard.press('Enter');
  await page.waitForURL(/cases$/);
  await field.fill(`<@${id}>`);
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`member=${id}$`));
  await expect(field).toHaveValue('Hugo Lefevre');
  await chips.getByRole('link', { name: 'Member: Hugo Lefevre' }).click();
  await page.waitForURL(/cases$/);
  await expect(field).toHaveValue('');
});

test('everybody in the server and everybody on record is listed, page by page', async () => {
  verifies('dashboard.members.in-server', 'dashboard.members.on-record');
  const people = page.getByRole('main').getByRole('row').getByRole('link');
  await page.goto(`${guild}/members`);
  await page.getByRole('link', { name: 'In the server', exact: true }).click();
  await people.filter({ hasText: 'Mira Voss' }).waitFor();
  await expect(people.filter({ hasText: '@' })).toHaveCount(20);
  await page.getByRole('link', { name: 'Next page' }).click();
  await page.waitForURL(/list=server&after=\d+$/);
  await expect(people.filter({ hasText: 'Mira Voss' })).toHaveCount(0);
  await people.first().waitFor();

  await page.goto(`${guild}/members?list=server&after=999999999999999999`);
  await page.getByText('This was the last page.').waitFor();
  await page.getByRole('link', { name: 'On record', exact: true }).click();
  await page.waitForURL(/list=record$/);
  await page
    .getByRole('link', { name: 'On record', exact: true })
    .and(page.locator('[aria-current=page]'))
    .waitFor();
});

test('an address that asks for an impossible action says why, and opens no form', async () => {
  verifies('dashboard.act.obstacle');
  await page.goto(`${guild}/members/${run.people.owner}?act=bans.add`);
  const told = page.getByRole('dialog').filter({ hasText: 'The guild owner cannot be the target.' });
  await told.waitFor();
  await expect(page.getByRole('dialog', { name: /^Ban/ })).toHaveCount(0);
  await expect(page).toHaveURL(/\/members\/\d+$/);
});

test('a page that is slow to come is said to be on its way, until it is there', async () => {
  verifies('dashboard.navigation.said');
  await page.goto(`${guild}/members`);
  await page.waitForLoadState('networkidle');
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route('**/cases?_rsc=*', (route) => held.then(() => route.continue()));
  try {
    const said = page.getByRole('status').filter({ hasText: 'Loading' });
    await page.getByRole('link', { name: 'Cases', exact: true }).click();
    await said.waitFor({ state: 'attached' });
    await expect(page.getByRole('heading', { level: 1, name: 'Members' })).toBeVisible();
    expect(await faultsIn(page)).toEqual([]);
    letGo();
    await page.getByRole('heading', { level: 1, name: 'Cases' }).waitFor();
    await expect(said).toHaveCount(0);
  } finally {
    letGo();
    await page.unroute('**/cases?_rsc=*');
  }
});

test('the audit log is filtered by a token that is chosen by its name', async () => {
  verifies('audit.filter.token');
  const { body } = await owner.mint(run.guild_id, 'lamplighter');
  const { id } = (body as { token: { id: string } }).token;
  await page.goto(`${guild}/audit`);
  await page.getByText('By person or id').click();
  const token = page.getByLabel('Token', { exact: true });
  await token.selectOption('lamplighter');
  await page.waitForURL(new RegExp(`token=${id}`));
  const chips = page.getByRole('list', { name: 'Filters that are set' });
  await expect(chips.getByRole('link')).toHaveText([/^Token: lamplighter/]);
  await page.getByRole('row').filter({ hasText: 'Create a token' }).waitFor();

  // The field is still there for who empties it.
  await token.focus();
  await page.keyboard.press('Home');
  await page.waitForURL((url) => !url.searchParams.has('token'));
  await expect(chips).toHaveCount(0);
  await expect(token).toBeFocused();
  await owner.revoke(id);
});

test('the page of anybody says who they are, and offers what can be done now, with the reason for the rest', async () => {
  verifies('members.page', 'members.page-obstacles');
  const button = (name: string) => page.getByRole('main').getByRole('button', { name, exact: true });
  await page.goto(`${guild}/members?q=hugo`);
  await page
    .getByRole('main')
    .getByRole('link', { name: /Hugo Lefevre/ })
    .click();
  await page.getByRole('heading', { level: 1, name: 'Hugo Lefevre' }).waitFor();
  const main = page.getByRole('main');
  await main.getByText('@hugo').first().waitFor();
  await main.getByText('Joined').waitFor();
  for (const name of ['Strike', 'Mute', 'Kick', 'Ban']) await expect(button(name)).toBeEnabled();

  await page.goto(`${guild}/members/${run.people.owner}`);
  await main.getByText('Owner', { exact: true }).waitFor();
  await main.getByText('The guild owner cannot be the target.').waitFor();
  for (const name of ['Strike', 'Mute', 'Kick', 'Ban']) await expect(button(name)).toBeDisabled();

  const { guild: inSandbox } = await readSandbox(run.sandbox ?? '', run.guild_id);
  const userId = spareMembers(inSandbox, run.people).at(12) ?? '';
  await act('bans.add', { user_id: userId, reason: 'Cut the ropes' });
  await page.goto(`${guild}/members/${userId}`);
  await main.getByText('Banned', { exact: true }).waitFor();
  await main.getByText('Not in this server', { exact: true }).waitFor();
  await main.getByText('They are not in this server.', { exact: true }).waitFor();
  await expect(button('Kick')).toBeDisabled();
  await button('Lift the ban').click();
  const dialog = page.getByRole('dialog', { name: /^Lift the ban/ });
  await dialog.getByRole('button', { name: 'Lift the ban' }).click();
  await dialog.waitFor({ state: 'detached' });
  await expect(button('Lift the ban')).toHaveCount(0);
  await expect(main.getByText('Banned', { exact: true })).toHaveCount(0);
});

test('a case is changed on its page, and its timeline keeps what stood before', async () => {
  verifies('cases.edit.dashboard');
  const { guild: inSandbox } = await readSandbox(run.sandbox ?? '', run.guild_id);
  const userId = spareMembers(inSandbox, run.people).at(13) ?? '';
  const { mute } = (await act('mutes.add', {
    ...{ user_id: userId, reason: 'Rang the bell', duration_minutes: 60 },
  })) as { mute: { case_number: number } };
  await page.goto(`${guild}/cases/${mute.case_number}`);
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: /^Change/ });
  await dialog.getByLabel('Reason').fill('Rang the bell at night');
  await dialog.getByLabel('How many').fill('2');
  await dialog.getByLabel('Unit').selectOption('days');
  await dialog.getByRole('button', { name: 'Change', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  const main = page.getByRole('main');
  await main.getByText('Length: 1 hour, now 2 days').waitFor();
  await expect(main.getByText('Rang the bell', { exact: true })).toHaveCount(1);
  await expect(main.getByText('Rang the bell at night', { exact: true })).toHaveCount(1);
  await expect(main.getByText(/^Changed by/)).toHaveCount(2);

  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await dialog.getByLabel('Reason').fill('Rang every bell');
  await dialog.getByRole('button', { name: 'Change', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await expect(main.getByText(/^Changed by/)).toHaveCount(3);
  for (const reason of ['Rang the bell', 'Rang the bell at night', 'Rang every bell'])
    await expect(main.getByText(reason, { exact: true })).toHaveCount(1);
});

test('a number leads to its case, and a span of days ends with its last one', async () => {
  verifies('dashboard.filter-instant');
  const { warning } = (await act('warnings.add', {
    user_id: run.people.troll,
    reason: 'Moored at noon',
  })) as {
    warning: { case_number: number; issued_at: string };
  };
  const day = warning.issued_at.slice(0, 10);
  await page.goto(`${guild}/cases?from=${day}&to=${day}&q=moored`);
  await page.getByRole('row', { name: /Moored at noon/ }).waitFor();
  const dayBefore = new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
  await page.goto(`${guild}/cases?to=${dayBefore}&q=moored`);
  await page.getByText('No case fits').waitFor();
  await page.goto(`${guild}/cases`);
  await page.getByRole('searchbox').fill(`#${warning.case_number}`);
  await page.getByRole('searchbox').press('Enter');
  await page.waitForURL(new RegExp(`/cases/${warning.case_number}$`));
  await page.getByText('Moored at noon').first().waitFor();
});

test('a strike says before and after what it leads to, and both cases lead to each other', async () => {
  verifies('dashboard.forecast-in-force');
  const escalateBy = async (major_points: number, ...steps: object[]) => {
    const escalation = { minor_points: 1, major_points, decay_days: 30, steps };
    const path = `/api/guilds/${run.guild_id}/escalation`;
    expect((await owner.request('PUT', path, escalation)).body).toMatchObject({ major_points });
  };
  await escalateBy(2, { points: 2, sanction: 'mute', duration_minutes: 60 });
  const { guild: sample } = await readSandbox(run.sandbox ?? '', run.guild_id);
  let userId = spareMembers(sample, run.people).at(16) ?? '';
  const strikeDialog = async (severity: string) => {
    await page.goto(`${guild}/members/${userId}`);
    // Times are shorter once the page is alive, which moves the button.
    await page.getByRole('main').getByText(/ago/).first().waitFor();
    await page.getByRole('button', { name: 'Strike', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: /^Give/ });
    await dialog.getByLabel('Severity').selectOption(severity);
    return dialog;
  };
  const first = await strikeDialog('minor');
  await first
    .getByText('Now 0 points; with this strike 1 point. It does not lead to a mute or ban.')
    .waitFor();
  await first.getByLabel('Severity').selectOption('major');
  await first.getByText('Now 0 points; with this strike 2 points. It leads to a mute for 1 hour.').waitFor();
  await first.getByLabel('Reason', { exact: true }).fill('Cut the nets');
  await first.getByRole('button', { name: 'Strike', exact: true }).click();
  await first.waitFor({ state: 'detached' });
  await page
    .getByRole('row', { name: /Cut the nets/ })
    .getByRole('link', { name: /^#\d+$/ })
    .first()
    .click();
  await page
    .getByText(/^Led to case #\d+, at 2 points$/)
    .getByRole('link')
    .click();
  await page.getByText(/^Follows from strike #\d+, at 2 points$/).waitFor();
  await page.getByText('It ends by itself').waitFor();

  userId = spareMembers(sample, run.people).at(17) ?? '';
  await act('mutes.add', { user_id: userId, duration_minutes: 120, reason: 'Sang all night' });
  const second = await strikeDialog('major');
  await second.getByText('A mute at least as long is in force already, so nothing more follows.').waitFor();

  // What follows is another than what was read in the dialog.
  userId = spareMembers(sample, run.people).at(19) ?? '';
  const third = await strikeDialog('major');
  await third.getByText('It leads to a mute for 1 hour.').waitFor();
  await third.getByLabel('Reason', { exact: true }).fill('Hid the charts');
  // An open page that hears of the change asks again, and would say it in the dialog before the strike is sent.
  const { promise: sent, resolve: letAsk } = Promise.withResolvers<void>();
  const isForecast = ({ pathname }: URL) => pathname.endsWith('/escalation');
  await page.route(isForecast, async (route) => {
    await sent;
    await route.continue();
  });
  await escalateBy(2, { points: 2, sanction: 'ban', duration_minutes: null });
  await third.getByRole('button', { name: 'Strike', exact: true }).click();
  await expect(third.getByRole('alert')).toBeVisible();
  letAsk();
  await third.getByText('It leads to a permanent ban.').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  await openWhole(page, page.url());
  await expect(page.getByText('Hid the charts')).toHaveCount(0);
  // Other files begin with the points that a guild has from the start, and without steps.
  await escalateBy(3);
});

test('a strike that somebody else gives meanwhile counts in an open dialog', async () => {
  verifies('dashboard.forecast-in-force');
  const userId = await joined('Struck Twice');
  await page.goto(`${guild}/members/${userId}`);
  await page.getByRole('button', { name: 'Strike', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: /^Give/ });
  await dialog.getByText('Now 0 points').waitFor();
  await dialog.getByLabel('Reason', { exact: true }).fill('Cut the line');
  await act('strikes.add', { user_id: userId, severity: 'minor', reason: 'Cut the sail' });
  await dialog.getByText('Now 1 point;').waitFor();
  await dialog.getByRole('button', { name: 'Strike', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
});

test('a strike whose answer was lost is given once, however often its button is pressed', async () => {
  verifies('dashboard.sent-again');
  const userId = await joined('Struck Once');
  const strikes = async () => {
    const path = `/api/guilds/${run.guild_id}/members/${userId}/escalation?severity=minor`;
    return ((await owner.request('GET', path)).body as { points_before: number }).points_before;
  };
  await page.goto(`${guild}/members/${userId}`);
  await page.getByRole('button', { name: 'Strike', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: /^Give/ });
  await dialog.getByText('Now 0 points').waitFor();
  await dialog.getByLabel('Reason', { exact: true }).fill('Rocked the boat');
  const strike = dialog.getByRole('button', { name: 'Strike', exact: true });
  const lost = async (route: Route) => {
    await route.fetch();
    await route.abort();
  };
  await page.route('**/actions', lost, { times: 1 });
  await strike.click();
  await dialog.getByText('No answer came, so this may have been done.').waitFor();
  // It says by now what another strike would lead to.
  await dialog.getByText('Now 1 point;').waitFor();
  await page.route('**/actions', (route) => route.fulfill({ status: 504, body: 'Gateway Timeout' }), {
    times: 1,
  });
  await strike.click();
  await dialog.getByText('No answer came, so this may have been done.').waitFor();
  await strike.click();
  await dialog.waitFor({ state: 'detached' });
  expect(await strikes()).toBe(1);
  await expect(page.getByRole('row', { name: /Rocked the boat/ })).toHaveCount(1);
  // Another one for the same reason is another one.
  await page.getByRole('button', { name: 'Strike', exact: true }).click();
  await dialog.getByLabel('Reason', { exact: true }).fill('Rocked the boat');
  await strike.click();
  await dialog.waitFor({ state: 'detached' });
  expect(await strikes()).toBe(2);
});

test('Enter that ends a word of an input method chooses nobody and no channel', async () => {
  const composed = { key: 'Enter', isComposing: true };
  await page.goto(`${guild}/cases`);
  const field = personField('Member');
  await field.focus();
  await page.keyboard.type('hug');
  await page.getByRole('option', { name: /Hugo Lefevre/ }).waitFor();
  await field.dispatchEvent('keydown', composed);
  await expect(field).toHaveValue('hug');
  await page.keyboard.press('Enter');
  await page.waitForURL(/[?&]member=\d+$/);

  await page.goto(`${guild}/settings`);
  const channel = page.getByRole('combobox', { name: 'Log channel' });
  await channel.fill('mod-log');
  await page.getByRole('option', { name: '#mod-log' }).waitFor();
  for (const pressed of [composed, { key: 'Enter', keyCode: 229 }]) {
    await channel.dispatchEvent('keydown', pressed);
    await expect(channel).toHaveValue('mod-log');
  }
  await channel.press('Enter');
  await expect(channel).toHaveValue('#mod-log');
  await page.getByRole('button', { name: 'Discard' }).click();
});

test('a change of a case changes nothing back that somebody else has changed meanwhile', async () => {
  verifies('cases.edit.dashboard');
  const userId = await joined('Changed Charlie');
  const { ban } = (await act('bans.add', {
    ...{ user_id: userId, reason: 'Sank the bouy', duration_minutes: 1_440 },
  })) as { ban: { case_number: number } };
  await page.goto(`${guild}/cases/${ban.case_number}`);
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: /^Change/ });
  await dialog.getByLabel('Reason').fill('Sank the buoy');
  await act('bans.change', { userId, duration_minutes: 20_160 });
  // The page behind the dialog has heard of it.
  await page.locator('main').getByText('Length: 1 day, now 2 weeks').waitFor({ state: 'attached' });
  await dialog.getByRole('button', { name: 'Change', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  const main = page.getByRole('main');
  await main.getByText('Sank the buoy', { exact: true }).first().waitFor();
  await expect(main.getByText(/^Changed by/)).toHaveCount(2);
  await expect(main.getByText(/now 1 day$/)).toHaveCount(0);
});

test('a form is sent once, and a refusal that comes when its dialog was closed is said, and closes none', async () => {
  const userId = await joined('Late Larry');
  await page.goto(`${guild}/members/${userId}`);
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  await page.route('**/actions', async (route) => {
    await held;
    if (route.request().postData()?.includes('bans.add') === true)
      await route.fulfill({
        status: 403,
        json: { error: { code: 'FORBIDDEN', message: 'Not today.', details: {} } },
      });
    else await route.continue();
  });
  const open = async (name: string, title: RegExp) => {
    await page.getByRole('main').getByRole('button', { name, exact: true }).click();
    const dialog = page.getByRole('dialog', { name: title });
    await dialog.getByLabel('Reason', { exact: true }).fill(`To ${name}`);
    return dialog;
  };
  for (const [name, title] of [
    ['Ban', /^Ban /],
    ['Warn', /^Warn /],
  ] as const) {
    const dialog = await open(name, title);
    await dialog.getByRole('button', { name, exact: true }).click();
    await expect(dialog.getByRole('button', { name, exact: true })).toBeDisabled();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
  const mute = await open('Mute', /^Mute /);
  letGo();
  await page.getByRole('dialog').filter({ hasText: 'Not today.' }).waitFor();
  await page.getByRole('row', { name: /To Warn/, includeHidden: true }).waitFor({ state: 'attached' });
  await expect(mute.getByLabel('Reason', { exact: true })).toHaveValue('To Mute');
  await page.unrouteAll({ behavior: 'wait' });
  await page.keyboard.press('Escape');
});

test('filters apply when they are chosen, and chips remove them one by one or all at once', async () => {
  verifies('dashboard.filter-instant', 'dashboard.filter-chips');
  await page.goto(`${guild}/cases`);
  // What a screen reader reads out each time that the list has become another.
  const status = page.getByRole('search', { name: 'Filter cases' }).getByRole('status');
  await markKnown(status);
  await page.evaluate(`
    globalThis.told = [];
    const region = document.querySelector('.known');
    const keep = () => region.textContent === '' || told.push(region.textContent);
    new MutationObserver(keep).observe(region, { characterData: true, childList: true, subtree: true })`);
  const expectTold = (times: number) =>
    expect.poll(() => page.evaluate('told')).toEqual(Array(times).fill('The list has changed.'));
  await page.getByLabel('Kind').selectOption('ban');
  await page.waitForURL(/kind=ban/);
  await expectTold(1);
  await page.getByRole('searchbox').fill('lamp');
  await page.getByRole('searchbox').press('Enter');
  await page.waitForURL(/q=lamp/);
  await expectTold(2);
  const chips = page.getByRole('list', { name: 'Filters that are set' });
  await expect(chips.getByRole('link')).toHaveText([/^“lamp”/, /^Kind: Ban/]);
  await chips.getByRole('link', { name: 'Kind: Ban' }).click();
  await page.waitForURL(/cases\?q=lamp$/);
  await expectTold(3);
  await expect(page.getByLabel('Kind')).toHaveValue('');
  await expect(chips.getByRole('link', { name: '“lamp”' })).toBeFocused();
  await page.goBack();
  await expect(page.getByLabel('Kind')).toHaveValue('ban');
  await page.getByRole('link', { name: 'Clear all' }).click();
  await page.waitForURL(/cases$/);
  await expect(page.getByRole('searchbox')).toHaveValue('');
});

test('on a phone the filters are behind a button that says how many are set', async () => {
  verifies('dashboard.filter-instant');
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${guild}/cases?kind=ban&standing=ended&q=lamp`);
  await expect(page.getByLabel('Kind')).toBeHidden();
  await page.getByRole('button', { name: 'Filters (2)' }).click();
  await expect(page.getByLabel('Kind')).toHaveValue('ban');
  // What is wrong with one is seen at once.
  await page.goto(`${guild}/cases?kind=wrong`);
  await expect(page.getByLabel('Kind')).toBeVisible();
  await page.setViewportSize({ width: 1280, height: 720 });
});

test('columns and exact times are chosen for this browser', async () => {
  verifies('dashboard.columns', 'dashboard.exact-times');
  await page.goto(`${guild}/audit`);
  const header = page.getByRole('columnheader');
  const time = page.getByRole('main').locator('time').first();
  await page.getByRole('button', { name: 'Display' }).click();
  const dialog = page.getByRole('dialog', { name: 'Display' });
  await dialog.getByLabel('Target').uncheck();
  await dialog.getByRole('switch', { name: 'Exact times' }).check();
  await page.keyboard.press('Escape');
  await expect(header).toHaveText(['When', 'What', 'Who', 'Outcome', 'From']);
  await expect(time).toHaveText(/^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
  await page.reload();
  await expect(header).toHaveText(['When', 'What', 'Who', 'Outcome', 'From']);
  await page.getByRole('button', { name: 'Display' }).click();
  await dialog.getByLabel('Target').check();
  await dialog.getByRole('switch', { name: 'Exact times' }).uncheck();
  await page.keyboard.press('Escape');
  await expect(header).toHaveCount(6);
  await expect(time).toHaveText(/ago$|^now$/);
  await expect(time).toHaveAttribute('title', / UTC$/);
});

test('filters are kept under a name, and opened and removed by it', async () => {
  verifies('dashboard.saved-views');
  await page.goto(`${guild}/cases?kind=ban&standing=ended`);
  const dialog = page.getByRole('dialog', { name: 'Views' });
  await page.getByRole('button', { name: 'Views' }).click();
  await dialog.getByLabel('Name').fill('Old bans');
  await dialog.getByRole('button', { name: 'Save these filters' }).click();
  await dialog.getByRole('link', { name: 'Old bans' }).waitFor();
  await page.goto(`${guild}/cases`);
  await page.getByRole('button', { name: 'Views' }).click();
  await dialog.getByRole('link', { name: 'Old bans' }).click();
  await page.waitForURL(/cases\?kind=ban&standing=ended$/);
  // Those of another page are others.
  await page.getByRole('link', { name: 'Audit log', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
  await page.getByRole('button', { name: 'Views' }).click();
  await dialog.waitFor();
  await expect(dialog.getByRole('link')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Cases' }).waitFor();
  await page.getByRole('button', { name: 'Views' }).click();
  await dialog.getByRole('button', { name: 'Remove the view Old bans' }).click();
  await expect(dialog.getByRole('link')).toHaveCount(0);
  await page.keyboard.press('Escape');
});

test('a sanction that another replaced reads so in lists, and who is muted is shown as such', async () => {
  verifies('dashboard.case-replaced', 'dashboard.present-state');
  const { guild: sample } = await readSandbox(run.sandbox ?? '', run.guild_id);
  const userId = spareMembers(sample, run.people).at(-3) ?? '';
  await act('mutes.add', { user_id: userId, duration_minutes: 60, reason: 'Sang off key' });
  await act('mutes.add', { user_id: userId, duration_minutes: 120, reason: 'Sang on' });
  await page.goto(`${guild}/cases?member=${userId}`);
  await page
    .getByRole('row', { name: /Sang off key/ })
    .getByText('Replaced')
    .waitFor();
  await page
    .getByRole('row', { name: /Sang on/ })
    .getByText('In force')
    .waitFor();
  await page.goto(`${guild}/members/${userId}`);
  await page.getByText('Muted', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Mute', exact: true }).click();
  await page
    .getByRole('dialog')
    .getByText(/^They are muted already \(case #\d+\)/)
    .waitFor();
});

test('a filter that is chosen before the page is alive counts', async () => {
  verifies('dashboard.filter-early');
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/_next/static/**/*.js', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${guild}/cases`, { waitUntil: 'commit' });
  await page.getByLabel('Kind').selectOption('ban');
  release();
  await page.waitForURL(/kind=ban/);
  await expect(page.getByLabel('Kind')).toHaveValue('ban');
  await page.unrouteAll({ behavior: 'wait' });
});

test('grants that are not saved are still there after another page', async () => {
  verifies('dashboard.grants-kept');
  await page.goto(`${guild}/settings/roles`);
  const box = page.getByRole('checkbox', { name: 'Helper: audit.read' });
  const before = await box.isChecked();
  await box.setChecked(!before);
  await page.getByText('You have unsaved changes').last().waitFor();
  await page.getByRole('link', { name: 'Cases', exact: true }).click();
  await page
    .getByRole('dialog', { name: 'Leave without saving?' })
    .getByRole('button', { name: 'Leave' })
    .click();
  await page.getByRole('heading', { level: 1, name: 'Cases' }).waitFor();
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('link', { name: 'Roles', exact: true }).click();
  await page.getByText('You have unsaved changes').last().waitFor();
  await expect(box).toBeChecked({ checked: !before });
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(box).toBeChecked({ checked: before });
});

test('the chart by moderator counts neither members who opened tickets nor what the bot did by itself', async () => {
  verifies('dashboard.moderators-only');
  await say('ticket open', { subject: 'Where is the ferry?' }, 'member');
  await say('warn', { user: run.people.troll ?? '', reason: 'Rang the bell' });
  await page.goto(guild);
  await page.getByText('Show as a table').nth(1).click();
  const columns = page.getByRole('table', { name: 'What was done: By moderator' }).getByRole('columnheader');
  await expect(columns.filter({ hasText: 'Mira Voss' })).toHaveCount(1);
  await expect(columns.filter({ hasText: /Sana Iqbal|bailiff/i })).toHaveCount(0);
});

test('an unknown case keeps the pages of the guild, and without Developer Mode Approvals is no other page', async () => {
  const pages = page.getByRole('navigation', { name: 'Guild' });
  for (const path of ['/cases/999999', '/members/111111111111111111']) {
    await page.goto(`${guild}${path}`);
    await pages.getByRole('link', { name: 'Cases', exact: true }).waitFor();
  }
  await page.goto(`${guild}/approvals`);
  await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
  await expect(pages.locator('[aria-current=page]').filter({ hasNotText: 'Approvals' })).toHaveCount(0);
});

test('two steps of escalation with the same points are told of at once, and not previewed', async () => {
  verifies('dashboard.escalation-twins');
  await page.goto(`${guild}/settings/escalation`);
  const points = page.getByLabel('At (points)');
  for (const steps of [1, 2]) {
    await page.getByRole('button', { name: 'Add a step' }).click();
    await expect(points).toHaveCount(steps);
  }
  const last = points.last();
  await last.fill(await points.nth(-2).inputValue());
  await page
    .getByText(/^Another step already uses \d+ points?$/)
    .first()
    .waitFor();
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeDisabled();
  await expect(page.getByRole('heading', { name: 'What this means' })).toHaveCount(0);
});

test.describe('a sign-in that did not work', () => {
  for (const [error, said] of [
    ['OAuthSignin', 'Discord could not be reached.'],
    ['OAuthCallback', 'Discord did not confirm the sign-in.'],
    ['Callback', 'The sign-in could not be completed.'],
    ['AnythingElse', 'The sign-in did not work.'],
  ] as const) {
    test(`says why: ${error}`, async ({ page: own }) => {
      await own.goto(`${run.web}/sign-in?error=${error}`);
      await own.getByText('You are not signed in').waitFor();
      await own.getByText(said).waitFor();
      await own.getByRole('button', { name: 'Sign in with Discord' }).waitFor();
    });
  }
});

test('who cancels at Discord reads that they cancelled', async ({ browser }) => {
  verifies('auth.sign-in-cancelled');
  const other = await (await browser.newContext()).newPage();
  await other.goto(`${run.web}/sign-in`);
  await other.getByRole('button', { name: 'Sign in with Discord' }).click();
  await other.getByRole('link', { name: 'Cancel' }).click();
  await other.getByText('You cancelled at Discord').waitFor();
  await other.getByRole('button', { name: 'Sign in with Discord' }).waitFor();
  await other.context().close();
});

test('a sign-in that Bailiff refuses to begin says why where it was asked for, and can be asked for again', async ({
  browser,
}) => {
  verifies('dashboard.refused-form');
  const other = await (await browser.newContext()).newPage();
  const address = `${run.web}/sign-in?callbackUrl=%2Fguilds`;
  await other.goto(address);
  const button = other.getByRole('button', { name: 'Sign in with Discord' });
  const refusing = [
    ['**/api/auth/csrf', 503, 'Bailiff’s database does not answer.'],
    ['**/api/auth/csrf', 429, 'Too many requests from this address.'],
    ['**/api/auth/signin/discord', 503, 'Bailiff’s database does not answer now.'],
    ['**/api/auth/signin/discord', 429, 'Too many requests from this address now.'],
  ] as const;
  for (const [path, status, message] of refusing) {
    await other.route(path, (route) => route.fulfill({ status, json: { error: { code: 'X', message } } }));
    await button.click();
    await other.getByRole('alert').filter({ hasText: message }).waitFor();
    await expect(button).toBeEnabled();
    expect(other.url()).toBe(address);
    await other.unrouteAll({ behavior: 'wait' });
  }
  await button.click();
  await other.getByRole('link', { name: 'Cancel' }).waitFor();
  await other.context().close();
});

test('the test of a game server shows how it ended, or that the bot has not tried', async () => {
  verifies('servers.test-result');
  await page.clock.install();
  await page.goto(`${guild}/servers`);
  const button = page.getByRole('button', { name: /^Test / }).first();
  await button.click();
  await page.getByText(/^Testing .* …$/).waitFor();
  await page.getByText(/ (answers\.|cannot be used: )/).waitFor();
  // A bot that does not come to it for as long as the page waits.
  await page.route('**/check', (route) => route.fulfill({ status: 202, json: {} }));
  await button.click();
  await page.clock.fastForward(15_000);
  await expect(async () => {
    // Less than the message stays.
    await page.clock.fastForward(5_000);
    await page.getByText(/^The bot has not tried /).waitFor({ timeout: 1_000 });
  }).toPass();
  await page.unrouteAll({ behavior: 'wait' });
});

test('what is typed on in a field for a person begins with the first of them again', async () => {
  verifies('people.field');
  await page.goto(`${guild}/cases`);
  const field = personField('Member');
  const options = page.getByRole('listbox', { name: 'Member' }).getByRole('option');
  await field.fill('a');
  await expect(options.first()).toHaveAttribute('aria-selected', 'true');
  await options.nth(1).waitFor();
  await field.press('ArrowDown');
  await expect(options.nth(1)).toHaveAttribute('aria-selected', 'true');
  await field.fill('o');
  await expect(options.first()).toHaveAttribute('aria-selected', 'true');
});

test('cases are linked by their numbers, lead to each other, and are parted again', async () => {
  verifies('cases.link');
  const { guild: sample } = await readSandbox(run.sandbox ?? '', run.guild_id);
  const userId = spareMembers(sample, run.people).at(18) ?? '';
  const numbers: number[] = [];
  for (const reason of ['Hid the oars', 'Hid the sails']) {
    const answer = (await act('warnings.add', { user_id: userId, reason })) as {
      warning: { case_number: number };
    };
    numbers.push(answer.warning.case_number);
  }
  const [one = 0, other = 0] = numbers;
  await page.goto(`${guild}/cases/${one}`);
  const field = page.getByLabel('Number of another case');
  await field.fill('999999');
  await page.getByRole('button', { name: 'Link', exact: true }).click();
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await expect(field).toBeFocused();
  await expect(field).toHaveAccessibleDescription(/#999999|does not exist here/);
  await field.press('Enter');
  await page
    .getByRole('alert')
    .filter({ hasText: /#999999|does not exist here/ })
    .waitFor();
  await field.fill(`#${other}`);
  await page.getByRole('button', { name: 'Link', exact: true }).click();
  const linked = page.getByRole('region', { name: 'Linked cases' });
  await linked.getByRole('link', { name: new RegExp(`#${other}$`) }).waitFor();
  await expect(field).toHaveValue('');
  await linked.getByRole('link', { name: new RegExp(`#${other}$`) }).click();
  await page.waitForURL(new RegExp(`/cases/${other}$`));
  await page.getByRole('button', { name: `Unlink case #${one}` }).click();
  await expect(page.getByRole('button', { name: `Unlink case #${one}` })).toHaveCount(0);
});

test('a preset brings its severity too, which changes later on the page of the case', async () => {
  verifies('cases.edit.dashboard');
  const presets = `/api/guilds/${run.guild_id}/presets`;
  const preset = { kind: 'strike', name: 'Flags', reason: 'Wrong flag', severity: 'major' };
  const { body } = await owner.request('POST', presets, preset);
  const { guild: sample } = await readSandbox(run.sandbox ?? '', run.guild_id);
  const userId = spareMembers(sample, run.people).at(19) ?? '';
  await page.goto(`${guild}/members/${userId}`);
  await page.getByRole('button', { name: 'Strike', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: /^Give/ });
  await dialog.getByLabel('Preset reason').selectOption('Flags');
  await expect(dialog.getByLabel('Reason', { exact: true })).toHaveValue('Wrong flag');
  await expect(dialog.getByLabel('Severity')).toHaveValue('major');
  await dialog.getByRole('button', { name: 'Strike', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await owner.request('DELETE', `${presets}/${(body as { id: string }).id}`);
  await page
    .getByRole('row', { name: /Wrong flag/ })
    .getByRole('link', { name: /^#\d+$/ })
    .click();
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  const changing = page.getByRole('dialog', { name: /^Change/ });
  await changing.getByLabel('Severity').selectOption('minor');
  await changing.getByRole('button', { name: 'Change', exact: true }).click();
  await changing.waitFor({ state: 'detached' });
  await page.getByRole('main').getByText('Severity: Major, now Minor').waitFor();
});

test('a strike that leads to a ban without an end says so before', async () => {
  verifies('dashboard.forecast-in-force');
  const escalation = `/api/guilds/${run.guild_id}/escalation`;
  const points = { minor_points: 1, major_points: 3, decay_days: 30 };
  await owner.request('PUT', escalation, {
    ...points,
    steps: [{ points: 1, sanction: 'ban', duration_minutes: null }],
  });
  const { guild: sample } = await readSandbox(run.sandbox ?? '', run.guild_id);
  await page.goto(`${guild}/members/${spareMembers(sample, run.people).at(15)}`);
  await page.getByRole('button', { name: 'Strike', exact: true }).click();
  await page.getByText('It leads to a permanent ban.').waitFor();
  await owner.request('PUT', escalation, { ...points, steps: [] });
});

test('an id in the search of cases lists the cases of that person', async () => {
  const { guild: sample } = await readSandbox(run.sandbox ?? '', run.guild_id);
  const userId = spareMembers(sample, run.people).at(14) ?? '';
  await act('warnings.add', { user_id: userId, reason: 'Fed the gulls' });
  await page.goto(`${guild}/cases?q=${userId}`);
  await page.getByRole('row', { name: /Fed the gulls/ }).waitFor();
  await page.goto(`${guild}/cases?q=${userId}&member=${userId}`);
  await page.getByRole('row', { name: /Fed the gulls/ }).waitFor();
  // No case is about that person and another.
  await page.goto(`${guild}/cases?q=${run.people.owner}&member=${userId}`);
  await page.getByText('No case fits').waitFor();
  expect(await page.getByRole('row').count()).toBe(0);
});

test('a mute never gets the length without an end that only a ban can have', async () => {
  await page.goto(`${guild}/members/${await joined('Endless Enno')}`);
  await page.getByRole('main').getByRole('button', { name: 'Mute', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: /^Mute/ });
  const amount = dialog.getByLabel('How many');
  await amount.fill('2 days');
  await dialog.getByLabel('Reason', { exact: true }).focus();
  await expect(amount).toHaveValue('2');
  await amount.fill('permanent');
  await dialog.getByLabel('Reason', { exact: true }).focus();
  await expect(amount).toHaveValue('permanent');
  await expect(dialog.getByLabel('Unit')).toHaveValue('days');
});

test('a ban takes the messages away that its dialog was told to, and no others', async () => {
  const [userId, other] = [await joined('Loud Lou'), await joined('Quiet Quinn')];
  const write = (user: string, content: string) =>
    send(`${run.sandbox}/sandbox/messages`, { method: 'POST', json: { user, channel: 'general', content } });
  await write(userId, 'Buy my sheep');
  await write(other, 'No, thanks');
  await page.goto(`${guild}/members/${userId}`);
  await page.getByRole('main').getByRole('button', { name: 'Ban', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: /^Ban/ });
  await dialog.getByLabel('Delete their messages').selectOption({ label: 'Of the last 1 hour' });
  await dialog.getByLabel('Reason', { exact: true }).fill('Sells sheep');
  await dialog.getByRole('button', { name: 'Ban', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  const written = (await send(`${run.sandbox}/sandbox/state`, {})).text;
  expect(written).toContain('No, thanks');
  expect(written).not.toContain('Buy my sheep');
});

test('a preset reason brings its length into the dialog on one person, as it is sent', async () => {
  const presets = `/api/guilds/${run.guild_id}/presets`;
  const preset = { kind: 'mute', name: 'Horns', reason: 'Blew the horn', duration_minutes: 180 };
  const { body } = await owner.request('POST', presets, preset);
  const userId = await joined('Horace Horn');
  await page.goto(`${guild}/members/${userId}`);
  await page.getByRole('button', { name: 'Mute', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: /^Mute/ });
  await expect(dialog.getByLabel('How many')).toHaveValue('1');
  await dialog.getByLabel('Preset reason').selectOption('Horns');
  await expect(dialog.getByLabel('How many')).toHaveValue('3');
  await expect(dialog.getByLabel('Unit')).toHaveValue('hours');
  await page.keyboard.press('Escape');
  await owner.request('DELETE', `${presets}/${(body as { id: string }).id}`);
});

test('a ban for a while becomes one without an end on the page of its case', async () => {
  verifies('cases.edit.dashboard');
  const userId = await joined('Ever After');
  const answer = (await act('bans.add', { user_id: userId, reason: 'Sank it', duration_minutes: 60 })) as {
    ban: { case_number: number };
  };
  await page.goto(`${guild}/cases/${answer.ban.case_number}`);
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: /^Change/ });
  await dialog.getByLabel('Unit').selectOption('permanent');
  await dialog.getByRole('button', { name: 'Change', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('main').getByText('Length: 1 hour, now permanent').waitFor();
});

test('a strike that was taken back has no severity to change any more', async () => {
  verifies('cases.edit.dashboard');
  const given = { user_id: await joined('Forgiven Finn'), severity: 'minor', reason: 'Missed the tide' };
  const { strike } = (await act('strikes.add', given)) as { strike: { id: string; case_number: number } };
  const changing = async () => {
    await page.goto(`${guild}/cases/${strike.case_number}`);
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: /^Change/ });
    await dialog.getByLabel('Reason').waitFor();
    return dialog.getByLabel('Severity').count();
  };
  expect(await changing()).toBe(1);
  await act('strikes.remove', { strikeId: strike.id });
  expect(await changing()).toBe(0);
});

test('the points of a member stand beside those of the next step, and what follows then', async () => {
  const escalation = `/api/guilds/${run.guild_id}/escalation`;
  const points = { minor_points: 1, major_points: 3, decay_days: 30 };
  const steps = [{ points: 5, sanction: 'ban', duration_minutes: null }];
  await owner.request('PUT', escalation, { ...points, steps });
  const userId = await joined('Pointed Pia');
  await act('strikes.add', { user_id: userId, severity: 'major', reason: 'Threw the anchor' });
  await page.goto(`${guild}/members/${userId}`);
  const main = page.getByRole('main');
  await main.getByText('5 points lead to a ban').waitFor();
  await owner.request('PUT', escalation, { ...points, steps: [] });
});

test('the twenty-first name for filters is refused, and what was typed stays', async () => {
  verifies('dashboard.saved-views');
  await page.goto(`${guild}/cases?kind=kick`);
  const dialog = page.getByRole('dialog', { name: 'Views' });
  await page.getByRole('button', { name: 'Views' }).click();
  const name = dialog.getByLabel('Name');
  const save = dialog.getByRole('button', { name: 'Save these filters' });
  for (let view = 1; view <= 20; view += 1) {
    await name.fill(`Kicks ${view}`);
    await save.click();
    await expect(dialog.getByRole('link')).toHaveCount(view);
  }
  await name.fill('One too many');
  await save.click();
  await dialog.getByText('20 views are kept at most. Remove one first.').waitFor();
  await expect(name).toHaveValue('One too many');
  const remove = dialog.getByRole('button', { name: /^Remove the view/ });
  for (let left = 19; left >= 0; left -= 1) {
    await remove.first().click();
    await expect(dialog.getByRole('link')).toHaveCount(left);
  }
  await page.keyboard.press('Escape');
});
