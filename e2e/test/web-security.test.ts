// The pages, as people meet them who have no part in what they show. The dashboard's API: apps/web/test/web-security.test.ts.

import { createHash } from 'node:crypto';
import { hashSecret } from '@bailiff/core';
import { type Exchange, Owner, type SampleState, send, Visitor } from '@bailiff/sandbox/visitor';
import type { Page } from '@playwright/test';
import { allPages } from '#src/all-pages.ts';
import { refillBudgets } from '#src/budgets.ts';
import { signIn } from '#src/pages.ts';
import { run } from '#src/run.ts';
import type { Story } from '#src/story.ts';
import { expect, test, verifies } from '#src/testing.ts';

test.beforeEach(() => refillBudgets(run.directory));

/** Everyone whom the sandbox knows by a name. */
const PEOPLE = [
  'owner',
  'admin',
  'moderator',
  'helper',
  'member',
  'member2',
  'troll',
  'newcomer',
  'quiet',
  'other_owner',
  'outsider',
];
const ABSENT_GUILD = '831908736493682999';
/** As a browser asks for a part of a page it already shows. */
const PARTIAL = { rsc: '1', 'next-url': '/', accept: '*/*' };

/** What may stand in the addresses of pages; whether it is there does not matter to who may not see it. */
const SOMETHING: Story = {
  caseNumber: '1',
  userId: run.people.troll ?? '',
  ticketNumber: '1',
  appealNumber: '1',
  serverId: run.servers[0]?.id ?? '',
  auditId: 'aud_00000000000000000000000000000001',
  archiveId: 'arc_00000000000000000000000000000001',
};

interface Guild {
  id: string;
  name: string;
  owner_id: string;
}

let guilds: Guild[];
/** Addresses of pages of a guild, with `{guildId}` where its id stands. */
let templates: string[];
let others: string[];

test.beforeAll(async () => {
  const state = (await send(`${run.sandbox}/sandbox/state`)).body as SampleState;
  guilds = state.guilds as unknown as Guild[];
  const pages = allPages(run, SOMETHING);
  const isOfGuild = ({ path }: { path: string }) => path.startsWith(`/guilds/${run.guild_id}`);
  templates = pages.filter(isOfGuild).map(({ path }) => path.replace(run.guild_id, '{guildId}'));
  others = pages.filter((page) => !isOfGuild(page)).map(({ path }) => path);
});

async function signedIn(userId: string): Promise<(path: string, headers?: object) => Promise<Exchange>> {
  const visitor = new Visitor();
  await visitor.signIn(run.web, userId);
  return (path, headers = {}) => visitor.request(`${run.web}${path}`, { headers: { ...headers } });
}

/** Guilds in which somebody has a part: those on their start page. */
async function guildsOf(get: (path: string) => Promise<Exchange>): Promise<string[]> {
  const { text } = await get('/');
  return guilds.filter(({ id }) => text.includes(`/guilds/${id}`)).map(({ id }) => id);
}

test.describe('whoever signs in', () => {
  test('is one of the people below', () => {
    expect(PEOPLE.toSorted()).toEqual(Object.keys(run.people).toSorted());
  });

  for (const name of PEOPLE)
    test(`as ${name} finds no page of a guild they have no part in`, async () => {
      const get = await signedIn(run.people[name] ?? '');
      const own = await guildsOf(get);
      for (const guild of guilds.filter(({ id }) => !own.includes(id))) {
        for (const template of templates) {
          const path = template.replace('{guildId}', guild.id);
          const [foreign, absent, partial] = await Promise.all([
            get(path),
            get(template.replace('{guildId}', ABSENT_GUILD)),
            get(path, PARTIAL),
          ]);
          expect([path, foreign.status, absent.status]).toEqual([path, 404, 404]);
          expect(withoutChance(foreign.text), path).toBe(withoutChance(absent.text));
          for (const { text } of [foreign, partial]) {
            expect(text, path).not.toContain(guild.name);
            if (run.people[name] !== guild.owner_id) expect(text, path).not.toContain(guild.owner_id);
          }
        }
      }
    });

  test('is shown nothing of another guild on any page, and no secret or hash of one', async () => {
    verifies('G18');
    const userId = run.people.owner ?? '';
    const owner = await Owner.signIn(run.web, userId);
    const minted = (await owner.mint(run.guild_id, 'scanned')).body as {
      token: { id: string };
      secret: string;
    };
    const get = await signedIn(userId);
    const foreign = guilds.filter(({ owner_id }) => owner_id !== userId);
    expect(foreign).not.toEqual([]);
    const hashes = [hashSecret(minted.secret), createHash('sha256').update(minted.secret).digest()];
    const unspoken = [
      minted.secret,
      ...hashes.flatMap((hash) => [hash.toString('hex'), hash.toString('base64')]),
      ...foreign.flatMap(({ id, name, owner_id }) => [id, name, owner_id]),
    ];
    for (const path of [...others, ...templates.map((each) => each.replace('{guildId}', run.guild_id))]) {
      for (const headers of [{}, PARTIAL]) {
        const { status, text } = await get(path, headers);
        expect(status, path).toBeLessThan(500);
        for (const what of unspoken) expect(text, path).not.toContain(what);
      }
    }
    await owner.revoke(minted.token.id);
  });
});

