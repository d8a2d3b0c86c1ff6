// What every page says: in a new guild, and after the same story to the owner and to a moderator. A change to a page
// changes its file in e2e/contents. `npm run test:e2e -- page-contents -u` writes them anew; the difference is what
// people will see.
import { type Instance, startInstance } from '@bailiff/supervisor/instance';
import type { Locator, Page } from '@playwright/test';
import { allPages, openWhole, PAGE_NAMES } from '#src/all-pages.ts';
import { DIALOG, DIALOGS, openDialog } from '#src/dialogs.ts';
import { contentsOf } from '#src/page-contents.ts';
import { PAGE_STATES } from '#src/page-states.ts';
import { signedInPage, switchDeveloperModeOn } from '#src/pages.ts';
import { tellStory } from '#src/story.ts';
import { expect, test, verifies } from '#src/testing.ts';

/** What they say are files of the repository already. */
const FROM_FILES = ['docs-one', 'docs-api'];
const NAMES = PAGE_NAMES.filter((name) => !FROM_FILES.includes(name));
/** Pages about something that happened. */
const ABOUT_ONE = /-one$/;

/** An instance of its own, in which nothing but the story happens. */
let instance: Instance;
let owner: Page;
let moderator: Page;
/** Addresses by the names of their pages. */
let addresses: ReadonlyMap<string, string>;

test.beforeAll(async ({ browser }) => {
  instance = await startInstance();
  const { run } = instance;
  [owner, moderator] = [
    await signedInPage(browser, run, 'owner'),
    await signedInPage(browser, run, 'moderator'),
  ];
  await owner.goto(`${run.web}/guilds/${run.guild_id}`);
  await switchDeveloperModeOn(owner);
  const nothing = { caseNumber: '', userId: '', ticketNumber: '', appealNumber: '' };
  addresses = addressesAfter({ ...nothing, serverId: '', auditId: '', archiveId: '' });
});
test.afterAll(async () => {
  for (const page of [owner, moderator]) await page?.context().close();
  await instance?.stop();
});

function addressesAfter(story: Awaited<ReturnType<typeof tellStory>>): ReadonlyMap<string, string> {
  const { run } = instance;
  return new Map(allPages(run, story).map(({ name, path }) => [name, `${run.web}${path}`]));
}

/** What the bot does after an action arrives on open pages a moment later, and so does what a dialog asks for. */
async function expectContents(part: Locator, file: string): Promise<void> {
  if (test.info().config.updateSnapshots === 'all') await settled(part);
  await expect(async () => {
    expect(await contentsOf(part)).toMatchSnapshot(`${file}.yml`);
  }).toPass({ timeout: 15_000 });
}

async function settled(part: Locator): Promise<void> {
  let before = '';
  const isSame = async () => {
    const now = await contentsOf(part);
    const same = now === before;
    before = now;
    return same;
  };
  await expect.poll(isSame, { intervals: [500] }).toBe(true);
}

for (const name of NAMES.filter((each) => !ABOUT_ONE.test(each))) {
  test(`the page ${name} of a new guild says the same as before`, async () => {
    verifies('dashboard.contents');
    await openWhole(owner, addresses.get(name) ?? '');
    await expectContents(owner.locator('main'), `${name}.new`);
  });
}

test.describe('after the story', () => {
  test.beforeAll(async () => {
    const { run } = instance;
    const guild = `${run.web}/guilds/${run.guild_id}`;
    await owner.goto(`${guild}/settings/roles`);
    await owner.getByRole('button', { name: 'Confirm these grants' }).click();
    addresses = addressesAfter(await tellStory(run));
    // The bot fetches who holds a role that was granted something.
    await expect.poll(async () => (await moderator.goto(guild))?.status(), { timeout: 15_000 }).toBe(200);
  });

  test('what is around every page says the same as before', async () => {
    verifies('dashboard.contents');
    await openWhole(owner, addresses.get('cases') ?? '');
    for (const part of ['banner', 'navigation'] as const)
      await expectContents(owner.getByRole(part).first(), `around.${part}`);
  });

  for (const name of NAMES) {
    test(`the page ${name} and its dialogs say the same as before to the owner`, async () => {
      verifies('dashboard.contents');
      await openWhole(owner, addresses.get(name) ?? '');
      await expectContents(owner.locator('main'), `${name}.owner`);
      for (const pressed of DIALOGS[name] ?? []) {
        await openDialog(owner, pressed);
        await expectContents(owner.locator(DIALOG), `${name}.${pressed.join('.').replaceAll(' …', '')}`);
        await owner.keyboard.press('Escape');
        await expect(owner.locator(DIALOG)).toHaveCount(0);
      }
    });

    test(`the page ${name} says the same as before to a moderator`, async () => {
      verifies('dashboard.contents');
      await openWhole(moderator, addresses.get(name) ?? '');
      await expectContents(moderator.locator('main'), `${name}.moderator`);
    });
  }

  for (const { name, page, query } of PAGE_STATES.filter(({ enter }) => enter === undefined)) {
    test(`${name}: the page says the same as before`, async () => {
      verifies('dashboard.contents');
      await openWhole(owner, `${addresses.get(page) ?? ''}${query ?? ''}`);
      await expectContents(owner.locator('main'), `${page}.${name}`);
    });
  }
});
