import { readFile } from 'node:fs/promises';
import { openDatabase } from '@bailiff/prisma';
import { Owner, send } from '@bailiff/sandbox/visitor';
import { databaseUrl } from '@bailiff/supervisor/database-url';
import type { Page } from '@playwright/test';
import { faultsIn } from '#src/axe.ts';
import { refillBudgets } from '#src/budgets.ts';
import { say } from '#src/chat-command.ts';
import { joined } from '#src/newcomers.ts';
import { signedInPage, signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

const guild = `${run.web}/guilds/${run.guild_id}`;
let owner: Page;

test.beforeEach(() => refillBudgets(run.directory));
test.beforeAll(async ({ browser }) => {
  owner = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
  await signIn(owner, run, 'owner');
});
test.afterAll(() => owner?.context().close());

/** Lets the role Moderator work on tickets. */
async function grantTickets(): Promise<void> {
  const api = await Owner.signIn(run.web, run.people.owner ?? '');
  const path = `/api/guilds/${run.guild_id}/grants`;
  const { roles } = (await api.request('GET', path)).body as {
    roles: { role_id: string; name: string; capabilities: string[] }[];
  };
  const { role_id = '', capabilities = [] } = roles.find(({ name }) => name === 'Moderator') ?? {};
  const wanted = [...new Set([...capabilities, 'tickets.read', 'tickets.write'])];
  const { status } = await api.request('PUT', path, { grants: [{ role_id, capabilities: wanted }] });
  expect(status).toBe(200);
}

/** Opens a ticket as a member. Returns its number. */
async function opened(user = 'newcomer'): Promise<string> {
  const answer = await say('ticket open', { subject: 'My boat sank' }, user);
  expect(answer).toMatch(/#\d+/);
  return /#(\d+)/.exec(answer)?.[1] ?? '';
}

/** Something that a person does with messages in the sandbox. Returns the message. */
async function says(channel: string, json: object): Promise<{ id: string }> {
  const request = { user: 'newcomer', channel, ...json };
  const { status, body } = await send(`${run.sandbox}/sandbox/messages`, { method: 'POST', json: request });
  expect(status, JSON.stringify(body)).toBe(200);
  return (body as { messages: { id: string }[] }).messages[0] ?? { id: '' };
}

test('the page of an open ticket shows what is written in its channel while it is written, to whom Discord shows it', async ({
  browser,
}) => {
  verifies(
    'tickets.conversation',
    'tickets.conversation.live',
    'tickets.conversation.pages',
    'tickets.conversation.who',
  );
  await grantTickets();
  const number = await opened();
  const channel = `ticket-${number.padStart(4, '0')}`;
  await says(channel, { content: 'The mast broke first', count: 120, age_seconds: 7_200 });
  const regretted = await says(channel, { content: 'It was **not** <b>me</b>' });
  const moderator = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
  await signIn(moderator, run, 'moderator');
  // The page looks again each minute besides: here it has only what it is told.
  await owner.addInitScript(`
    const own = window.setInterval;
    window.setInterval = (work, ms, ...rest) => (ms === 60_000 ? 0 : own(work, ms, ...rest))`);
  for (const page of [owner, moderator]) {
    await page.goto(`${guild}/tickets/${number}`);
    const conversation = page.getByRole('log', { name: 'In the channel now' });
    await conversation.getByText('It was not <b>me</b>').waitFor();
    // The newest message is in sight, whatever stands above the list on the page.
    await conversation.scrollIntoViewIfNeeded();
    await expect(conversation.getByRole('listitem').last()).toBeInViewport();
  }
  const added = await says(channel, { content: 'Otto saw it' });
  await owner.getByText('Otto saw it').waitFor();
  await says(channel, { action: 'delete', message_id: regretted.id });
  await owner.getByText('It was not <b>me</b>').waitFor({ state: 'detached' });
  await says(channel, { action: 'edit', message_id: added.id, content: 'Otto saw nothing' });
  await owner.getByText('Otto saw nothing').waitFor();
  for (const width of [360, 1280]) {
    await owner.setViewportSize({ width, height: 800 });
    expect(await owner.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect(await faultsIn(owner)).toEqual([]);
  }
  await owner.getByRole('link', { name: 'Older' }).click();
  await owner.getByText('The mast broke first 1', { exact: true }).waitFor();
  expect(await owner.getByText('Otto saw nothing').count()).toBe(0);
  await owner.getByRole('link', { name: 'Newer' }).click();
  await owner.getByText('Otto saw nothing').waitFor();
  await owner.getByRole('button', { name: /^Claim/ }).click();
  await owner.getByRole('button', { name: /^Release/ }).waitFor();
  await moderator.reload();
  await moderator.getByText('Claimed by someone else: they or the owner can release it').waitFor();
  await send(`${run.sandbox}/sandbox/channels`, {
    method: 'POST',
    json: { action: 'update', channel, overwrite: { of: 'moderator', deny: ['ViewChannel'] } },
  });
  await moderator.reload();
  await moderator.getByText('Discord does not show you this channel').waitFor();
  expect(await moderator.getByText('Otto saw nothing').count()).toBe(0);
  await moderator.context().close();
});

test('the page of a ticket shows what runs on that ticket, and nothing that runs elsewhere', async () => {
  verifies('dashboard.running-actions');
  const number = await opened(await joined('Noa Keel'));
  const db = openDatabase(await databaseUrl(run.directory), { applicationName: 'test' });
  const { rows } = await db.pool.query<{ id: string }>(
    `INSERT INTO actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by, state,
       lease_expires_at, target_id)
     SELECT $1, operation, '{}', '', 'dashboard', $2, 'req_running', now(), 'running', now() + interval '1 hour', target
     FROM (SELECT 'tickets.close', id FROM tickets WHERE guild_id = $1 AND number = $3
       UNION SELECT 'messages.purge', $4) AS running (operation, target) RETURNING id`,
    [run.guild_id, run.people.owner, Number(number), run.channels.general],
  );
  try {
    expect(rows).toHaveLength(2);
    await owner.goto(`${guild}/tickets/${number}`);
    const running = owner.getByRole('region', { name: 'Running now' }).getByRole('listitem');
    await expect(running.filter({ hasText: `Close a ticket, ticket #${number}` })).toHaveCount(1);
    await expect(running).toHaveCount(1);
  } finally {
    await db.pool.query('DELETE FROM actions WHERE id = ANY ($1)', [rows.map(({ id }) => id)]);
    await db.close();
  }
});

test('a ticket is handed over, its opener is asked, and once closed it is opened again, all on its page', async () => {
  verifies(
    'tickets.assign',
    'tickets.ask',
    'tickets.reopen',
    'tickets.notes',
    'tickets.stats',
    'dashboard.tabs',
  );
  await grantTickets();
  await owner.goto(`${guild}/tickets/${await opened()}`);
  await owner.getByRole('button', { name: /^Hand over ticket/ }).click();
  const dialog = owner.getByRole('dialog', { name: /^Hand over ticket/ });
  await dialog.getByLabel('To').selectOption({ label: 'Juno Okafor' });
  expect(await faultsIn(owner)).toEqual([]);
  await dialog.getByRole('button', { name: 'Hand over' }).click();
  await dialog.waitFor({ state: 'detached' });
  await owner.getByText('Handed over by').waitFor();
  const note = 'A storm sank it, says the log. '.repeat(20).trim();
  await owner.getByLabel('What the others should know').fill(note);
  await owner.getByRole('button', { name: 'Add a note' }).click();
  await owner.getByRole('listitem').filter({ hasText: note }).waitFor();
  await expect(owner.getByLabel('What the others should know')).toHaveValue('');
  await owner.getByRole('button', { name: 'Ask if solved' }).click();
  await owner.getByText('Closes by itself').waitFor();
  await owner.getByText('asked by Mira Voss').waitFor();
  await expect(owner.getByRole('button', { name: 'Ask if solved' })).toBeDisabled();
  for (const width of [360, 1280]) {
    await owner.setViewportSize({ width, height: 800 });
    expect(await owner.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect(await faultsIn(owner)).toEqual([]);
  }
  await owner.getByRole('button', { name: 'Close ticket' }).click();
  await owner.getByRole('dialog').getByRole('button', { name: 'Close ticket' }).click();
  await owner.getByRole('button', { name: 'Open again' }).click();
  await owner.getByRole('dialog').getByRole('button', { name: 'Open again' }).click();
  await owner.getByText('Opened again by').waitFor();
  await owner.getByRole('button', { name: 'Remove this note' }).click();
  await owner.getByRole('dialog').getByRole('button', { name: 'Remove this note' }).click();
  await owner.getByText('No note yet.').waitFor();
  await owner.goto(`${guild}/tickets`);
  await owner.getByRole('link', { name: 'Statistics' }).click();
  await owner.getByRole('heading', { level: 1, name: 'Statistics of tickets' }).waitFor();
  await owner.getByRole('link', { name: '90 days' }).click();
  await owner.getByText('Until the first answer').first().waitFor();
  await owner.setViewportSize({ width: 360, height: 800 });
  const tabs = owner.getByRole('navigation', { name: 'Tickets by state' }).getByRole('link');
  await expect(tabs).toHaveCount(5);
  for (const tab of await tabs.all()) await expect(tab).toBeInViewport({ ratio: 1 });
});

test('the page of a closed ticket shows who closed it, why, and what its opener said, and hands out the transcript', async () => {
  verifies('tickets.feedback');
  const number = await opened();
  await says(`ticket-${number.padStart(4, '0')}`, { content: 'The mast is <i>mended</i>' });
  await owner.setViewportSize({ width: 1280, height: 800 });
  await owner.goto(`${guild}/tickets/${number}`);
  await owner.getByRole('button', { name: 'Close ticket' }).click();
  const dialog = owner.getByRole('dialog');
  await dialog.getByLabel('Reason (optional)').fill('A new mast');
  await dialog.getByRole('button', { name: 'Close ticket' }).click();
  const facts = owner.getByRole('main').locator('dl').first();
  const fact = (name: string) =>
    facts.locator('dt').getByText(name, { exact: true }).locator('xpath=following-sibling::dd[1]');
  await expect(fact('Closed by')).toContainText('Mira Voss');
  await expect(fact('Reason')).toHaveText('A new mast');
  await expect(fact('Channel')).toHaveCount(0);
  await expect(fact('Feedback')).toHaveCount(0);

  const db = openDatabase(await databaseUrl(run.directory), { applicationName: 'test' });
  const say = (rating: number | null, text: string | null) =>
    db.pool.query(
      `INSERT INTO ticket_feedback (ticket_id, closed_at, guild_id, state, rating, text, rated_at)
       SELECT id, closed_at, guild_id, 'told', $3::int, $4, CASE WHEN $3::int IS NULL THEN NULL ELSE now() END
       FROM tickets WHERE guild_id = $1 AND number = $2
       ON CONFLICT (ticket_id, closed_at) DO UPDATE
         SET rating = excluded.rating, text = excluded.text, rated_at = excluded.rated_at`,
      [run.guild_id, Number(number), rating, text],
    );
  await say(null, null);
  await owner.reload();
  await expect(fact('Feedback')).toHaveText('asked, no answer yet');
  await say(4, 'Quick and <b>kind</b>');
  await owner.reload();
  await expect(fact('Feedback')).toContainText('4 of 5');
  await expect(fact('Feedback')).toContainText('Quick and <b>kind</b>');
  await expect(owner.getByText('messages are missing')).toHaveCount(0);
  const cut = 'UPDATE tickets SET is_cut = true WHERE guild_id = $1 AND number = $2';
  await db.pool.query(cut, [run.guild_id, Number(number)]);
  await db.close();
  await owner.reload();
  await owner.getByText('messages are missing: not all were read before the channel was gone').waitFor();

  const downloading = owner.waitForEvent('download');
  await owner.getByRole('link', { name: 'Download' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe(`ticket-${number}.html`);
  expect(await readFile(await download.path(), 'utf8')).toContain('The mast is &lt;i&gt;mended&lt;/i&gt;');
});

test('a reply leads to the message that it answers', async () => {
  verifies('tickets.conversation');
  const number = await opened();
  const channel = `ticket-${number.padStart(4, '0')}`;
  const asked = await says(channel, { content: 'Who has my oars?' });
  await says(channel, { content: 'I have them', user: 'owner', reply_to: asked.id });
  await owner.goto(`${guild}/tickets/${number}`);
  const link = owner.getByRole('log').getByRole('link', { name: /^In reply to / });
  await expect(link).toHaveAttribute('href', `#m${asked.id}`);
  await expect(owner.locator(`#m${asked.id}`)).toContainText('Who has my oars?');
});

test('a number in the search of tickets leads to its ticket', async () => {
  await owner.goto(`${guild}/tickets`);
  await owner.getByRole('searchbox').fill('#12');
  await owner.getByRole('searchbox').press('Enter');
  await owner.waitForURL(/\/tickets\/12$/);
});

/** In the page: keeps in `news` what a screen reader reads out of the conversation, which is a live region. */
const HEAR_NEWS = `
  globalThis.news = [];
  new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes) {
      const log = (target instanceof Element ? target : target.parentElement)?.closest('[role=log]');
      if (!log) continue;
      const tellsTexts = /text|all/.test(log.getAttribute('aria-relevant') ?? 'additions text');
      if (type === 'characterData' && tellsTexts) news.push(target.data);
      for (const node of addedNodes) news.push(node.textContent);
    }
  }).observe(document, { characterData: true, childList: true, subtree: true })`;

test('a screen reader tells of new messages in the conversation, and not of how their times go on', async ({
  browser,
}) => {
  verifies('tickets.conversation.live');
  const user = await joined('Sten Sextant');
  const number = await opened(user);
  const channel = `ticket-${number.padStart(4, '0')}`;
  await says(channel, { content: 'It leaks', user, age_seconds: 7_200 });
  const page = await signedInPage(browser, run, 'owner');
  await page.clock.install();
  await page.goto(`${guild}/tickets/${number}`);
  const conversation = page.getByRole('log');
  const time = conversation.getByRole('listitem').filter({ hasText: 'It leaks' }).getByRole('time');
  await expect(time).toHaveText('2 hours ago');
  await page.evaluate(HEAR_NEWS);
  await page.clock.fastForward(3_600_000);
  await expect(time).toHaveText('3 hours ago');
  expect(await page.evaluate('news')).toEqual([]);
  await says(channel, { content: 'It sank', user });
  await conversation.getByText('It sank').waitFor();
  expect(await page.evaluate('news')).toEqual([expect.stringContaining('It sank')]);
  await page.context().close();
});

test('messages of two people that follow each other stand each under the name of who wrote it', async () => {
  verifies('tickets.conversation');
  const user = await joined('Tess Tar');
  const number = await opened(user);
  const channel = `ticket-${number.padStart(4, '0')}`;
  await says(channel, { content: 'The keel is cracked', user });
  await says(channel, { content: 'So it is', user: 'owner' });
  await owner.goto(`${guild}/tickets/${number}`);
  const message = owner.getByRole('log').getByRole('listitem').filter({ hasText: 'So it is' });
  await expect(message).toContainText('mira.voss');
});

test('messages of one person stand under one name, and under another once seven minutes have passed', async () => {
  verifies('tickets.conversation');
  const user = await joined('Rosa Rudder');
  const number = await opened(user);
  const channel = `ticket-${number.padStart(4, '0')}`;
  for (const [content, age_seconds] of [
    ['It creaks', 900],
    ['It squeaks', 600],
    ['It is gone', 120],
  ] as const)
    await says(channel, { content, user, age_seconds });
  await owner.goto(`${guild}/tickets/${number}`);
  const messages = owner
    .getByRole('log')
    .getByRole('listitem')
    .filter({ hasText: /It (creaks|squeaks|is gone)/ });
  await expect(messages).toHaveCount(3);
  await expect(messages.filter({ hasText: 'rosa.rudder' })).toContainText(['It creaks', 'It is gone']);
});

test('a ticket that was closed more than two weeks ago is not opened again, and its page says why', async () => {
  verifies('tickets.reopen');
  const number = await opened(await joined('Otto Oar'));
  await owner.goto(`${guild}/tickets/${number}`);
  await owner.getByRole('button', { name: 'Close ticket' }).click();
  await owner.getByRole('dialog').getByRole('button', { name: 'Close ticket' }).click();
  const again = owner.getByRole('button', { name: 'Open again' });
  await expect(again).toBeEnabled();
  const db = openDatabase(await databaseUrl(run.directory), { applicationName: 'test' });
  const age = "UPDATE tickets SET closed_at = now() - interval '15 days' WHERE guild_id = $1 AND number = $2";
  await db.pool.query(age, [run.guild_id, Number(number)]);
  await db.close();
  await owner.reload();
  await expect(again).toBeDisabled();
  await expect(owner.getByText('Closed more than 14 days ago')).toBeVisible();
});

test('a ticket is handed over to somebody else than who has it', async () => {
  verifies('tickets.assign');
  await grantTickets();
  await owner.goto(`${guild}/tickets/${await opened(await joined('Sol Sail'))}`);
  const handOver = owner.getByRole('button', { name: /^Hand over ticket/ });
  const juno = owner.getByRole('dialog').getByRole('option', { name: 'Juno Okafor' });
  await handOver.click();
  await expect(juno).toHaveCount(1);
  await owner.getByRole('dialog').getByLabel('To').selectOption({ label: 'Juno Okafor' });
  await owner.getByRole('dialog').getByRole('button', { name: 'Hand over' }).click();
  await owner.getByText('Handed over by').waitFor();
  await handOver.click();
  await owner.getByRole('dialog').getByLabel('To').waitFor();
  await expect(juno).toHaveCount(0);
});

test('a ticket that the owner has is neither released nor handed over by a moderator', async ({
  browser,
}) => {
  verifies('tickets.assign');
  await grantTickets();
  const number = await opened(await joined('Mo Mast'));
  const moderator = await (await browser.newContext()).newPage();
  await signIn(moderator, run, 'moderator');
  const can = async () => {
    await moderator.goto(`${guild}/tickets/${number}`);
    const main = moderator.getByRole('main');
    const claims = await main.getByRole('button', { name: /^(Claim|Release) ticket/ }).isEnabled();
    const handsOver = await main.getByRole('button', { name: /^Hand over ticket/ }).isEnabled();
    return { claims, handsOver };
  };
  expect(await can()).toEqual({ claims: true, handsOver: true });
  await owner.goto(`${guild}/tickets/${number}`);
  await owner.getByRole('button', { name: /^Claim/ }).click();
  await owner.getByRole('button', { name: /^Release/ }).waitFor();
  expect(await can()).toEqual({ claims: false, handsOver: false });
  // Nobody waits for somebody who has left.
  const db = openDatabase(await databaseUrl(run.directory), { applicationName: 'test' });
  await db.pool.query(
    "UPDATE tickets SET claimed_by = '100000000000000001' WHERE guild_id = $1 AND number = $2",
    [run.guild_id, Number(number)],
  );
  expect(await can()).toEqual({ claims: false, handsOver: true });
  const main = moderator.getByRole('main');
  await expect(main).toContainText('hand it over');
  await db.pool.query(
    `UPDATE tickets SET status = 'closed', closed_at = now(), claimed_by = $3, closed_by = $3
     WHERE guild_id = $1 AND number = $2`,
    [run.guild_id, Number(number), run.people.owner],
  );
  await db.close();
  await moderator.reload();
  await main.getByRole('button', { name: 'Open again' }).waitFor();
  await expect(main).not.toContainText('Claimed by someone');
  await moderator.context().close();
});

for (const [when, isLostFirst] of [
  ['before the page shows the claim', true],
  ['after the page shows the claim', false],
] as const)
  test(`a claim whose answer is lost ${when} is another one once its ticket was released`, async ({
    browser,
  }) => {
    verifies('dashboard.sent-again');
    const number = await opened(await joined('Lena Lostclaim'));
    const page = await (await browser.newContext()).newPage();
    await signIn(page, run, 'owner');
    await page.goto(`${guild}/tickets/${number}`);
    const release = page.getByRole('button', { name: /^Release/ });
    const unsure = page.getByText('No answer came, so this may have been done.');
    const { promise: told, resolve: letGo } = Promise.withResolvers<void>();
    const isRefresh = ({ searchParams }: URL) => searchParams.has('_rsc');
    if (isLostFirst) await page.route(isRefresh, (route) => told.then(() => route.continue()));
    await page.route(
      '**/actions',
      async (route) => {
        await route.fetch();
        if (!isLostFirst) await release.waitFor();
        await route.abort();
      },
      { times: 1 },
    );
    await page.getByRole('button', { name: /^Claim/ }).click();
    if (isLostFirst) await unsure.waitFor();
    letGo();
    // Until the answer is lost, the button waits for it.
    await expect(release).toBeEnabled();
    // The page shows what became of it, and says no more that it may have been done.
    await expect(unsure).toHaveCount(0);
    await owner.goto(`${guild}/tickets/${number}`);
    await owner.getByRole('button', { name: /^Release/ }).click();
    await page.getByRole('button', { name: /^Claim/ }).click();
    await release.waitFor();
    await page.context().close();
  });

test('the page of an open ticket is brought up to date each minute, also when it hears of nothing', async ({
  browser,
}) => {
  verifies('tickets.conversation.live');
  const user = await joined('Mia Minute');
  const number = await opened(user);
  const channel = `ticket-${number.padStart(4, '0')}`;
  await says(channel, { content: 'The tide is out', user });
  const page = await (await browser.newContext()).newPage();
  await page.clock.install();
  await page.route('**/events?*', (route) => route.abort());
  await signIn(page, run, 'owner');
  await page.goto(`${guild}/tickets/${number}`);
  await page.getByText('The tide is out').waitFor();
  await says(channel, { content: 'The tide is in', user });
  await expect(async () => {
    await page.clock.fastForward(60_000);
    await page.getByText('The tide is in').waitFor({ timeout: 1_000 });
  }).toPass();
  await page.context().close();
});

for (const [what, lose, told] of [
  [
    'while the connection is lost',
    (page: Page) => page.context().setOffline(true),
    'Bailiff does not answer',
  ],
  [
    'after the session has ended in another tab',
    async (page: Page) => {
      const headers = { Origin: run.web };
      const ended = await page.request.delete(`${run.web}/api/sessions/current`, { headers });
      expect(ended.status()).toBe(200);
    },
    'Your session has ended',
  ],
] as const)
  test(`what is typed on the page of an open ticket stays ${what}`, async ({ browser }) => {
    verifies('dashboard.left-open');
    const number = await opened(await joined('Lou Lost'));
    const page = await (await browser.newContext()).newPage();
    await page.clock.install();
    await signIn(page, run, 'owner');
    // A refresh that is under way when the answers stop would end in another document. Each asks first how things are.
    const { promise: lost, resolve: letGo } = Promise.withResolvers<void>();
    await page.route('**/state', (route) => lost.then(() => route.continue()));
    await page.goto(`${guild}/tickets/${number}`);
    await page.getByRole('log', { name: 'In the channel now' }).waitFor();
    await page.getByRole('button', { name: 'Close ticket' }).click();
    const reason = page.getByRole('dialog').getByLabel('Reason (optional)');
    await reason.fill('Nobody has seen the boat');
    let loads = 0;
    page.on('load', () => {
      loads += 1;
    });
    await lose(page);
    letGo();
    let refreshes = 0;
    page.on('request', (request) => {
      if (/[?&]_rsc=/.test(request.url())) refreshes += 1;
    });
    // Each minute the page is brought up to date by itself.
    for (let minutes = 0; minutes < 3; minutes += 1) {
      await page.clock.fastForward(61_000);
      await page.clock.fastForward(5_000);
      await expect(page.getByRole('alert', { includeHidden: true }).filter({ hasText: told })).toHaveCount(1);
    }
    await expect(reason).toHaveValue('Nobody has seen the boat');
    expect({ refreshes, loads }).toEqual({ refreshes: 0, loads: 0 });
    await page.context().close();
  });
