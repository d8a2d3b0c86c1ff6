import { CAPABILITIES, type Capability } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { grantRole, type SeededGuild, seedGuild, seedToken } from '@bailiff/engine/testing';
import { describe, expect, it } from 'vitest';
import type { ChangeEvent } from '#src/change-feed.ts';
import { guildForEachTest } from './each-test.ts';
import { ORIGIN, type Person, signedIn, type TestServer, type TestWeb } from './support.ts';

let web: TestWeb;
let server: TestServer;
let guild: SeededGuild;
let owner: Person;

guildForEachTest((given) => {
  ({ web, server, guild, owner } = given);
});

/** An open page: the events it has received, in order. */
async function openPage({ cookie }: Pick<Person, 'cookie'>, { guildId = guild.id, age = 0 } = {}) {
  const stop = new AbortController();
  const response = await fetch(`${server.base}/api/guilds/${guildId}/events?age=${age}`, {
    headers: { Cookie: cookie },
    signal: stop.signal,
  });
  expect(response.status).toBe(200);
  // nginx would gather events before it passes them on.
  expect(response.headers.get('X-Accel-Buffering')).toBe('no');
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  const events: ChangeEvent[] = [];
  let rest = '';
  const read = async (): Promise<boolean> => {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
    rest += decoder.decode(value, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^event: change\ndata: (.*)$/.exec(block)?.[1];
      if (data !== undefined) events.push(JSON.parse(data));
    }
    return !done;
  };
  await read(); // the first event comes after the subscription
  return {
    events,
    /** Reads until an event has this kind. */
    async heard(is: (event: ChangeEvent) => boolean): Promise<ChangeEvent> {
      for (;;) {
        const found = events.find(is);
        if (found !== undefined) return found;
        if (!(await read())) throw new Error(`The stream ended after ${JSON.stringify(events)}`);
      }
    },
    async ended(): Promise<void> {
      while (await read());
    },
    close: () => stop.abort(),
  };
}

const ofKind = (kind: string) => (event: ChangeEvent) => event.kinds.some((each) => each === kind);
const query = (text: string, values: unknown[] = []) => web.db.pool.query(text, values);
const tell = (kind: string, guildId = guild.id) => query("SELECT tell($1, $2, '{}')", [kind, guildId]);
const insertAudit = async (guildId = guild.id): Promise<string> => {
  const { rows } = await query(
    `INSERT INTO audit (guild_id, actor_source, actor_user_id, operation, target_type, target_id, outcome, details,
       address)
     VALUES ($1, 'chat', $2, 'strikes.add', 'user', '123456789012345678', 'performed', '{"secret": "of the owner"}',
       '198.51.100.77')
     RETURNING id`,
    [guildId, guild.moderatorId],
  );
  return rows[0].id;
};
const moderatorWith = async (...capabilities: Capability[]): Promise<Person> => {
  await grantRole(web.db, guild, guild.moderatorRoleId, capabilities);
  return signedIn(web, guild.moderatorId);
};

it('a member who becomes the second moderator ticks the first step on an open page', async () => {
  verifies('dashboard.first-steps.live');
  await grantRole(web.db, guild, guild.memberRoleId, ['strikes.read']);
  await query('UPDATE guilds SET grants_confirmed_at = now() WHERE id = $1', [guild.id]);
  await query("UPDATE members SET role_ids = '{}' WHERE guild_id = $1", [guild.id]);
  const page = await openPage(owner);
  const isTicked = (event: ChangeEvent) => event.attention?.firstStepsDone?.includes('moderator') === true;
  expect(page.events.some(isTicked)).toBe(false);
  await query('UPDATE members SET role_ids = ARRAY[$2] WHERE guild_id = $1 AND user_id = $3', [
    guild.id,
    guild.memberRoleId,
    guild.memberId,
  ]);
  await page.heard(isTicked);
  page.close();
});

it('a new row of the audit log is in the word of it, with the names it needs', async () => {
  const page = await openPage(owner);
  const id = await insertAudit();
  const { audit } = await page.heard(ofKind('audit'));
  expect(audit).toEqual([
    expect.objectContaining({ id, operation: 'strikes.add', actorName: guild.moderatorId }),
  ]);
  expect(JSON.stringify(audit)).not.toContain('of the owner');
  page.close();
});

