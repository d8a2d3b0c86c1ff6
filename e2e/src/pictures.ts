// The README's picture, taken from the running product: node e2e/src/pictures.ts
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { RunFile } from '../../scripts/supervisor/run-file.ts';
import { launchChromium } from './chromium.ts';
import { callApi } from './client.ts';
import { startInstance } from './instance.ts';
import { Owner } from './owner.ts';
import { GUILD, signIn, switchDeveloperModeOn } from './pages.ts';
import { readSandbox, spareMembers } from './sandbox.ts';

const PICTURES = resolve(import.meta.dirname, '..', '..', 'docs', 'pictures');

/** A token whose calls were done, and one whose call waits. */
async function fill(run: RunFile): Promise<void> {
  const owner = await Owner.signIn(run.web, run.people.owner ?? '');
  const { guild } = await readSandbox(run.sandbox ?? '', run.guild_id);
  const members = spareMembers(guild, run.people);
  const ban = (secret: string, index: number, reason: string, minutes?: number) => {
    const userId = members[index] ?? '';
    const choice = minutes === undefined ? 'PERMANENT' : `DURATION ${minutes}`;
    return callApi(run.web, secret, 'POST', `/guilds/${run.guild_id}/bans`, {
      user_id: userId,
      reason,
      ...(minutes === undefined ? {} : { duration_minutes: minutes }),
      _confirmation: `BAN USER ${userId} IN GUILD ${run.guild_id} ${choice}`,
    });
  };
  const watch = await owner.mintWithWindow(run.guild_id, 'night-watch');
  await ban(watch.secret, 3, 'Spam links in #general');
  await ban(watch.secret, 7, 'Griefing in the market square', 1440);
  const minted = await owner.mint(run.guild_id, 'assistant');
  const { secret } = minted.body as { secret: string };
  await ban(secret, 11, 'Evading a ban with a second account');
}

const instance = await startInstance();
const browser = await launchChromium();
try {
  const { run } = instance;
  await fill(run);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 2 });
  const page = await context.newPage();
  await signIn(page, run, 'owner');
  await page.getByRole('link', { name: GUILD }).click();
  await switchDeveloperModeOn(page);
  await page.getByRole('link', { name: 'Approvals' }).click();
  await page.getByRole('button', { name: 'This call only' }).waitFor();
  await mkdir(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, 'dashboard.png') });
} finally {
  await browser.close();
  await instance.stop();
}
