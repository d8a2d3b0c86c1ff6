import { Owner, send } from '@bailiff/sandbox/visitor';
import type { Locator, Page } from '@playwright/test';
import { faultsInThemes } from '#src/axe.ts';
import { refillBudgets } from '#src/budgets.ts';
import { expectChoiceShown, focusedHeading } from '#src/keyboard.ts';
import { signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

const settings = `${run.web}/guilds/${run.guild_id}/settings`;

let page: Page;

const channel = (json: object) => send(`${run.sandbox}/sandbox/channels`, { method: 'POST', json });

test.beforeAll(() => refillBudgets(run.directory));
test.beforeAll(async ({ browser }) => {
  await channel({
    action: 'create',
    name: 'quiet-log',
    overwrite: { of: 'Bailiff', deny: ['SendMessages', 'EmbedLinks'] },
  });
  page = await browser.newPage();
  await signIn(page, run, 'owner');
});
test.afterAll(async () => {
  await channel({ action: 'delete', channel: 'quiet-log' });
  await page?.close();
});

const save = async () => {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'detached' });
};

test('the log channel is chosen by name, with the keyboard, and the owner reads what to grant and tests it', async () => {
  verifies('settings.channel-field', 'settings.test-channel');
  await page.goto(settings);
  const field = page.getByRole('combobox', { name: 'Log channel' });
  await field.fill('no such channel');
  await page.keyboard.press('Tab');
  await page
    .getByText(/^No channel matches this/)
    .first()
    .waitFor();

  await field.fill('QUIET');
  const lacking = 'Bailiff cannot write there: grant Send Messages, Embed Links';
  await page.getByRole('option', { name: `#quiet-log ${lacking}` }).waitFor();
  await page.keyboard.press('Enter');
  await expect(field).toHaveValue('#quiet-log');
  await page.getByText(lacking).waitFor();
  await page.getByRole('button', { name: 'Send a test: Log channel' }).click();
  await page
    .getByText("Give the bot's role the permissions Send Messages, Embed Links in #quiet-log.")
    .waitFor();

  // What is granted meanwhile in Discord is seen without a reload.
  await channel({ action: 'update', channel: 'quiet-log', overwrite: { of: 'Bailiff', deny: [] } });
  await page.getByText(lacking).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Send a test: Log channel' }).click();
  await page.getByRole('dialog', { name: 'The test is in #quiet-log.' }).waitFor();

  await page.getByRole('button', { name: 'No log channel', exact: true }).click();
  await expect(field).toHaveValue('');
  await expect(field).toBeFocused();
});

test("a channel's link is a way in, and that of another guild is refused", async () => {
  verifies('settings.channel-field');
  await page.goto(settings);
  const field = page.getByRole('combobox', { name: 'Log channel' });
  await field.fill(`https://discord.com/channels/834989431927603201/${run.channels.mod_log}`);
  await page.keyboard.press('Tab');
  await page.getByText('This channel is in another guild.').first().waitFor();
  await field.fill(`https://discord.com/channels/${run.guild_id}/${run.channels.mod_log}`);
  await page.keyboard.press('Tab');
  await expect(field).toHaveValue('#mod-log');
  await expect(page.getByText('This channel is in another guild.')).toHaveCount(0);
  const reports = page.getByRole('combobox', { name: 'Channel for reports' });
  await reports.fill(`https://discord.com/channels/834989431927603201/${run.channels.mod_log}`);
  await page.keyboard.press('Tab');
  await page.getByText('This channel is in another guild.').first().waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(field).toHaveValue('');
});