/** Between two parts of what Next sends for the page's scripts: it cuts where it had to wait. */
const CUT = /"\]\)<\/script><script[^>]*>self\.__next_f\.push\(\[1,"/g;

/**
 * A page without what is drawn anew for each answer, and without the address it answers. Its lines are in one order: what
 * the server works on at once it sends as it gets ready.
 */
function withoutChance(html: string): string {
  return html
    .replaceAll(/nonce="[^"]*"/g, '')
    .replaceAll(/nonce\\":\\"[^"]*\\"/g, '')
    .replaceAll(/\d{17,20}/g, 'ID')
    .replaceAll(CUT, '')
    .split('\\n')
    .toSorted()
    .join('\n');
}

test.describe('in the browser', () => {
  let page: Page;
  const violations: string[] = [];

  test.beforeAll(async ({ browser }) => {
    const context = await browser.newContext();
    const { hostname } = new URL(run.web);
    await context.addCookies([{ name: 'bailiff.developer-mode', value: 'on', domain: hostname, path: '/' }]);
    await context.exposeFunction('tellViolation', (what: string) => violations.push(what));
    await context.addInitScript(`addEventListener('securitypolicyviolation', (event) => {
      tellViolation([location.pathname, event.effectiveDirective, event.blockedURI, event.sample].join(' '));
    })`);
    page = await context.newPage();
    await signIn(page, run, 'owner');
  });
  test.afterAll(() => page?.close());

  test('no page breaks its own content security policy', async () => {
    for (const path of [...others, ...templates.map((each) => each.replace('{guildId}', run.guild_id))]) {
      await page.goto(`${run.web}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
    }
    await page.goto(`${run.web}/guilds/${run.guild_id}/tokens`);
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByRole('dialog').waitFor();
    expect(violations).toEqual([]);
  });

  test('a script that somebody smuggled into a page does not run, and is told of', async () => {
    await page.goto(`${run.web}/guilds/${run.guild_id}`);
    const ran = await page.evaluate(`(() => {
      const script = document.createElement('div');
      script.innerHTML = '<img src="x" onerror="window.smuggled = true">';
      document.body.append(script);
      const inline = document.createElement('script');
      inline.setAttribute('nonce', 'guessed');
      inline.textContent = 'window.smuggled = true';
      document.body.insertAdjacentHTML('beforeend', inline.outerHTML);
      return new Promise((resolve) => addEventListener('securitypolicyviolation', () => resolve(window.smuggled === true)));
    })()`);
    expect(ran).toBe(false);
    await expect.poll(() => violations.join()).toContain('script-src');
    violations.length = 0;
  });
});

test('every page names its scripts one by one, and lets nobody frame it', async () => {
  const get = await signedIn(run.people.owner ?? '');
  const nonces = new Set<string>();
  const paths = [...others, ...templates.map((each) => each.replace('{guildId}', run.guild_id))];
  for (const path of paths) {
    const { headers, text } = await get(path);
    const policy = headers.get('content-security-policy') ?? '';
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
    nonces.add(nonce);
    expect(policy, path).toContain("frame-ancestors 'none'");
    expect(headers.get('x-frame-options'), path).toBe('DENY');
    const scriptSource = policy.split('; ').find((directive) => directive.startsWith('script-src')) ?? '';
    expect(scriptSource, path).not.toContain('unsafe');
    for (const [tag] of text.matchAll(/<script\b[^>]*>/g)) expect(tag, path).toContain(`nonce="${nonce}"`);
    expect(text, path).not.toMatch(/\son\w+="/);
  }
  expect(nonces.size).toBe(paths.length);
});
