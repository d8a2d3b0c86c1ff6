// What every page says: in a new guild, and after the same story to the owner and to a moderator. A change to a page
// changes its file in e2e/contents. `npm run test:e2e -- page-contents -u` writes them anew; the difference is what
// people will see.
import { setTier } from '@bailiff/engine/guilds/tiers';
import { openDatabase } from '@bailiff/prisma';
import { Owner } from '@bailiff/sandbox/visitor';
import { databaseUrl } from '@bailiff/supervisor/database-url';
import { type Instance, instanceDirectory, startInstance } from '@bailiff/supervisor/instance';
import type { Locator, Page } from '@playwright/test';
import { allPages, openWhole, PAGE_NAMES } from '#src/all-pages.ts';
import { apiOf, refusalOf } from '#src/api.ts';
import { DIALOG, DIALOGS, openDialog } from '#src/dialogs.ts';
import { contentsOf } from '#src/page-contents.ts';
import { signedInPage, switchDeveloperModeOn } from '#src/pages.ts';
import { type Story, tellStory } from '#src/story.ts';
import { expect, test, verifies } from '#src/testing.ts';

/** What they say are files of the repository already. */
const FROM_FILES = ['docs', 'docs-one', 'docs-api'];
const NAMES = PAGE_NAMES.filter((name) => !FROM_FILES.includes(name));
/** Pages about something that happened. */
const ABOUT_ONE = /-one$/;

const NOTHING = '?q=there-is-no-such-thing';
/** Pages whose address asks for another part of them. */
const ASKED: readonly { page: string; for: string; query: string }[] = [
  { page: 'approvals', for: 'an unknown request', query: `?approval=apr_${'0'.repeat(32)}` },
  { page: 'audit', for: 'what was refused', query: '?outcome=refused' },
  { page: 'audit', for: 'reads', query: '?reads=shown' },
  { page: 'audit', for: 'entries before the first', query: `?before=aud_${'0'.repeat(32)}` },
  { page: 'audit', for: 'nothing', query: NOTHING },
  { page: 'cases', for: 'nothing', query: NOTHING },
  { page: 'cases', for: 'something wrong', query: '?kind=wrong&member=1' },
  { page: 'cases', for: 'mutes of any time', query: '?kind=mute&from=2020-01-01&to=2099-01-01' },
  { page: 'device', for: 'a code', query: '?user_code=BCDF-GHJK' },
  { page: 'docs-search', for: 'nothing', query: '?q=zzyzx' },
  { page: 'members', for: 'who is on record', query: '?list=record' },
  { page: 'members', for: 'who is in the server', query: '?list=server' },
  { page: 'members', for: 'nobody', query: NOTHING },
  { page: 'members', for: 'a name', query: '?q=bjorn' },
  { page: 'members', for: 'people after the last', query: '?list=record&after=999999999999999999' },
  { page: 'moderators', for: 'a week', query: '?days=7' },
  { page: 'overview', for: 'a month', query: '?days=30' },
  { page: 'reports', for: 'what is closed', query: '?status=closed' },
  { page: 'sign-in', for: 'a fresh sign-in', query: '?again=1' },
  { page: 'sign-in', for: 'a cancelled sign-in', query: '?error=cancelled' },
  { page: 'sign-in', for: 'a failed sign-in', query: '?error=OAuthCallback' },
  { page: 'tickets', for: 'nothing', query: NOTHING },
  { page: 'tickets', for: 'all tickets', query: '?status=all' },
  { page: 'tickets', for: 'tickets of nobody', query: '?status=closed&claimer=me' },
  { page: 'tickets-statistics', for: 'a week', query: '?days=7' },
];

/** An instance of its own, in which nothing but the story happens. */
let home: Awaited<ReturnType<typeof instanceDirectory>>;
let instance: Instance;
let owner: Page;
let moderator: Page;
/** Addresses by the names of their pages. */
let addresses: ReadonlyMap<string, string>;

test.beforeAll(async ({ browser }) => {
  home = await instanceDirectory();
  instance = await startInstance({ directory: home.path });
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
  await home?.remove();
});

function addressesAfter(story: Story): ReadonlyMap<string, string> {
  const { run } = instance;
  return new Map(allPages(run, story).map(({ name, path }) => [name, `${run.web}${path}`]));
}

/**
 * Presets to choose from, a request that the owner refuses, and a token that is revoked. What is open then stays open,
 * however long the pages take.
 */
async function tellMore({ run }: Instance): Promise<void> {
  const api = await Owner.signIn(run.web, run.people.owner ?? '');
  for (const preset of [
    { kind: 'strike', name: 'Spam', reason: 'Spam in several channels', severity: 'minor' },
    { kind: 'mute', name: 'Shouting', reason: 'Would not stop shouting', duration_minutes: 90 },
    { kind: 'ban', name: 'Scam', reason: 'Sold what was not theirs', duration_minutes: null },
  ]) {
    const { status } = await api.request('POST', `/api/guilds/${run.guild_id}/presets`, preset);
    expect(status).toBe(201);
  }
  const { token, secret } = (await api.mint(run.guild_id, 'old-script')).body as {
    token: { id: string };
    secret: string;
  };
  const user_id = run.people.member ?? '';
  const _confirmation = `BAN USER ${user_id} IN GUILD ${run.guild_id} PERMANENT`;
  const call = apiOf(run, secret).call('bans.add', { user_id, reason: 'Sang at noon', _confirmation });
  const { details } = await refusalOf(call);
  const { reauth_url } = details as { reauth_url: string };
  const request = new URL(reauth_url).searchParams.get('approval');
  await api.request('POST', `/api/approvals/${request}`, { decision: 'refuse' });
  await api.revoke(token.id);
  const db = openDatabase(await databaseUrl(home.path), { applicationName: 'test' });
  for (const table of ['windows', 'approval_requests']) {
    const { rowCount } = await db.pool.query(
      `UPDATE ${table} SET expires_at = now() + interval '1 day' WHERE guild_id = $1`,
      [run.guild_id],
    );
    expect(rowCount).toBeGreaterThan(0);
  }
  await db.close();
}