test('the arrow keys move through the channels, and the one that is said to be active is chosen', async () => {
  verifies('settings.channel-field');
  await page.goto(settings);
  const field = page.getByRole('combobox', { name: 'Log channel' });
  const options = page.getByRole('listbox', { name: 'Log channel' }).getByRole('option');
  const expectActive = async (place: number) =>
    expect(field).toHaveAttribute(
      'aria-activedescendant',
      (await options.nth(place).getAttribute('id')) ?? '',
    );
  await field.click();
  await options.nth(2).waitFor();
  await expectActive(0);
  await field.press('ArrowDown');
  await expectActive(1);
  await field.press('ArrowDown');
  await expectActive(2);
  await expectChoiceShown(field);
  const [name = ''] = /#\S+/.exec((await options.nth(2).textContent()) ?? '') ?? [];
  await field.press('Enter');
  await expect(field).toHaveValue(name);
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(field).toHaveValue('');
});

test('each section has its own address, and the former addresses of headings lead to it', async () => {
  verifies('settings.sections');
  // From elsewhere: on the same page only the anchor would change.
  await page.goto('about:blank');
  await page.goto(`${settings}#part-Escalation`);
  await page.waitForURL(/\/settings\/escalation/);
  await page.getByRole('heading', { level: 2, name: 'Escalation' }).waitFor();
  const sections = page.getByRole('navigation', { name: 'Sections of the settings' });
  await expect(sections.getByRole('link', { name: 'Escalation' })).toHaveAttribute('aria-current', 'page');
  await page.setViewportSize({ width: 360, height: 740 });
  await sections.getByRole('link', { name: 'Reasons' }).click();
  await page.getByRole('heading', { level: 2, name: 'Preset reasons' }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('the search of the settings leads to a field, in whatever section it is', async () => {
  verifies('settings.search');
  await page.goto(settings);
  const search = page.getByRole('combobox', { name: 'Search settings' });
  await search.fill('expire');
  await page.getByRole('option', { name: 'Strikes expire after (days)' }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/settings\/escalation/);
  await expect(page.getByLabel('Strikes expire after (days)')).toBeFocused();
  await search.fill('minor');
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Points of a minor strike')).toBeFocused();
});

test('the owner adds words to the messages to members, sees them in a preview, and they are there again', async () => {
  verifies('notices.own-words.settings');
  await page.goto(`${settings}/notices`);
  const preview = page.getByRole('region', { name: 'Preview' });
  await expect(preview).toContainText('You were banned from');
  await expect(preview).not.toContainText('From the moderators of');
  const words = page.getByLabel('Your own words');
  await words.fill('Write to {moderator}');
  await page.getByText('There is no placeholder {moderator}').first().waitFor();
  await words.fill('Rules of {server}: https://rules.test ({reason})');
  await expect(preview).toContainText(
    /From the moderators of .*Rules of .*\(Griefing in the market square\)/s,
  );
  await page.getByLabel('Colour').fill('#aa3366');
  expect(await faultsInThemes(page)).toEqual([]);
  await save();
  await page.setViewportSize({ width: 360, height: 740 });
  await page.reload();
  await expect(words).toHaveValue('Rules of {server}: https://rules.test ({reason})');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  await page.setViewportSize({ width: 1440, height: 900 });
  await words.fill('');
  await save();
});

test('the owner chooses of which commands everybody in the channel is told', async () => {
  verifies('chat.public-answers.settings');
  await page.goto(`${settings}/notices`);
  const answers = page.getByRole('group', { name: 'Tell everybody in the channel' });
  await answers.getByLabel('Ban', { exact: true }).check();
  await answers.getByLabel('Mute', { exact: true }).check();
  expect(await faultsInThemes(page)).toEqual([]);
  await save();
  await page.setViewportSize({ width: 360, height: 740 });
  await page.reload();
  await expect(answers.getByRole('checkbox', { checked: true })).toHaveCount(2);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await answers.getByLabel('Ban', { exact: true }).uncheck();
  await answers.getByLabel('Mute', { exact: true }).uncheck();
  await save();
});

test('nobody leaves unsaved changes without being asked, and they are still there afterwards', async () => {
  verifies('settings.unsaved');
  await page.goto(`${run.web}/guilds/${run.guild_id}/cases`);
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  const language = page.getByLabel("The guild's language");
  await language.selectOption('fr');
  const bar = page.getByText('You have unsaved changes').last();
  await bar.waitFor();

  const asked = page.getByRole('dialog', { name: 'Leave without saving?' });
  await page.getByRole('link', { name: 'Roles', exact: true }).click();
  await asked.getByRole('button', { name: 'Keep editing' }).click();
  await expect(language).toHaveValue('fr');

  // Keys and the palette lead away too.
  await expect(asked).toHaveCount(0);
  await expect(async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await asked.waitFor({ timeout: 1_000 });
  }).toPass();
  await asked.getByRole('button', { name: 'Keep editing' }).click();
  await expect(asked).toHaveCount(0);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^A page, a name/ }).fill('cases');
  await page.getByRole('option', { name: /^Cases/ }).waitFor();
  await page.keyboard.press('Enter');
  await asked.getByRole('button', { name: 'Keep editing' }).click();
  await expect(page).toHaveURL(/\/settings$/);
  await expect(language).toHaveValue('fr');

  await page.evaluate('history.back()');
  await asked.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { level: 1, name: 'Cases' }).waitFor();
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await expect(language).toHaveValue('fr');
  await bar.waitFor();

  // Closing the tab asks too.
  const asksBeforeClosing = () =>
    page.evaluate("!window.dispatchEvent(new Event('beforeunload', { cancelable: true }))");
  expect(await asksBeforeClosing()).toBe(true);
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(language).toHaveValue('en');
  await bar.waitFor({ state: 'detached' });
  expect(await asksBeforeClosing()).toBe(false);
});

