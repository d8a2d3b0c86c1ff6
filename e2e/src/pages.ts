// What people do in the dashboard, by role and label.

import type { RunFile } from '@bailiff/supervisor/run-file';
import { type Browser, type BrowserContext, expect, type Locator, type Page } from '@playwright/test';

export const GUILD = 'Harbourlight';

/** The sample guild's people by the names on the sign-in page. */
export const NAMES = {
  owner: 'Mira Voss',
  moderator: 'Juno Okafor',
  helper: 'Piet Lindqvist',
  member: 'Sana Iqbal',
} as const;

/** Signs in by clicking, from the dashboard's start page to where it leads. */
export async function signIn(page: Page, run: RunFile, person: keyof typeof NAMES): Promise<void> {
  await page.goto(run.web);
  await page.getByRole('button', { name: 'Sign in with Discord' }).click();
  await page.getByRole('link', { name: NAMES[person] }).click();
  await page.getByRole('heading', { level: 1, name: 'Your guilds' }).waitFor();
}

/** A page of its own for the tests of a file, in which somebody is signed in. It ends with its `close`. */
export async function signedInPage(
  browser: Browser,
  run: RunFile,
  person: keyof typeof NAMES,
): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await signIn(page, run, person);
  return page;
}

/**
 * What a click opens in a new tab: a page at the same address. Of the tab itself only the browser can be asked, because
 * Playwright loses some of those that no page can reach (`waitForEvent('page')` never comes, though the tab is there).
 */
export async function newTab(context: BrowserContext, click: () => Promise<void>): Promise<Page> {
  const browser = await context.browser()?.newBrowserCDPSession();
  if (browser === undefined) throw new Error('The context has no browser of its own.');
  const tabs = async () => {
    const { targetInfos } = await browser.send('Target.getTargets');
    return targetInfos.filter(({ type }) => type === 'page');
  };
  const before = new Set((await tabs()).map(({ targetId }) => targetId));
  await click();
  let opened = { targetId: '', url: '' };
  await expect
    .poll(async () => {
      opened = (await tabs()).find(({ targetId }) => !before.has(targetId)) ?? opened;
      return opened.url;
    })
    .toMatch(/^http/);
  await browser.send('Target.closeTarget', { targetId: opened.targetId });
  await browser.detach();
  const page = await context.newPage();
  await page.goto(opened.url);
  return page;
}

export async function switchDeveloperModeOn(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('switch', { name: 'Developer Mode' }).click();
  await page.getByRole('link', { name: 'API & MCP' }).waitFor();
}

/** Creates a token in the dialog. @returns the secret, as shown this once */
export async function createToken(page: Page, name: string): Promise<string> {
  await page.getByRole('link', { name: 'API & MCP' }).click();
  await page.getByRole('button', { name: 'Create token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('button', { name: 'Everything' }).click();
  await dialog.getByRole('button', { name: 'Create token' }).click();
  const secret = await dialog.getByText(/^svcpat_[0-9A-Z]{48}$/i).textContent();
  if (secret === null) throw new Error('The dialog shows no secret.');
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  await dialog.waitFor({ state: 'detached' });
  return secret;
}

/**
 * The card of a call that waits for approval, once Discord has said of everybody in the list who they are, and clicks
 * count: just after a change of the list they do not.
 */
export async function heardCard(page: Page, text: string): Promise<Locator> {
  const card = page.getByRole('article').filter({ hasText: text });
  await card.waitFor();
  await expect(page.getByText('Discord has not said yet who this is')).toHaveCount(0);
  await expect(page.getByRole('list').filter({ has: card })).toHaveAttribute('aria-disabled', 'false');
  return card;
}

/** Counts how often somebody presses a button of the mouse in a tab, whatever page it shows. */
export async function countClicks(page: Page): Promise<() => number> {
  let clicks = 0;
  await page.exposeFunction('countClick', () => {
    clicks += 1;
  });
  await page.addInitScript("addEventListener('pointerdown', () => countClick(), { capture: true })");
  return () => clicks;
}
