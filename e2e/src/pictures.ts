// Pictures of every page, taken from the running product, for the README and the guides: node e2e/src/pictures.ts
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { startInstance } from '@bailiff/supervisor/instance';
import { allPages, openWhole } from './all-pages.ts';
import { launchChromium } from './chromium.ts';
import { signIn, switchDeveloperModeOn } from './pages.ts';
import { tellStory } from './story.ts';

const PICTURES = resolve(import.meta.dirname, '..', '..', 'docs', 'pictures');
const WIDTHS = { 360: 740, 768: 1024, 1440: 900 };

const instance = await startInstance();
const browser = await launchChromium();
try {
  const { run } = instance;
  const pages = await allPages(run, await tellStory(run));
  const page = await (await browser.newContext()).newPage();
  await signIn(page, run, 'owner');
  await page.goto(`${run.web}/guilds/${run.guild_id}`);
  await switchDeveloperModeOn(page);
  await rm(PICTURES, { recursive: true, force: true });
  await mkdir(PICTURES, { recursive: true });
  for (const [width, height] of Object.entries(WIDTHS)) {
    await page.setViewportSize({ width: Number(width), height });
    for (const { name, path } of pages) {
      await openWhole(page, `${run.web}${path}`);
      await page.screenshot({
        path: join(PICTURES, `${name}-${width}.png`),
        animations: 'disabled',
      });
    }
  }
} finally {
  await browser.close();
  await instance.stop();
}