test('a role is added to the grants by name, and what to know about it is said where it is chosen', async () => {
  verifies('dashboard.role-field', 'dashboard.grants.role-facts');
  await page.goto(`${settings}/roles`);
  await page.getByRole('rowheader', { name: /^Moderator In Discord: Ban Members, Kick Members,/ }).waitFor();
  const field = page.getByRole('combobox', { name: 'Add a role' });
  await field.fill('everyone');
  await page.getByRole('option', { name: '@everyone Everybody in the server has this role.' }).waitFor();
  await field.fill('bailiff');
  await page.getByRole('option', { name: /Discord or an app decides who has this role\.$/ }).waitFor();

  const mark = page.getByRole('checkbox', { name: 'Artist: strikes.read' });
  await expect(mark).toHaveCount(0);
  await field.fill('ÁRTI');
  await page.getByRole('option', { name: 'Artist', selected: false }).waitFor();
  await page.keyboard.press('Enter');
  await expect(mark).toBeFocused();
  await expect(page.getByText('You have unsaved changes')).toHaveCount(0);
  await page.keyboard.press('Space');
  await page.getByText('You have unsaved changes').last().waitFor();
  await field.fill('artist');
  await expect(page.getByRole('option', { name: 'Artist' })).toHaveCount(0); // it is in the table
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(mark).toHaveCount(0);
});

test('a channel goes with its text, and what stands for no channel is discarded', async () => {
  verifies('settings.channel-field', 'log.topics.settings');
  await page.goto(settings);
  const field = page.getByRole('combobox', { name: 'Log channel' });
  const save = page.getByRole('button', { name: 'Save', exact: true });
  const discard = page.getByRole('button', { name: 'Discard' });
  await field.fill('mod-log');
  await page.getByRole('option', { name: '#mod-log' }).waitFor();
  await page.keyboard.press('Enter');
  await save.click();
  for (const label of ['Log channel', 'Mutes']) {
    const each = page.getByRole('combobox', { name: label, exact: true });
    const before = label === 'Mutes' ? '' : '#mod-log';
    await expect(each).toHaveValue(before);
    await each.fill('no such channel');
    await page.keyboard.press('Tab');
    await discard.click();
    await expect(each).toHaveValue(before);
    await expect(discard).toHaveCount(0);
  }
  await field.fill('');
  await page.keyboard.press('Tab');
  await save.click();
  await expect(save).toHaveCount(0);
  await expect(focusedHeading(page)).toHaveCount(1);
  await page.reload();
  await expect(field).toHaveValue('');
});

