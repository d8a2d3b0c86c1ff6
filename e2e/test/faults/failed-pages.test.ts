import { randomBytes } from 'node:crypto';
import { seedSession } from '@bailiff/engine/testing';
import type { Page } from '@playwright/test';
import { expect, test, verifies } from '#src/testing.ts';
import { keepMirrorFresh, type OwnDatabase, startDatabase } from './database.ts';
import { startWebProcess, type WebProcess } from './web-process.ts';

let own: OwnDatabase;
let web: WebProcess;

test.beforeAll(async () => {
  own = await startDatabase({ durable: false });
  web = await startWebProcess(own.url, 'error');
});

test.afterAll(async () => {
  await web?.kill('SIGKILL');
  await own?.drop();
});

test.beforeEach(async ({ page }) => {
  await keepMirrorFresh(own);
  const secret = randomBytes(32).toString('base64url');
  await seedSession(own.db, own.guild.ownerId, secret);
  const { hostname } = new URL(web.url);
  await page.context().addCookies([{ name: 'bailiff.session', value: secret, domain: hostname, path: '/' }]);
});

test.afterEach(() => {
  for (const line of web.printed) expect(() => JSON.parse(line), line).not.toThrow();
});

/** Renames a table, so that each query that reads it fails. @returns the way back */
async function hide(table: string): Promise<() => Promise<void>> {
  await own.db.pool.query(`ALTER TABLE ${table} RENAME TO hidden_${table}`);
  return async () => void (await own.db.pool.query(`ALTER TABLE hidden_${table} RENAME TO ${table}`));
}

/** The id that the page of an error shows. */
async function shownId(page: Page): Promise<string> {
  await page.getByRole('heading', { level: 1, name: 'This page could not be loaded' }).waitFor();
  expect(await page.locator('[aria-busy=true]').count()).toBe(0);
  const text = await page.getByRole('main').getByText(/req_/).textContent();
  return /req_\w+/.exec(text ?? '')?.[0] ?? '';
}

/** The line of the log with a request's id, if there is exactly one; otherwise the lines. */
function lineOf(requestId: string): unknown {
  const lines = web.printed.filter((line) => line.includes(requestId));
  return lines.length === 1 ? JSON.parse(lines[0] ?? '') : lines;
}

const pathOf = (name: string) => `/guilds/${own.guild.id}/${name}`;

test('a page that fails shows an id that is in the log, and can be tried again', async ({ page }) => {
  verifies('http.page-errors');
  // Nobody sees this tab, so that it does not try again by itself.
  await page.addInitScript("Object.defineProperty(document, 'visibilityState', { value: 'hidden' })");
  const showAgain = await hide('cases');
  await page.goto(`${web.url}${pathOf('cases')}`);
  const id = await shownId(page);
  await expect
    .poll(() => lineOf(id))
    .toMatchObject({
      level: 50,
      request_id: id,
      path: pathOf('cases'),
      err: { message: 'relation "cases" does not exist' },
    });

  await showAgain();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { level: 1, name: 'Cases' }).waitFor();
});

test('a page that fails on the way from another shows the id of its own request', async ({ page }) => {
  verifies('http.page-errors');
  await page.goto(`${web.url}${pathOf('settings')}`);
  const showAgain = await hide('cases');
  await page.getByRole('link', { name: 'Cases' }).click();
  const id = await shownId(page);
  await expect.poll(() => lineOf(id)).toMatchObject({ request_id: id, path: pathOf('cases') });
  await showAgain();
});

test('when the frame around the pages of a guild fails, the same is shown without it', async ({ page }) => {
  verifies('http.page-errors');
  const showAgain = await hide('approval_requests');
  await page.goto(`${web.url}${pathOf('settings')}`);
  const id = await shownId(page);
  await expect.poll(() => lineOf(id)).toMatchObject({ request_id: id, path: pathOf('settings') });
  await showAgain();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
});
