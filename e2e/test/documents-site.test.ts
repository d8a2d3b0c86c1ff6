import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readSandbox, send, spareMembers } from '@bailiff/sandbox/visitor';
import { faultsIn } from '#src/axe.ts';
import { interact } from '#src/interact.ts';
import { expectChoiceShown } from '#src/keyboard.ts';
import { signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

const SEARCH = 'Search the documentation';

test('the documentation is read and searched by keyboard alone, without signing in', async ({ page }) => {
  verifies('docs.site', 'docs.search');
  await page.goto(`${run.web}/docs/owners`);
  const search = page.getByRole('combobox', { name: SEARCH });
  await page.keyboard.press('/');
  await expect(search).toBeFocused();
  await search.pressSequentially('add strike');
  const options = page.getByRole('search').getByRole('option');
  await expect(options.first()).toBeVisible();
  expect(await faultsIn(page)).toEqual([]);
  await page.keyboard.press('ArrowDown');
  await expect(options.first()).toHaveAttribute('aria-selected', 'true');

  await search.fill('two addresses');
  await page.getByRole('option', { name: 'Two addresses · Running' }).waitFor();
  // What was chosen was chosen among other ones.
  await expect(options.and(page.locator('[aria-selected=true]'))).toHaveCount(0);
  await page.keyboard.press('ArrowDown');
  await expect(options.first()).toHaveAttribute('aria-selected', 'true');
  await expectChoiceShown(search);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${run.web}/docs/operations#two-addresses`);
  await expect(page.getByRole('heading', { name: 'Two addresses' })).toBeInViewport();
});

test('code is copied as it stands', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${run.web}/docs/mcp`);
  await page.getByRole('button', { name: 'Copy' }).first().click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    'curl -fO https://bailiff.example/mcp/bailiff-mcp.mjs\nnode bailiff-mcp.mjs login --url https://bailiff.example',
  );
});

test('without scripts the documentation is whole, pictures and search included', async ({ browser }) => {
  verifies('docs.site', 'docs.search');
  const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await page.goto(`${run.web}/docs`);
  // An instance is a guild's own, and none of its pages is for a search engine.
  await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', /noindex/);
  await page.getByRole('main').getByRole('link', { name: 'A guide for owners' }).click();
  const pictures = page.getByRole('article').getByRole('img');
  await expect(pictures).not.toHaveCount(0);
  for (const picture of await pictures.all()) {
    const { status, headers } = await fetch(`${run.web}${await picture.getAttribute('src')}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'image/png']);
  }
  await page.getByRole('combobox', { name: SEARCH }).fill('escalation');
  await page.keyboard.press('Enter');
  await page.getByRole('main').locator('a[href="/docs/owners#escalation"]').click();
  await expect(page).toHaveURL(/\/docs\/owners#escalation$/);
  await page.context().close();
});

test('programs find every document over llms.txt', async () => {
  verifies('docs.llms');
  const list = await (await fetch(`${run.web}/llms.txt`)).text();
  const addresses = [...list.matchAll(/\]\((\S+\.md)\)/g)].map(([, address = '']) => address);
  expect(addresses.length).toBeGreaterThan(60);
  for (const address of addresses) {
    const answer = await fetch(address);
    expect([address, answer.status, answer.headers.get('content-type')]).toEqual([
      address,
      200,
      'text/markdown; charset=utf-8',
    ]);
    expect(await answer.text()).toMatch(/^# /);
  }
  expect((await fetch(`${run.web}/docs/nothing.md`)).status).toBe(404);
});

test('a page of the dashboard leads to the section of the guide that explains it', async ({ page }) => {
  verifies('docs.guides');
  await signIn(page, run, 'owner');
  await page.goto(`${run.web}/guilds/${run.guild_id}/settings/roles`);
  await page.getByRole('link', { name: 'How grants work' }).click();
  await page.waitForURL(`${run.web}/docs/owners#who-may-do-what`);
  await expect(page.getByRole('heading', { name: 'Who may do what' })).toBeInViewport();
});

const GUIDE = readFileSync(resolve(import.meta.dirname, '..', '..', 'docs', 'moderators.md'), 'utf8');
/** Commands that the guide for moderators shows, and the answer below each. */
const SAMPLES = [...GUIDE.matchAll(/^```text\n(\/.+)\n```\n+```text\n([\s\S]+?)\n```$/gm)].map(
  ([, command = '', answer = '']) => ({ command, answer }),
);

test('a moderator gets the answers that their guide shows', async () => {
  verifies('docs.guides');
  const sandbox = run.sandbox ?? '';
  const { guild } = await readSandbox(sandbox, run.guild_id);
  const kim = spareMembers(guild, run.people).at(14) ?? '';
  const channel = run.channels.reports ?? '';
  await send(`${sandbox}/sandbox/messages`, {
    method: 'POST',
    json: { user: kim, channel, content: 'Look at this!', count: 2 },
  });
  expect(SAMPLES.map(({ command }) => command.split(' ')[0])).toEqual([
    '/warn',
    '/strike',
    '/mute',
    '/massban',
    '/mutelength',
    '/purge',
    '/lock',
    '/role',
    '/rcon',
  ]);
  const role = guild.roles.find(({ name }) => name === 'Artist')?.id ?? '';
  const given = (text: string) => text.replace('@Kim', kim).replace('@Event staff', role);
  const say = async (command: string, options: Record<string, string>) => {
    const { message } = await interact(run, { type: 'command', user: 'owner', channel, command, options });
    return message?.content ?? '';
  };
  for (const { command, answer } of SAMPLES) {
    const [words = '', ...fields] = command.slice(1).split(/ (?=\w+:)/);
    const options = Object.fromEntries(
      fields.map((field) => [field.split(':')[0], given(field.slice(field.indexOf(':') + 1))]),
    );
    expect(withoutNames(await say(words, options)), command).toBe(withoutNames(answer));
  }
  await say('unlock', {});
  await say('role end', { user: kim, role });
});

/** An answer without names, ids and numbers, and without Discord's marks. */
function withoutNames(answer: string): string {
  return answer
    .replaceAll(/<#\d+>|#[a-z]+(?= ?[.;])/g, 'CHANNEL')
    .replaceAll(/<@&\d+>|@Event staff/g, 'ROLE')
    .replaceAll(/<@\d+>|@Kim/g, 'PERSON')
    .replaceAll(/<t:\d+:f>|\d+ [A-Z]\w+ \d{4} \d\d:\d\d/g, 'THEN')
    .replaceAll(/<t:\d+:R>|in \d+ (minutes|days)/g, 'LATER')
    .replaceAll(/[\w.]+ \(\w+\)/g, 'NAME')
    .replaceAll('`', '')
    .replaceAll(/\d+/g, '0')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

test('who cannot copy with the button is told to do it by hand', async ({ page }) => {
  await page.addInitScript('navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"))');
  await page.goto(`${run.web}/docs/mcp`);
  await page.getByRole('button', { name: 'Copy' }).first().click();
  await page.getByRole('button', { name: 'Select it and copy by hand' }).waitFor();
});
