import { globSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { RunFile } from '@bailiff/supervisor/run-file';
import type { Page } from '@playwright/test';
import type { Story } from './story.ts';

const APP = resolve(import.meta.dirname, '..', '..', 'apps', 'web', 'app');
/** Shows the parts that pages are made of; only in development. */
const ONLY_IN_DEVELOPMENT = '/design';
/** Shows a case to its person alone, and the owner has none: e2e/test/appeals.test.ts looks at it. */
const ONLY_FOR_ITS_PERSON = '/appeal/[named]';

export interface PageAddress {
  /** A file name for a picture of it. */
  readonly name: string;
  readonly path: string;
}

const TEMPLATES = globSync('**/page.tsx', { cwd: APP })
  .map((file) => (file === 'page.tsx' ? '/' : `/${dirname(file)}`))
  .filter((template) => template !== ONLY_IN_DEVELOPMENT && template !== ONLY_FOR_ITS_PERSON)
  .toSorted();

/** The names of all pages of the dashboard, as its files say. */
export const PAGE_NAMES = TEMPLATES.map(nameOf);

/** Every page of the dashboard, with what the story left behind in its address. */
export function allPages({ guild_id }: RunFile, story: Story): PageAddress[] {
  return TEMPLATES.map((template) => {
    const path = template
      .replace('[guildId]', guild_id)
      .replace('cases/[number]', `cases/${story.caseNumber}`)
      .replace('tickets/[number]', `tickets/${story.ticketNumber}`)
      .replace('appeals/[number]', `appeals/${story.appealNumber}`)
      .replace('[userId]', story.userId)
      .replace('[serverId]', story.serverId)
      .replace('[entryId]', story.auditId)
      .replace('[archiveId]', story.archiveId)
      .replace('[...slug]', 'owners');
    if (path.includes('[')) throw new Error(`Nothing is known to put into the address ${path}.`);
    return { name: nameOf(template), path };
  });
}

function nameOf(template: string): string {
  const words = template.replace('/guilds/[guildId]', '/guild').split('/').filter(Boolean);
  const named = words.map((word) => (word.startsWith('[') ? 'one' : word)).join('-');
  if (named === '') return 'guilds';
  return named === 'guild' ? 'overview' : named.replace(/^guild-/, '');
}

/** Opens a page and waits until it is there, instead of the shape that stands in its place while it is made. */
export async function openWhole(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
}