it('what becomes of a token, of its window and of its requests is news on an open page', async () => {
  const token = await seedToken(web.db, guild);
  const at = `/api/api-tokens/${token.id}`;
  const { rows } = await query(
    `INSERT INTO approval_requests (token_id, guild_id, operation, input, digest, request_id, address, expires_at)
     VALUES ($1, $2, 'bans.add', '{}', 'digest', 'req_news', '203.0.113.9', now() + interval '1 hour') RETURNING id`,
    [token.id, guild.id],
  );
  for (const [kind, method, path, body] of [
    ['token', 'PATCH', at, { name: 'renamed' }],
    ['window', 'POST', `${at}/reauth-window`],
    ['window', 'DELETE', `${at}/reauth-window`],
    ['approval', 'POST', `/api/approvals/${rows[0].id}`, { decision: 'refuse' }],
  ] as const) {
    const page = await openPage(owner);
    expect([path, (await owner.call(method, path, body)).status]).toEqual([path, 200]);
    await page.heard(ofKind(kind));
    page.close();
  }
});

it('the address in a new row is for the owner, not for moderators', async () => {
  verifies('privacy.addresses');
  // Who may do all that the owner may is still not the owner.
  const pages = await Promise.all([openPage(owner), openPage(await moderatorWith(...CAPABILITIES))]);
  await insertAudit();
  const events = await Promise.all(pages.map((page) => page.heard(ofKind('audit'))));
  expect(events.map(({ audit }) => audit?.map(({ address }) => address))).toEqual([
    ['198.51.100.77'],
    [null],
  ]);
  for (const page of pages) page.close();
});

it('a page hears of its own guild and of no other', async () => {
  const other = await seedGuild(web.db);
  const page = await openPage(owner);
  await tell('token', other.id);
  await insertAudit(other.id);
  await tell('approval');
  expect(await page.heard(ofKind('approval'))).toMatchObject({ kinds: ['approval'] });
  expect(page.events).toHaveLength(1);
  page.close();
});

it.each([
  ['a case', 'case', "SELECT open_case($1, 'strike', 'str', '123456789012345678', 'spam', '1', NULL, NULL)"],
  [
    'a ticket',
    'ticket',
    "INSERT INTO tickets (guild_id, number, subject, opened_by) VALUES ($1, 1, 'Hi', '1')",
  ],
  ['a note', 'note', "INSERT INTO notes (guild_id, user_id, text, written_by) VALUES ($1, '1', 'x', '2')"],
  ['a setting', 'settings', "UPDATE guilds SET language = 'de' WHERE id = $1"],
  ['a grant', 'settings', "INSERT INTO role_grants VALUES ($1, $1, '{audit.read}', '1')"],
])('%s is announced by the code that writes it', async (_what, kind, text) => {
  const page = await openPage(owner);
  await query(text, [guild.id]);
  expect((await page.heard(ofKind(kind))).kinds).toContain(kind);
  page.close();
});

it.each([
  ['may not read tickets', 'audit.read', true],
  ['does not see the channel', 'tickets.read', false],
] as const)(
  'who reads a channel hears that something was written there, and who %s does not',
  async (_who, capability, isNamed) => {
    verifies('tickets.conversation.live', 'tickets.conversation.heard-by-readers');
    const reader = await openPage(await moderatorWith('tickets.read'));
    await grantRole(web.db, guild, guild.memberRoleId, [capability]);
    const other = await openPage(await signedIn(web, guild.memberId));
    const [channel, ofNobody] = ['123456789012345678', '123456789012345679'];
    const written = (id: string, user_ids?: string[]) =>
      query("SELECT tell('conversation', $1, $2)", [guild.id, JSON.stringify({ id, user_ids })]);
    // As the bot of the release before tells it, which names nobody.
    await written(ofNobody);
    await written(channel, [guild.moderatorId, ...(isNamed ? [guild.memberId] : [])]);
    expect((await reader.heard(ofKind('conversation'))).channels).toEqual([channel]);
    await tell('settings');
    await other.heard(ofKind('settings'));
    const heard = other.events.filter(({ kinds, channels }) => channels || kinds.includes('conversation'));
    expect(heard).toEqual([]);
    reader.close();
    other.close();
  },
);

