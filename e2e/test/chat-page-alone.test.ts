// The sandbox's page with a sandbox of its own, and without a bot: what people may write there, and what Discord refuses.
import { type Sandbox, startSandbox } from '@bailiff/sandbox';
import { send } from '@bailiff/sandbox/visitor';
import type { Page } from '@playwright/test';
import { faultsIn } from '#src/axe.ts';
import { expect, test, verifies } from '#src/testing.ts';

const LONG_WORD = 'Wort'.repeat(128);
const MARKUP = '<img src=x onerror=alert(1)>';
const NAMES = ['🦊'.repeat(16), 'משה ‮evil‬ עולם', '\u200b\u200b\u2060', MARKUP, 'W'.repeat(32)];
const COMMANDS = [
  {
    name: 'count',
    description: 'Count something',
    description_localizations: { de: 'Etwas zählen' },
    options: [
      { type: 4, name: 'number', description: 'How many', required: true, min_value: 1, max_value: 9 },
      { type: 6, name: 'user', description: 'Whose' },
    ],
  },
];

let sandbox: Sandbox;

test.beforeAll(async () => {
  sandbox = await startSandbox({ firstAnswerMs: 200 });
  const { status } = await send(`${sandbox.apiUrl}/v10/applications/${sandbox.clientId}/commands`, {
    method: 'PUT',
    headers: { authorization: `Bot ${sandbox.botToken}` },
    json: COMMANDS,
  });
  expect(status).toBe(200);
});
test.afterAll(() => sandbox?.close());