test('the grants are filled in from Discord’s permissions again', async () => {
  await page.goto(`${settings}/roles`);
  const mark = page.getByRole('checkbox', { name: 'Moderator: bans.read' });
  const more = page.getByRole('checkbox', { name: 'Moderator: servers.rcon' });
  await mark.uncheck();
  await more.check();
  await page.getByRole('button', { name: "Fill in from Discord's permissions" }).click();
  await expect(mark).toBeChecked();
  await expect(more).not.toBeChecked();
  const discard = page.getByRole('button', { name: 'Discard' });
  if (await discard.isVisible()) await discard.click();
});

let signedIn: Promise<Owner> | undefined;
/** The owner, signed in once: Bailiff limits how often somebody signs in. */
function theOwner(): Promise<Owner> {
  signedIn ??= Owner.signIn(run.web, run.people.owner ?? '');
  return signedIn;
}

/** Sets some settings of the guild over the dashboard's API, as the owner. */
async function set(method: 'PUT' | 'PATCH', path: string, json: object): Promise<void> {
  const owner = await theOwner();
  expect((await owner.request(method, `/api/guilds/${run.guild_id}/${path}`, json)).status).toBe(200);
}

test('a new step stands above the others, and the step goes whose button was pressed', async () => {
  await page.goto(`${settings}/escalation`);
  const add = page.getByRole('button', { name: 'Add a step' });
  for (let steps = 0; steps < 2; steps += 1) await add.click();
  const points = page.getByLabel('At (points)');
  await expect(points).toHaveCount(2);
  const [first, second] = [await points.first().inputValue(), await points.last().inputValue()];
  expect(Number(second)).toBeGreaterThan(Number(first));
  await page.getByRole('button', { name: 'Remove step 1' }).click();
  await expect(points).toHaveCount(1);
  await expect(points).toHaveValue(second);
  await page.getByRole('button', { name: 'Discard' }).click();
});

test('a step that bans without an end mutes for a day once it is a mute', async () => {
  await page.goto(`${settings}/escalation`);
  await page.getByRole('button', { name: 'Add a step' }).click();
  const step = page.getByRole('group', { name: 'Step 1' });
  const follows = step.getByLabel('What follows');
  await follows.selectOption('Ban');
  await step.getByLabel('Unit').selectOption('permanent');
  await expect(step.getByLabel('How many')).toHaveCount(0);
  await follows.selectOption('Mute');
  await expect(step.getByLabel('How many')).toHaveValue('1');
  await expect(step.getByLabel('Unit')).toHaveValue('days');
  await page.getByRole('button', { name: 'Discard' }).click();
});

test('a step whose length is refused gets the focus, and is in sight with the reason', async () => {
  await page.goto(`${settings}/escalation`);
  await page.getByRole('button', { name: 'Add a step' }).click();
  const amount = page.getByRole('group', { name: 'Step 1' }).getByLabel('How many');
  await amount.fill('soon');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(amount).toHaveAttribute('aria-invalid', 'true');
  await expect(amount).toBeFocused();
  await expect(amount).toBeInViewport();
  await expect(amount).toHaveAccessibleDescription(/above 0/);
  await page.getByRole('button', { name: 'Discard' }).click();
});

test('a new colour alone is saved, and who sends no messages to members reads so where their words are', async () => {
  verifies('notices.own-words.settings');
  const off = page.getByText('This server sends no messages to members.');
  await page.goto(`${settings}/notices`);
  const colour = page.getByLabel('Colour');
  const before = await colour.inputValue();
  await colour.fill('#123456');
  await save();
  await page.reload();
  await expect(colour).toHaveValue('#123456');
  await expect(off).toHaveCount(0);
  await set('PATCH', 'settings', { notifies_targets: false, notice_colour: before });
  await page.reload();
  await off.waitFor();
  await expect(colour).toHaveValue(before);
  await set('PATCH', 'settings', { notifies_targets: true });
});