it('the first steps are ticked in open pages', async () => {
  verifies('dashboard.first-steps.live');
  const page = await openPage(owner);
  await query(
    `INSERT INTO reason_presets (guild_id, kind, name, reason) VALUES ($1, 'ban', 'Raid', 'Raid')`,
    [guild.id],
  );
  const { attention } = await page.heard(ofKind('settings'));
  expect(attention?.firstStepsDone).toEqual(['reasons']);
  page.close();
});

describe('the events of a page', () => {
  it('is what its viewer may see', async () => {
    const page = await openPage(await moderatorWith('tickets.read'));
    await seedToken(web.db, guild);
    await insertAudit();
    await tell('approval');
    await tell('window');
    await tell('ticket');
    const event = await page.heard(ofKind('ticket'));
    // That their role was granted something may still be on its way.
    expect(event.kinds.filter((kind) => kind !== 'settings')).toEqual(['ticket']);
    expect(event.audit).toBeUndefined();
    expect(event.attention).toMatchObject({ openTickets: 0, pendingApprovals: null, tokensToRotate: null });
    page.close();
  });

  it.each([
    ['a note', 'note', 'members.read', 'tickets.read'],
    ['a slowmode', 'measure', 'channels.write', 'members.read'],
    ['a role for a time', 'measure', 'roles.write', 'members.read'],
    ['a report', 'report', 'reports.read', 'tickets.read'],
    ['an appeal', 'appeal', 'appeals.read', 'bans.read'],
    ['a case', 'case', 'mutes.read', 'mutes.write'],
    ['a game server', 'server', 'servers.rcon', 'audit.read'],
  ] as const)('%s is heard of by who may read such, and by nobody else', async (_what, kind, may, mayNot) => {
    const reader = await openPage(await moderatorWith(may));
    await grantRole(web.db, guild, guild.memberRoleId, [mayNot]);
    const other = await openPage(await signedIn(web, guild.memberId));
    await tell(kind);
    await reader.heard(ofKind(kind));
    await tell('settings');
    await other.heard(ofKind('settings'));
    await tell('progress');
    await other.heard(ofKind('progress'));
    expect(other.events.filter(ofKind(kind))).toEqual([]);
    reader.close();
    other.close();
  });

  it('differs between viewers who may see different things', async () => {
    const clerk = await openPage(await moderatorWith('tickets.read'));
    await grantRole(web.db, guild, guild.memberRoleId, ['audit.read']);
    const auditor = await openPage(await signedIn(web, guild.memberId));
    const id = await insertAudit();
    await tell('ticket');
    expect((await auditor.heard(ofKind('audit'))).audit?.map((row) => row.id)).toEqual([id]);
    await clerk.heard(ofKind('ticket'));
    expect(clerk.events.filter(({ audit }) => audit !== undefined)).toEqual([]);
    expect(auditor.events.filter(ofKind('ticket'))).toEqual([]);
    clerk.close();
    auditor.close();
  });

  it('is to look again, where there are more new rows than one event carries', async () => {
    const told = async (count: number) => {
      const page = await openPage(owner);
      // At once, because those that come later are of another event.
      for (let n = 0; n < count; n += 1)
        web.runtime.changeFeed.publish({ kind: 'audit', guild_id: guild.id, id: String(n) });
      const event = await page.heard(ofKind('audit'));
      page.close();
      return event;
    };
    expect((await told(100)).missed).toBeUndefined();
    const event = await told(101);
    expect(event).toMatchObject({ missed: true });
    expect(event.audit).toBeUndefined();
  });

  it('follows what its viewer may do now, not what they could when it was opened', async () => {
    const page = await openPage(await moderatorWith('audit.read', 'tickets.read'));
    await insertAudit();
    await page.heard(ofKind('audit'));
    await grantRole(web.db, guild, guild.moderatorRoleId, ['tickets.read']);
    await insertAudit();
    await tell('ticket');
    await page.heard(ofKind('ticket'));
    expect(page.events.flatMap(({ audit = [] }) => audit)).toHaveLength(1);
    page.close();
  });

  it.each([
    ['signs out', () => query('DELETE FROM sessions WHERE user_id = $1', [guild.moderatorId])],
    ['leaves the guild', () => query('DELETE FROM members WHERE user_id = $1', [guild.moderatorId])],
    [
      'is timed out',
      () =>
        query("UPDATE members SET timed_out_until = now() + interval '1 hour' WHERE guild_id = $1", [
          guild.id,
        ]),
    ],
    ['loses every capability', () => query('DELETE FROM role_grants WHERE guild_id = $1', [guild.id])],
  ])('is nothing once its viewer %s, and the stream ends', async (_how, lose) => {
    const page = await openPage(await moderatorWith('audit.read'));
    await lose();
    await insertAudit();
    await page.ended();
    expect(page.events.filter(ofKind('audit'))).toEqual([]);
  });
});