/** A page is opened again while it says something else: what the bot does after an action arrives a moment later. */
async function expectPage(page: Page, address: string, file: string): Promise<void> {
  let patienceMs = 500;
  await expect(async () => {
    // A busy machine may take seconds until a page is whole.
    patienceMs *= 2;
    await openWhole(page, address);
    await expectContents(page.locator('main'), file, patienceMs);
  }).toPass({ timeout: 240_000 });
}

async function expectContents(part: Locator, file: string, timeout = 90_000): Promise<void> {
  if (test.info().config.updateSnapshots === 'all') await settled(part);
  await expect(async () => {
    expect(await contentsOf(part)).toMatchSnapshot(`${file}.yml`);
  }).toPass({ timeout });
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
    await expectPage(owner, addresses.get(name) ?? '', `${name}.new`);
  });
}

test.describe('after the story', () => {
  test.beforeAll(async () => {
    const { run } = instance;
    const guild = `${run.web}/guilds/${run.guild_id}`;
    await owner.goto(`${guild}/settings/roles`);
    const saved = owner.waitForResponse((response) => response.url().endsWith('/grants'));
    await owner.getByRole('button', { name: 'Confirm these grants' }).click();
    await saved;
    addresses = addressesAfter(await tellStory(run));
    await tellMore(instance);
    // The bot fetches who holds a role that was granted something.
    await expect.poll(async () => (await moderator.goto(guild))?.status()).toBe(200);
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
      await expectPage(owner, addresses.get(name) ?? '', `${name}.owner`);
      for (const pressed of DIALOGS[name] ?? []) {
        await openDialog(owner, pressed);
        await expectContents(owner.locator(DIALOG), `${name}.${pressed.join('.').replaceAll(' …', '')}`);
        await owner.keyboard.press('Escape');
        await expect(owner.locator(DIALOG)).toHaveCount(0);
      }
    });

    test(`the page ${name} says the same as before to a moderator`, async () => {
      verifies('dashboard.contents');
      await expectPage(moderator, addresses.get(name) ?? '', `${name}.moderator`);
    });
  }

  for (const asked of ASKED) {
    test(`the page ${asked.page}, asked for ${asked.for}, says the same as before`, async () => {
      verifies('dashboard.contents');
      await expectPage(
        owner,
        `${addresses.get(asked.page) ?? ''}${asked.query}`,
        `${asked.page}.${asked.for}`,
      );
    });
  }

  test('the overview leads to all that needs attention', async () => {
    verifies('dashboard.attention');
    const { guild_id: guild } = instance.run;
    const db = openDatabase(await databaseUrl(home.path), { applicationName: 'test' });
    const change = (text: string) => db.pool.query(text, [guild]);
    await change(`INSERT INTO log_topics (guild_id, topic, channel_id)
      VALUES ($1, 'mutes', '834989431927603201')`);
    await change(`UPDATE log_topics SET problem = 'unknown_channel' WHERE guild_id = $1`);
    await change(`UPDATE guilds SET log_channel_id = '834989431927603201', log_channel_problem = 'unknown_channel'
      WHERE id = $1`);
    await change(`UPDATE tokens SET expires_at = expires_at - interval '87 days', rotation_required_at = now()
      WHERE guild_id = $1 AND name = 'assistant'`);
    await change(`UPDATE cases SET end_failed_at = now() WHERE id =
      (SELECT id FROM cases WHERE guild_id = $1 AND kind = 'ban' AND ended_at IS NULL LIMIT 1)`);
    await change(`UPDATE actions SET state = 'unknown' WHERE id =
      (SELECT id FROM actions WHERE guild_id = $1 AND state = 'done' LIMIT 1)`);
    await openWhole(owner, addresses.get('overview') ?? '');
    await expectContents(owner.getByRole('region', { name: 'Needs attention' }), 'overview.what waits');
    await change(`UPDATE tokens SET expires_at = expires_at + interval '87 days', rotation_required_at = NULL
      WHERE guild_id = $1 AND name = 'assistant'`);
    await change('UPDATE guilds SET log_channel_id = NULL WHERE id = $1');
    await db.close();
  });

  test('no more reasons than a guild can have are offered to be added', async () => {
    const db = openDatabase(await databaseUrl(home.path), { applicationName: 'test' });
    await db.pool.query(
      `INSERT INTO reason_presets (guild_id, kind, name, reason, severity)
       SELECT $1, 'strike', 'Reason ' || n, 'Too much', 'minor'
       FROM generate_series(1, 50 - (SELECT count(*)::int FROM reason_presets WHERE guild_id = $1)) n`,
      [instance.run.guild_id],
    );
    await db.close();
    await openWhole(owner, addresses.get('settings-reasons') ?? '');
    await expect(owner.getByRole('button', { name: 'Add a reason' })).toBeDisabled();
  });

  test('the pages about tokens say the same as before in a guild of the free tier', async () => {
    verifies('dashboard.contents');
    const db = openDatabase(await databaseUrl(home.path), { applicationName: 'test' });
    await setTier(db, instance.run.guild_id, 'free').finally(() => db.close());
    for (const name of ['tokens', 'approvals', 'device']) {
      await expectPage(owner, addresses.get(name) ?? '', `${name}.free`);
    }
  });
});