test('a silence of five days, which the list does not offer, is shown as it is, and the alert about joins is kept', async () => {
  await set('PATCH', 'settings', { alerts_quiet_days: 5 });
  await page.goto(settings);
  const silence = page.getByLabel('Tell the moderators when somebody with cases writes after a silence');
  await expect(silence.locator('option:checked')).toHaveText('After 5 days');
  const joins = page.getByRole('switch', { name: 'Tell the moderators when somebody with cases joins' });
  const before = await joins.isChecked();
  await joins.setChecked(!before);
  await save();
  await page.reload();
  await expect(joins).toBeChecked({ checked: !before });
  await set('PATCH', 'settings', { alerts_joins: before, alerts_quiet_days: null });
});

test('a channel for reports, no messages to members and a silence of a week are kept, and nothing else', async () => {
  await page.goto(settings);
  const [log, reports] = ['Log channel', 'Channel for reports'].map((name) =>
    page.getByRole('combobox', { name, exact: true }),
  ) as [Locator, Locator];
  const tells = page.getByRole('switch', { name: 'Tell members what was done to them' });
  const joins = page.getByRole('switch', { name: 'Tell the moderators when somebody with cases joins' });
  const silence = page.getByLabel('Tell the moderators when somebody with cases writes after a silence');
  const before = await joins.isChecked();
  await reports.fill('mod-log');
  await page.getByRole('option', { name: '#mod-log' }).click();
  await tells.uncheck();
  await silence.selectOption('After 7 days');
  await save();
  await page.reload();
  await expect(reports).toHaveValue('#mod-log');
  await expect(log).toHaveValue('');
  await expect(tells).not.toBeChecked();
  await expect(joins).toBeChecked({ checked: before });
  await expect(silence.locator('option:checked')).toHaveText('After 7 days');
  const first = { reports_channel_id: null, notifies_targets: true, alerts_quiet_days: null };
  await set('PATCH', 'settings', first);
});

test('the length of a step stays its own when another is removed, when changes are discarded, and after a reload', async () => {
  const points = { minor_points: 1, major_points: 3, decay_days: 30 };
  const mute = (at: number, duration_minutes: number) => ({ points: at, sanction: 'mute', duration_minutes });
  await set('PUT', 'escalation', { ...points, steps: [mute(3, 60), mute(6, 1_440)] });
  await page.goto(`${settings}/escalation`);
  const step = page.getByRole('group', { name: 'Step 1' });
  const amount = step.getByLabel('How many');
  await amount.fill('7');
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(amount).toHaveValue('1');
  await page.getByRole('button', { name: 'Remove step 1' }).click();
  await save();
  await expect(step.getByLabel('At (points)')).toHaveValue('6');
  await expect(amount).toHaveValue('1');
  await expect(step.getByLabel('Unit')).toHaveValue('days');
  await amount.fill('5');
  await page.reload();
  await page.getByText('You have unsaved changes').first().waitFor();
  await expect(amount).toHaveValue('5');
  await page.getByRole('button', { name: 'Discard' }).click();
  await set('PUT', 'escalation', { ...points, steps: [] });
});

test('steps that were saved elsewhere stay when the points that were typed here are saved', async () => {
  verifies('settings.unsaved');
  const points = { minor_points: 1, major_points: 3, decay_days: 30 };
  await set('PUT', 'escalation', { ...points, steps: [] });
  await page.goto(`${settings}/escalation`);
  const major = page.getByLabel('Points of a major strike');
  await major.fill('4');
  const step = { points: 6, sanction: 'mute', duration_minutes: 60 };
  await set('PUT', 'escalation', { ...points, steps: [step] });
  await expect(page.getByLabel('At (points)')).toHaveValue('6');
  await save();
  await page.reload();
  await expect(page.getByLabel('At (points)')).toHaveValue('6');
  await expect(major).toHaveValue('4');
  await expect(page.getByLabel('Strikes expire after (days)')).toHaveValue('30');
  await set('PUT', 'escalation', { ...points, steps: [] });
});