it('a page that was rendered before a change and opened after it looks again', async () => {
  await tell('ticket');
  const first = await openPage(owner);
  await tell('ticket');
  await first.heard(ofKind('ticket'));
  const late = await openPage(owner, { age: 50_000 });
  expect(await late.heard(({ missed }) => missed === true)).toEqual({ kinds: [], missed: true });
  first.close();
  late.close();
});

it('open pages look again once the connection that hears of changes was lost and is there again', async () => {
  const page = await openPage(owner);
  const lost = await query(
    `SELECT pg_terminate_backend(pid, 10000) AS ended FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'bailiff-web listen'`,
  );
  expect(lost.rows).toEqual([{ ended: true }]);
  expect(await page.heard(({ missed }) => missed === true)).toEqual({ kinds: [], missed: true });
  page.close();
});

it('a page hears of a change that came while it waited to hear of changes', async () => {
  const late = await moderatorWith('tickets.read');
  (await openPage(late)).close();
  const lock = await web.db.pool.connect();
  try {
    // The request of the late page is counted first, and waits here.
    await lock.query('BEGIN');
    await lock.query("SELECT 1 FROM rate_limits WHERE key LIKE 'api:%' FOR UPDATE");
    const opening = openPage(late, { age: 1 });
    const waiting =
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await expect.poll(async () => (await query(waiting)).rowCount).toBe(1);
    web.runtime.changeFeed.publish({ kind: 'ticket', guild_id: guild.id });
    await lock.query('COMMIT');
    const page = await opening;
    expect(await page.heard(({ missed }) => missed === true)).toEqual({ kinds: [], missed: true });
    page.close();
  } finally {
    lock.release();
  }
});

it('a page that was rendered more than a minute before looks again, because nobody knows what has changed', async () => {
  const page = await openPage(owner, { age: 61_000 });
  expect(await page.heard(({ missed }) => missed === true)).toEqual({ kinds: [], missed: true });
  page.close();
});

it('a person keeps at most fifty pages up to date, however often they sign in', async () => {
  const again = await signedIn(web, guild.ownerId);
  const pages = await Promise.all(
    Array.from({ length: 50 }, (_, n) => openPage(n % 2 === 0 ? owner : again)),
  );
  const third = await signedIn(web, guild.ownerId);
  const one = await third.call('GET', `/api/guilds/${guild.id}/events`);
  expect(one).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMITED' } } });
  for (const page of pages) page.close();
});

it('a page that reads nothing gets no more once 256 KB wait for it', async () => {
  const request = new Request(`${ORIGIN}/api/guilds/${guild.id}/events`, {
    headers: { Cookie: owner.cookie },
  });
  const { changeFeed, dashboardApi } = web.runtime;
  const { body } = await dashboardApi(request, { address: '203.0.113.9' });
  for (const [events, open] of [
    [3_000, 1],
    [5_000, 0],
  ] as const) {
    for (let n = 0; n < events; n += 1) changeFeed.publishMissed();
    expect(changeFeed.streamsOf(guild.ownerId)).toBe(open);
  }
  await body?.cancel();
});

it('a browser that loses the connection is told to come back after two seconds', async () => {
  const stop = new AbortController();
  const { body } = await fetch(`${server.base}/api/guilds/${guild.id}/events`, {
    headers: { Cookie: owner.cookie },
    signal: stop.signal,
  });
  const first = await body?.getReader().read();
  expect(new TextDecoder().decode(first?.value)).toMatch(/^retry: 2000\n\nevent: build\n/);
  stop.abort();
});

it('a guild that is not theirs is not there, and nothing is sent without a session', async () => {
  const foreign = await seedGuild(web.db);
  for (const id of [foreign.id, '999999999999999999']) {
    const answer = await owner.call('GET', `/api/guilds/${id}/events`);
    expect(answer).toMatchObject({
      status: 404,
      body: { error: { message: 'This is not one of your guilds, or no longer is.' } },
    });
  }
  expect((await fetch(`${server.base}/api/guilds/${guild.id}/events`)).status).toBe(401);
});