async function open(page: Page, query: Record<string, string> = {}): Promise<void> {
  await page.goto(`${sandbox.url}/?${new URLSearchParams(query)}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
}

async function newChannel(name: string): Promise<string> {
  sandbox.control.channels({ action: 'create', name });
  const { guilds } = sandbox.getState();
  return guilds.flatMap(({ channels }) => channels).find((channel) => channel.name === name)?.id ?? '';
}

test('a channel with 1,000 messages loads older ones as one scrolls up, and stays where one reads', async ({
  page,
}) => {
  verifies('sandbox.page.history');
  const channel = await newChannel('long-story');
  sandbox.control.messages({ user: 'member', channel, content: 'Line', count: 1000 });
  await open(page, { channel });
  const messages = page.getByRole('list', { name: 'Messages' }).getByRole('listitem');
  await expect(messages).toHaveCount(50);
  await expect(page.getByText('Line 1000', { exact: true })).toBeInViewport();

  const read = page.getByText('Line 951', { exact: true });
  await read.scrollIntoViewIfNeeded();
  await expect.poll(() => messages.count()).toBeGreaterThanOrEqual(100);
  await expect(read).toBeInViewport();
  sandbox.control.messages({ user: 'member', channel, content: 'A new end' });
  await page.getByText('A new end').waitFor({ state: 'attached' });
  await expect(read).toBeInViewport();

  const first = page.getByText('Line 1', { exact: true });
  while ((await first.count()) === 0) {
    const before = await messages.count();
    await messages.first().scrollIntoViewIfNeeded();
    await expect.poll(() => messages.count()).toBeGreaterThan(before);
  }
  await expect(messages).toHaveCount(1001);
  await first.scrollIntoViewIfNeeded();
  await expect(first).toBeInViewport();
});

test('what people write is text, and overflows nowhere', async ({ page }) => {
  verifies('sandbox.page.text');
  const channel = await newChannel('x'.repeat(100));
  sandbox.control.channels({ action: 'update', channel, topic: `${MARKUP}${LONG_WORD}` });
  for (const [index, name] of NAMES.entries()) {
    const user = ['member', 'member2', 'troll', 'quiet', 'helper'][index] ?? '';
    sandbox.control.members({ action: 'nick', user, nick: name });
    const content = `${MARKUP} ${LONG_WORD} ${name} <@${sandbox.people.member}> [x](javascript:alert(1))`;
    const file = { filename: `${LONG_WORD.slice(0, 200)}.txt`, base64: 'AAAA' };
    sandbox.control.messages({ user, channel, content, files: [file] });
  }
  sandbox.control.bans({ user: 'newcomer', reason: LONG_WORD });
  const embeds = [
    {
      title: `${MARKUP}${LONG_WORD.slice(0, 200)}`,
      description: LONG_WORD,
      fields: [{ name: LONG_WORD.slice(0, 256), value: LONG_WORD, inline: true }],
    },
  ];
  const components = [
    {
      type: 1,
      components: [{ type: 2, style: 1, label: `${MARKUP}${'L'.repeat(50)}`, custom_id: '"><script>' }],
    },
  ];
  const written = await send(`${sandbox.apiUrl}/v10/channels/${channel}/messages`, {
    method: 'POST',
    headers: { authorization: `Bot ${sandbox.botToken}` },
    json: { embeds, components },
  });
  expect(written.status, written.text).toBe(200);

  const said: string[] = [];
  page.on('dialog', (dialog) => {
    said.push(dialog.message());
    void dialog.dismiss();
  });
  for (const width of [360, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    for (const query of [{ channel }, { view: 'bans' }, { view: 'audit' }]) {
      await open(page, query);
      // The members are what is drawn last.
      await page.locator('#members button').first().waitFor({ state: 'attached' });
      const wide =
        await page.evaluate(`[...document.querySelectorAll('html, #content, #messages, #panel, #members, #channels')]
        .filter((part) => part.scrollWidth > part.clientWidth + 1).map((part) => part.id || part.tagName)`);
      expect(wide, `${width} px ${JSON.stringify(query)}`).toEqual([]);
    }
  }
  await open(page, { channel });
  expect(await page.locator('#messages img, #messages a[href^="javascript"], #messages script').count()).toBe(
    0,
  );
  expect(said).toEqual([]);
  // A name in which nothing is to be seen: the name of the account is shown.
  await page.getByRole('complementary').getByRole('button', { name: 'xx_grief_xx' }).waitFor();
  expect(await faultsIn(page)).toEqual([]);
});

test('Discord’s refusal is at the option’s field, and a bot that does not answer is named', async ({
  browser,
}) => {
  verifies('sandbox.page.validation', 'sandbox.page.language');
  const context = await browser.newContext({ locale: 'de-DE' });
  const page = await context.newPage();
  await open(page);
  await page.getByRole('textbox').fill('/count');
  await page.getByRole('option', { name: /Etwas zählen/ }).click();
  const form = page.getByRole('form', { name: '/count' });
  const refused = async (typed: string, words: string) => {
    await form.getByLabel('number').fill(typed);
    await page.keyboard.press('Enter');
    await form.getByText(words).waitFor();
    await expect(form.getByLabel('number')).toBeFocused();
  };
  await refused('12', 'is above 9');
  await refused('many', 'is not a whole number');
  await form.getByRole('button', { name: '+ user' }).click();
  await page.keyboard.type('Somebody Else');
  await form.getByLabel('number').fill('3');
  await page.keyboard.press('Enter');
  await form.getByText('is nobody').waitFor();
  await form.getByLabel('user').fill('');
  await page.keyboard.press('Enter');
  await page.getByText('The application did not respond.').waitFor();
  await expect(page.getByText('The application did not respond.')).toBeInViewport();
  await context.close();
});

test('leaving the guild asks first', async ({ page }) => {
  verifies('sandbox.page.who');
  const members = () => sandbox.getState().guilds[0]?.members.map(({ display_name }) => display_name);
  const ada = sandbox.getState().guilds[0]?.members.find(({ display_name }) => display_name === 'Ada Byrne');
  await open(page, { as: ada?.user_id ?? '' });
  // It is the person one has become in between who leaves.
  await page.getByRole('button', { name: 'You are Ada Byrne (member)' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Amir Haddad' }).click();
  await page.getByRole('button', { name: 'You are Amir Haddad (member)' }).waitFor();
  await page.getByRole('button', { name: 'Harbourlight' }).click();
  await page.getByRole('menuitem', { name: 'Leave Harbourlight …' }).click();
  const question = page.getByRole('dialog', { name: 'Leave Harbourlight?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(members()).toContain('Amir Haddad');
  await page.getByRole('button', { name: 'Harbourlight' }).click();
  await page.getByRole('menuitem', { name: 'Leave Harbourlight …' }).click();
  await question.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('button', { name: 'You are Mira Voss (owner)' }).waitFor();
  expect(members()).not.toContain('Amir Haddad');
  expect(members()).toContain('Ada Byrne');
});