test('words that were saved elsewhere stay when only the colour is changed here', async () => {
  verifies('settings.unsaved');
  // A page that hears of nothing shows what was saved when it was opened.
  await page.route('**/events?*', (route) => route.abort());
  await page.goto(`${settings}/notices`);
  const colour = page.getByLabel('Colour');
  const before = await colour.inputValue();
  await colour.fill('#224466');
  await set('PATCH', 'settings', { notice_words: 'Ask in #help' });
  await save();
  await page.unroute('**/events?*');
  await page.reload();
  await expect(page.getByLabel('Your own words')).toHaveValue('Ask in #help');
  await expect(colour).toHaveValue('#224466');
  await set('PATCH', 'settings', { notice_words: '', notice_colour: before });
});

test('what was changed and changed back is forgotten: what is saved elsewhere later is no unsaved change', async () => {
  verifies('settings.unsaved');
  const bar = page.getByText('You have unsaved changes');
  await page.goto(settings);
  const language = page.getByLabel("The guild's language");
  await language.selectOption('fr');
  await bar.last().waitFor();
  await language.selectOption('en');
  await expect(bar).toHaveCount(0);
  await set('PATCH', 'settings', { language: 'de' });
  await expect(language).toHaveValue('de');
  await expect(bar).toHaveCount(0);
  await set('PATCH', 'settings', { language: 'en' });
});

test('a capability that is taken from a role elsewhere is not granted again by what is marked here', async () => {
  verifies('settings.unsaved');
  const bar = page.getByText('You have unsaved changes');
  const owner = await theOwner();
  const { body } = await owner.request('GET', `/api/guilds/${run.guild_id}/grants`);
  const { roles } = body as { roles: { role_id: string; name: string }[] };
  const { role_id } = roles.find(({ name }) => name === 'Artist') ?? { role_id: '' };
  const grant = (...capabilities: string[]) => set('PUT', 'grants', { grants: [{ role_id, capabilities }] });
  await grant('members.read', 'strikes.read');
  try {
    await page.goto(`${settings}/roles`);
    const mark = (capability: string) => page.getByRole('checkbox', { name: `Artist: ${capability}` });
    await mark('bans.read').check();
    await bar.last().waitFor();
    await mark('bans.read').uncheck();
    await expect(bar).toHaveCount(0);
    await grant('members.read');
    await expect(mark('strikes.read')).not.toBeChecked();
    await expect(bar).toHaveCount(0);

    await mark('bans.read').check();
    await bar.last().waitFor();
    await grant('strikes.read');
    await expect(mark('members.read')).not.toBeChecked();
    await expect(mark('strikes.read')).toBeChecked();
    await save();
    await page.reload();
    await expect(mark('bans.read')).toBeChecked();
    await expect(mark('strikes.read')).toBeChecked();
    await expect(mark('members.read')).not.toBeChecked();
  } finally {
    await grant();
  }
});

