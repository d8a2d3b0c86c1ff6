import { verifies } from '@bailiff/core/testing';
import { turnOfExport } from '@bailiff/engine/imports/archive-export';
import { grantRole, type SeededGuild } from '@bailiff/engine/testing';
import { ticketSettings } from '@bailiff/engine/tickets/ticket-settings';
import { expect, it } from 'vitest';
import { guildForEachTest } from './each-test.ts';
import { ORIGIN, type Person, signedIn, type TestWeb } from './support.ts';

const CATEGORY = { name: 'Griefing', description: '', questions: ['Who?'], role_ids: [] };
const SETTINGS = {
  categories: [CATEGORY, { ...CATEGORY, name: 'Other', questions: [] }],
  most_open_of_person: 2,
  most_open_of_guild: 40,
  cooldown_minutes: 15,
  sends_transcript: false,
  asks_feedback: false,
};

let web: TestWeb;
let guild: SeededGuild;
let owner: Person;

guildForEachTest((given) => {
  ({ web, guild, owner } = given);
});

it('the owner sets what members are asked for a ticket, and nobody else', async () => {
  verifies('tickets.settings');
  const path = `/api/guilds/${guild.id}/ticket-settings`;
  const moderator = await signedIn(web, guild.moderatorId);
  expect((await moderator.call('PATCH', path, SETTINGS)).status).toBe(404);
  expect(await owner.call('PATCH', path, SETTINGS)).toMatchObject({ status: 200, body: SETTINGS });
  for (const wrong of [
    { ...SETTINGS, categories: [CATEGORY, { ...CATEGORY, name: ' Griefing ' }] },
    { ...SETTINGS, categories: [{ ...CATEGORY, name: '' }] },
    { ...SETTINGS, categories: [{ ...CATEGORY, name: 'x'.repeat(61) }] },
    { ...SETTINGS, categories: [{ ...CATEGORY, questions: Array(5).fill('Who?') }] },
    { ...SETTINGS, categories: [{ ...CATEGORY, role_ids: ['everyone'] }] },
    { ...SETTINGS, categories: Array.from({ length: 26 }, (_, n) => ({ ...CATEGORY, name: `${n}` })) },
    { ...SETTINGS, most_open_of_person: 0 },
    { ...SETTINGS, most_open_of_guild: 401 },
    { ...SETTINGS, cooldown_minutes: -1 },
    { ...SETTINGS, sends_transcript: 'yes' },
    { ...SETTINGS, asks_feedback: null },
    {},
  ]) {
    expect((await owner.call('PATCH', path, wrong)).status).toBe(422);
  }
  const { rows } = await web.db.pool.query(
    "SELECT details FROM audit WHERE guild_id = $1 AND operation = 'tickets.settings'",
    [guild.id],
  );
  expect(rows).toEqual([{ details: SETTINGS }]);
});

it('what a change does not name stays as it was set elsewhere meanwhile, and is not said to be changed', async () => {
  verifies('tickets.settings');
  const path = `/api/guilds/${guild.id}/ticket-settings`;
  await owner.call('PATCH', path, { cooldown_minutes: 15 });
  const changes = [{ categories: SETTINGS.categories }, { most_open_of_person: 2, asks_feedback: true }];
  await Promise.all(changes.map((change) => owner.call('PATCH', path, change)));
  const wanted = { ...SETTINGS, most_open_of_guild: 200, asks_feedback: true };
  expect(await ticketSettings(web.db.pool, guild.id)).toEqual(wanted);
  const { rows } = await web.db.pool.query<{ details: object }>(
    "SELECT details FROM audit WHERE guild_id = $1 AND operation = 'tickets.settings'",
    [guild.id],
  );
  expect(rows.map(({ details }) => details)).toEqual(
    expect.arrayContaining([{ cooldown_minutes: 15 }, ...changes]),
  );
});

it('without settings, tickets have the limits that are shown to the owner, and nobody gets a message', async () => {
  expect(await ticketSettings(web.db.pool, guild.id)).toEqual({
    categories: [],
    most_open_of_person: 5,
    most_open_of_guild: 200,
    cooldown_minutes: 0,
    sends_transcript: false,
    asks_feedback: false,
  });
});

const fetched = (person: Person, number: string | number) =>
  web.runtime.dashboardApi(
    new Request(`${ORIGIN}/api/guilds/${guild.id}/tickets/${number}/transcript`, {
      headers: { Cookie: person.cookie },
    }),
    { address: '203.0.113.9' },
  );

it('who may read tickets downloads a transcript that no browser runs, and nobody else', async () => {
  verifies('tickets.transcript.download');
  const message = {
    id: '1',
    author_id: guild.memberId,
    author_name: 'Sam',
    sent_at: '2026-11-23T10:00:00.000Z',
  };
  await web.db.pool.query(
    `INSERT INTO tickets (guild_id, number, subject, opened_by, status, closed_at, transcript)
     VALUES ($1, 1, 'Griefed', $2, 'closed', now(), $3), ($1, 2, 'Open', $2, 'open', NULL, NULL)`,
    [guild.id, guild.memberId, JSON.stringify([{ ...message, text: '<script>1</script>', attachments: [] }])],
  );
  const answer = await fetched(owner, 1);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="ticket-1.html"');
  expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox;/);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await answer.text()).toContain('&lt;script&gt;1&lt;/script&gt;');
  await web.db.pool.query("UPDATE guilds SET language = 'fr' WHERE id = $1", [guild.id]);
  expect(await (await fetched(owner, 1)).text()).toContain('<html lang="fr"');
  // A download that ends with an error does not count as running.
  for (const number of [2, 3, '0', '99999999999', 'x']) {
    expect((await fetched(owner, number)).status).toBe(404);
  }
  const stranger = await signedIn(web, guild.memberId);
  expect((await fetched(stranger, 1)).status).toBe(404);
  const moderator = await signedIn(web, guild.moderatorId);
  await grantRole(web.db, guild, guild.moderatorRoleId, ['members.read']);
  expect((await fetched(moderator, 1)).status).toBe(403);
  await grantRole(web.db, guild, guild.moderatorRoleId, ['tickets.read']);
  expect((await fetched(moderator, 1)).status).toBe(200);
});

it.each([
  ['their session has ended', (reader: Person) => reader.call('DELETE', '/api/sessions/current')],
  [
    'they may not read tickets any more',
    () => grantRole(web.db, guild, guild.moderatorRoleId, ['members.read']),
  ],
] as const)('a transcript breaks off for whoever downloads it once %s', async (_what, end) => {
  verifies('tickets.transcript.download');
  await web.db.pool.query(
    `INSERT INTO tickets (guild_id, number, subject, opened_by, status, closed_at, transcript)
     SELECT $1, 1, 'Griefed', $2, 'closed', now(), jsonb_build_array(jsonb_build_object('id', '1', 'author_id', $2::text,
       'author_name', 'Sam', 'sent_at', '2026-11-23T10:00:00.000Z', 'text', 'Hello', 'attachments', '[]'::jsonb))`,
    [guild.id, guild.memberId],
  );
  await grantRole(web.db, guild, guild.moderatorRoleId, ['tickets.read']);
  const reader = await signedIn(web, guild.moderatorId);
  // An export of the same guild goes first.
  let letGo = () => {};
  const other = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const ahead = turnOfExport(web.runtime.db, guild.id)(() => other);
  const answer = await fetched(reader, 1);
  expect(answer.status).toBe(200);
  await end(reader);
  letGo();
  await expect(answer.text()).rejects.toThrow();
  await ahead;
});
