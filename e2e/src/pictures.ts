// The pictures that the README and the guides link, taken from the running product: node e2e/src/pictures.ts
import { globSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { startInstance } from '@bailiff/supervisor/instance';
import type { Page } from '@playwright/test';
import { allPages, openWhole } from './all-pages.ts';
import { launchChromium } from './chromium.ts';
import { signIn, switchDeveloperModeOn } from './pages.ts';
import { tellStory } from './story.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const PICTURES = join(ROOT, 'docs', 'pictures');
/** Where the new ones are until all of them are taken: a run that fails leaves the former ones as they are. */
const UNFINISHED = `${PICTURES}.unfinished`;
const WIDTHS = { 360: 740, 768: 1024, 1440: 900 };

/** `overview-1440.png` and the others that a page of ours links. */
const linked = new Set(
  globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT }).flatMap((path) =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(/pictures\/([\w-]+\.png)/g)].map(
      ([, file = '']) => file,
    ),
  ),
);

/** Pages of which a picture shows what somebody does there. */
const SCENES: readonly { name: string; path: string; act: (page: Page) => Promise<void> }[] = [
  {
    name: 'members-selected',
    path: 'members?list=server',
    act: async (page) => {
      for (const name of ['Amir Haddad', 'Anika Sørensen', 'Arlo Finch'])
        await page.getByRole('checkbox', { name: `Select ${name}` }).check();
      await page.getByRole('button', { name: /^Mute \d/ }).click();
      await page.getByLabel('Reason').fill('Raid from the other harbour');
      await page.getByLabel('How many people?').fill('3');
    },
  },
];

const instance = await startInstance();
const browser = await launchChromium();
try {
  const { run } = instance;
  const pages = allPages(run, await tellStory(run));
  const page = await (await browser.newContext({ colorScheme: 'dark' })).newPage();
  await signIn(page, run, 'owner');
  await page.goto(`${run.web}/guilds/${run.guild_id}`);
  await switchDeveloperModeOn(page);
  await rm(UNFINISHED, { recursive: true, force: true });
  await mkdir(UNFINISHED, { recursive: true });
  const taken = new Set<string>();
  const take = async (file: string) => {
    await page.screenshot({ path: join(UNFINISHED, file), animations: 'disabled' });
    taken.add(file);
  };
  for (const [width, height] of Object.entries(WIDTHS)) {
    await page.setViewportSize({ width: Number(width), height });
    for (const { name, path } of pages) {
      const file = `${name}-${width}.png`;
      if (!linked.has(file)) continue;
      await openWhole(page, `${run.web}${path}`);
      await take(file);
    }
    for (const { name, path, act } of SCENES) {
      const file = `${name}-${width}.png`;
      if (!linked.has(file)) continue;
      await openWhole(page, `${run.web}/guilds/${run.guild_id}/${path}`);
      await act(page);
      await take(file);
    }
  }
  const missing = [...linked].filter((file) => !taken.has(file));
  if (missing.length > 0) throw new Error(`No page gives these pictures: ${missing.join(', ')}.`);
  await rm(PICTURES, { recursive: true, force: true });
  await rename(UNFINISHED, PICTURES);
} finally {
  await rm(UNFINISHED, { recursive: true, force: true });
  await browser.close();
  await instance.stop();
}