test('what is typed while a save is under way stays, and is said to be unsaved', async () => {
  // What is filled in while the page's scripts take up longer words would take the place of some of them only.
  await set('PATCH', 'settings', { notice_words: '' });
  await page.goto(`${settings}/notices`);
  const words = page.getByLabel('Your own words');
  await words.fill('Write to us');
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  await page.route('**/settings', async (route) => {
    if (route.request().method() === 'PATCH') await held;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await words.press('End');
  await words.pressSequentially(' any time');
  letGo();
  await page.getByRole('dialog', { name: 'Saved.' }).waitFor();
  await page.unroute('**/settings');
  await expect(words).toHaveValue('Write to us any time');
  await save();
  await page.reload();
  await expect(words).toHaveValue('Write to us any time');
  await set('PATCH', 'settings', { notice_words: '' });
});

async function removePreset(name: string): Promise<void> {
  const button = { name: `Remove ${name}`, exact: true };
  await page.getByRole('button', button).click();
  const dialog = page.getByRole('dialog', { name: `Remove ${name}?` });
  await dialog.getByText('What was given with it stays as it is.').waitFor();
  await dialog.getByRole('button', button).click();
  // As long as it is open, what stands behind it counts as gone.
  await dialog.waitFor({ state: 'detached' });
}

test('a length with a decimal comma is that length, and what is no length is refused', async () => {
  await page.goto(`${settings}/reasons`);
  await page.getByRole('button', { name: 'Add a reason' }).click();
  const dialog = page.getByRole('dialog', { name: 'A new preset reason' });
  await dialog.getByLabel('Name').fill('Half measures');
  await dialog.getByLabel('For', { exact: true }).selectOption('Ban');
  await dialog.getByLabel('Reason').fill('Half sank the ferry');
  const amount = dialog.getByLabel('How many');
  const add = dialog.getByRole('button', { name: 'Add a reason' });
  await amount.fill('3 dyas');
  await add.click();
  await expect(amount).toHaveAttribute('aria-invalid', 'true');
  await dialog.getByText('Write a number above 0, such as 3 or 1.5.').waitFor();
  await expect(dialog.getByText('must be at least 1')).toHaveCount(1);
  await expect(amount).toBeFocused();
  await expect(amount).toHaveAccessibleDescription(/must be at least 1.*above 0/);
  // Whoever is in the field already hears no more of it, so they are told.
  await amount.press('Enter');
  await expect(dialog.getByRole('alert')).toContainText('must be at least 1');
  await expect(amount).toBeFocused();
  await amount.fill('1,5');
  await add.click();
  await dialog.waitFor({ state: 'detached' });
  const row = page.getByRole('row').filter({ hasText: 'Half sank the ferry' });
  await expect(row).toContainText('36 hours');
  await removePreset('Half measures');
  await row.waitFor({ state: 'detached' });
});

for (const written of ['1,440', '1.440'])
  test(`a length of ${written} minutes is a day`, async () => {
    verifies('durations.dashboard');
    await page.goto(`${settings}/reasons`);
    await page.getByRole('button', { name: 'Add a reason' }).click();
    const dialog = page.getByRole('dialog', { name: 'A new preset reason' });
    await dialog.getByLabel('Name').fill('A whole day');
    await dialog.getByLabel('For', { exact: true }).selectOption('Ban');
    await dialog.getByLabel('Reason').fill('Moored for a day');
    await dialog.getByLabel('Unit').selectOption('minutes');
    await dialog.getByLabel('How many').fill(written);
    await dialog.getByRole('button', { name: 'Add a reason' }).click();
    await dialog.waitFor({ state: 'detached' });
    const row = page.getByRole('row').filter({ hasText: 'Moored for a day' });
    await expect(row).toContainText('1 day');
    await removePreset('A whole day');
    await row.waitFor({ state: 'detached' });
  });

test('a preset reason for a ban without an end is kept as that, and a length in seconds is never shorter than written', async () => {
  await page.goto(`${settings}/reasons`);
  await page.getByRole('button', { name: 'Add a reason' }).click();
  const dialog = page.getByRole('dialog', { name: 'A new preset reason' });
  await dialog.getByLabel('Name').fill('Wreckers');
  await dialog.getByLabel('For', { exact: true }).selectOption('Mute');
  await dialog.getByLabel('How many').fill('90 s');
  await dialog.getByLabel('Unit').focus();
  await expect(dialog.getByLabel('How many')).toHaveValue('2');
  await expect(dialog.getByLabel('Unit')).toHaveValue('minutes');
  await dialog.getByLabel('For', { exact: true }).selectOption('Ban');
  await dialog.getByLabel('Unit').selectOption('permanent');
  await dialog.getByLabel('Reason').fill('Wrecked the pier');
  await dialog.getByRole('button', { name: 'Add a reason' }).click();
  await dialog.waitFor({ state: 'detached' });
  const row = page.getByRole('row').filter({ hasText: 'Wrecked the pier' });
  await expect(row).toContainText('permanent');
  await removePreset('Wreckers');
  await expect(row).toHaveCount(0);
});

test('two parts of the log get channels of their own at once', async () => {
  verifies('log.topics.settings');
  await set('PATCH', 'settings', { log_channel_id: run.channels.mod_log });
  await page.goto(settings);
  const [mutes, tickets] = ['Mutes', 'Tickets'].map((name) =>
    page.getByRole('combobox', { name, exact: true }),
  ) as [Locator, Locator];
  for (const field of [mutes, tickets]) {
    await field.fill('quiet');
    await page.getByRole('option', { name: '#quiet-log' }).click();
  }
  await save();
  await page.reload();
  for (const field of [mutes, tickets]) await expect(field).toHaveValue('#quiet-log');
  await set('PATCH', 'settings', { log_topics: { mutes: null, tickets: null }, log_channel_id: null });
});

test('two forms with unsaved changes ask once before the page is left', async () => {
  verifies('settings.unsaved');
  await set('PATCH', 'settings', { log_channel_id: run.channels.mod_log });
  await page.goto(`${run.web}/guilds/${run.guild_id}/cases`);
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByLabel("The guild's language").selectOption('fr');
  await page.getByRole('combobox', { name: 'Tickets', exact: true }).fill('quiet');
  await page.getByRole('option', { name: '#quiet-log' }).click();
  const discard = page.getByRole('button', { name: 'Discard' });
  await expect(discard).toHaveCount(2);

  const asked = page.getByRole('dialog', { name: 'Leave without saving?' });
  await page.getByRole('link', { name: 'Roles', exact: true }).click();
  await asked.getByRole('button', { name: 'Keep editing' }).click();
  await expect(asked).toHaveCount(0);
  await expect(page.getByRole('status').filter({ hasText: 'Loading' })).toHaveCount(0);

  await page.evaluate('history.back()');
  await asked.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { level: 1, name: 'Cases' }).waitFor();
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  for (const left of [1, 0]) {
    await discard.first().click();
    await expect(discard).toHaveCount(left);
  }
  await set('PATCH', 'settings', { log_channel_id: null });
});

test('a switch is there, and says whether it is on, where the system chooses the colours', async () => {
  await page.goto(settings);
  await page.emulateMedia({ forcedColors: 'active' });
  const notify = page.getByRole('switch', { name: 'Tell members what was done to them' });
  await expect(notify).toHaveCSS('appearance', 'auto');
  await page.emulateMedia({ forcedColors: 'none' });
});

test('a guild gets ten steps of escalation and no more', async () => {
  await page.goto(`${settings}/escalation`);
  const add = page.getByRole('button', { name: 'Add a step' });
  const points = page.getByLabel('At (points)');
  for (let steps = 1; steps <= 10; steps += 1) {
    await add.click();
    await expect(points).toHaveCount(steps);
  }
  await expect(add).toBeDisabled();
  await expect(page.getByText('There are at most 10 steps')).toBeVisible();
  await page.getByRole('button', { name: 'Discard' }).click();
});

test('the preview of a message fills in the end and the way to appeal, each in its place', async () => {
  verifies('notices.own-words.settings');
  await page.goto(`${settings}/notices`);
  await page.getByLabel('Your own words').fill('Until {until}. Write to {appeal}');
  const preview = page.getByRole('region', { name: 'Preview' });
  await expect(preview).toContainText(/Until \w+ \d+, 20\d\d at .*\. Write to http\S+\/appeal\//);
  await page.getByRole('button', { name: 'Discard' }).click();
});
