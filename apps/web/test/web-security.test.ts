import { createHash } from 'node:crypto';
import { hashSecret } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import {
  grantRole,
  type SeededGuild,
  type SeededToken,
  seedGuild,
  seedToken,
  seedWindow,
} from '@bailiff/engine/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '#src/dashboard-api/handler.ts';
import type { Route } from '#src/dashboard-api/route.ts';
import { callWithToken, ORIGIN, type Person, signedIn, startTestWeb, type TestWeb } from './support.ts';

/** The values in a path or body of a request about a guild. */
interface Ids {
  guildId: string;
  tokenId: string;
  approvalId: string;
  serverId: string;
  exportId: string;
  importId: string;
  presetId: string;
  evidenceId: string;
  sessionId: string;
  actionId: string;
  userId: string;
  caseId: string;
  /** The number of a closed ticket. */
  number: string;
}

let web: TestWeb;
/** The guild that requests are about, with one row of each kind, and another guild. */
let guild: SeededGuild;
let other: SeededGuild;
let token: SeededToken;
let there: Ids;
let absent: Ids;
const people = {} as Record<'owner' | 'moderator' | 'member' | 'otherOwner' | 'nobody', Person>;

beforeAll(async () => {
  web = await startTestWeb();
  guild = await seedGuild(web.db);
  other = await seedGuild(web.db);
  token = await seedToken(web.db, guild);
  await seedWindow(web.db, other, await seedToken(web.db, other));
  const asked = await callWithToken(web.runtime, token.secret, 'POST', `/guilds/${guild.id}/bans`, {
    user_id: guild.memberId,
    reason: 'raid',
    _confirmation: `BAN USER ${guild.memberId} IN GUILD ${guild.id} PERMANENT`,
  });
  const { rows: imports } = await web.db.pool.query<{ id: string }>(
    `INSERT INTO imports (guild_id, source, file_name, file_size, begun_by) VALUES ($1, 'csv', 'old.csv', 1, $2) RETURNING id`,
    [guild.id, guild.ownerId],
  );
  const { rows: presets } = await web.db.pool.query<{ id: string }>(
    `INSERT INTO reason_presets (guild_id, kind, name, reason) VALUES ($1, 'ban', 'raid', 'Raided us') RETURNING id`,
    [guild.id],
  );
  const { rows } = await web.db.pool.query<{ id: string }>(
    `INSERT INTO game_servers (guild_id, name, host, port, password_sealed, created_by)
     VALUES ($1, 'Survival', '192.0.2.7', 25575, 'sealed-beyond-reading', $2) RETURNING id`,
    [guild.id, guild.ownerId],
  );
  // A case of somebody else, which that person could appeal.
  const { rows: cases } = await web.db.pool.query<{ id: string }>(
    "SELECT id FROM open_case($1, 'ban', 'ban', '100000000000000998', 'Spam', $2, NULL, NULL)",
    [guild.id, guild.ownerId],
  );
  await web.db.pool.query(
    "INSERT INTO appeal_settings (guild_id, kinds, questions) VALUES ($1, '{ban}', $2)",
    [guild.id, [QUESTION]],
  );
  await web.db.pool.query("SELECT keep_evidence($1, 'x.json', 2, '{}', NULL)", [cases[0]?.id]);
  const { rows: evidence } = await web.db.pool.query<{ id: string }>('SELECT id FROM evidence');
  await web.db.pool.query(
    `INSERT INTO tickets (guild_id, number, subject, opened_by, status, closed_at, transcript)
     VALUES ($1, 7654321, 'Griefed', $2, 'closed', now(), '[]')`,
    [guild.id, guild.memberId],
  );
  there = {
    guildId: guild.id,
    tokenId: token.id,
    approvalId: asked.body.error.details.approval_id,
    serverId: rows[0]?.id ?? '',
    exportId: 'aud_00000000000000000000000000000001',
    importId: imports[0]?.id ?? '',
    presetId: presets[0]?.id ?? '',
    evidenceId: evidence[0]?.id ?? '',
    sessionId: 'ses_00000000000000000000000000000001',
    actionId: 'act_00000000000000000000000000000001',
    userId: guild.memberId,
    caseId: cases[0]?.id ?? '',
    number: '7654321',
  };
  absent = {
    guildId: '100000000000000999',
    tokenId: 'tok_00000000000000000000000000000009',
    approvalId: 'apr_00000000000000000000000000000009',
    serverId: 'srv_00000000000000000000000000000009',
    exportId: there.exportId,
    importId: 'imp_00000000000000000000000000000009',
    presetId: 'pre_00000000000000000000000000000009',
    evidenceId: 'evi_00000000000000000000000000000009',
    sessionId: 'ses_00000000000000000000000000000009',
    actionId: 'act_00000000000000000000000000000009',
    userId: guild.memberId,
    caseId: 'cas_00000000000000000000000000000009',
    number: '7654329',
  };
  await grantRole(web.db, guild, guild.moderatorRoleId, ['members.read']);
  people.owner = await signedIn(web, guild.ownerId);
  people.moderator = await signedIn(web, guild.moderatorId);
  people.member = await signedIn(web, guild.memberId);
  people.otherOwner = await signedIn(web, other.ownerId);
  people.nobody = await signedIn(web, guild.strangerId);
});
afterAll(() => web.close());

const QUESTION = 'Why should you come back?';
const PRESET = { kind: 'ban', name: 'mine', reason: 'because I can' };

/** Valid bodies, for the routes that check them before they check the guild. */
const BODIES: Readonly<Record<string, (ids: Ids) => object>> = {
  'POST /api/api-tokens': ({ guildId }) => ({ guild_id: guildId, name: 'mine now', kind: 'rest' }),
  'PATCH /api/api-tokens/{tokenId}': () => ({ name: 'mine now' }),
  'POST /api/approvals/{approvalId}': () => ({ decision: 'window' }),
  'POST /api/appeals/{caseId}': () => ({ questions: [QUESTION], answers: ['I am sorry'] }),
  'PATCH /api/guilds/{guildId}/appeal-settings': () => ({
    kinds: ['ban'],
    introduction: '',
    questions: ['Which server?'],
    cooldown_days: 0,
    votes_needed: 0,
    channel_id: null,
  }),
  'PATCH /api/guilds/{guildId}/ticket-settings': () => ({
    categories: [],
    most_open_of_person: 1,
    most_open_of_guild: 1,
    cooldown_minutes: 1,
    sends_transcript: false,
    asks_feedback: false,
  }),
  'POST /api/device/confirm': ({ guildId }) => ({ user_code: 'BCDF-GHJK', guild_id: guildId }),
  'POST /api/device/deny': () => ({ user_code: 'BCDF-GHJK' }),
  'POST /api/device/lookup': () => ({ user_code: 'BCDF-GHJK' }),
  'PUT /api/guilds/{guildId}/grants': () => ({ grants: [] }),
  'POST /api/guilds/{guildId}/actions': ({ userId }) => ({
    operation: 'bans.add',
    input: { user_id: userId, reason: 'because I can' },
  }),
  'PATCH /api/guilds/{guildId}/settings': () => ({ notifies_targets: false }),
  'POST /api/guilds/{guildId}/settings/test-channel': () => ({ channel_id: '834989431927603200' }),
  'POST /api/guilds/{guildId}/presets': () => PRESET,
  'PUT /api/guilds/{guildId}/presets/{presetId}': () => PRESET,
  'PUT /api/guilds/{guildId}/escalation': () => ({
    minor_points: 1,
    major_points: 3,
    decay_days: null,
    steps: [],
  }),
  'POST /api/guilds/{guildId}/exports': () => ({ format: 'csv' }),
  'POST /api/guilds/{guildId}/archive': () => ({}),
  'POST /api/guilds/{guildId}/imports': () => ({ source: 'csv', file_name: 'mine.csv', file_size: 1 }),
  'POST /api/guilds/{guildId}/import-checks': () => ({ source: 'csv', rows: [{}] }),
  'POST /api/guilds/{guildId}/imports/{importId}/bans': () => ({ after: '0', dry: true }),
  'POST /api/guilds/{guildId}/imports/{importId}/rows': () => ({ rows: [{}] }),
  'POST /api/guilds/{guildId}/servers': () => ({
    name: 'mine',
    host: '192.0.2.9',
    port: 25575,
    password: 'hunter2hunter2',
  }),
  'PATCH /api/guilds/{guildId}/servers/{serverId}': () => ({ name: 'mine now' }),
  'POST /api/guilds/{guildId}/servers/judge-command': () => ({
    command: 'list',
    allow_patterns: [],
    deny_patterns: [],
  }),
  'POST /api/guilds/{guildId}/servers/{serverId}/judge-command': () => ({ command: 'list' }),
  'POST /api/guilds/{guildId}/servers/{serverId}/players': () => ({}),
  'POST /api/guilds/{guildId}/guard-check': ({ tokenId, guildId }) => ({
    token_id: tokenId,
    method: 'GET',
    path: `/api/public/v1/guilds/${guildId}/strikes`,
    address: '192.0.2.1',
  }),
};

/** Query parameters, for the routes that need some. */
const QUERIES: Readonly<Record<string, (ids: Ids) => string>> = {
  'GET /api/api-tokens': ({ guildId }) => `?guild_id=${guildId}`,
  'GET /api/approvals': ({ guildId }) => `?guild_id=${guildId}`,
};

/** The routes that a moderator with the capability `members.read` may use. */
const FOR_MODERATORS = [
  'GET /api/guilds/{guildId}/events',
  'GET /api/guilds/{guildId}/people',
  'GET /api/guilds/{guildId}/state',
  'POST /api/guilds/{guildId}/servers/judge-command',
];

/** The routes about a guild or what is in one; the others are about the person's own sessions. */
const OF_GUILDS = ROUTES.filter(({ path }) => !path.startsWith('/api/sessions'));

const nameOf = ({ method, path }: Route) => `${method} ${path}`;

function requestOf(route: Route, ids: Ids): { path: string; body?: object } {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = (ids as unknown as Record<string, string>)[name];
    if (value === undefined) throw new Error(`Nothing is known to put into {${name}} of ${route.path}.`);
    return value;
  });
  const query = QUERIES[nameOf(route)]?.(ids) ?? '';
  if (route.method === 'GET') return { path: path + query };
  return { path: path + query, body: BODIES[nameOf(route)]?.(ids) ?? {} };
}

interface Heard {
  status: number;
  text: string;
  code: string | undefined;
}

/** Sends the request of a route about some ids. It does not read a stream. */
async function send(route: Route, ids: Ids, headers: Record<string, string>): Promise<Heard> {
  const { path, body } = requestOf(route, ids);
  const response = await web.runtime.dashboardApi(
    new Request(`${ORIGIN}${path}`, {
      method: route.method,
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
    { address: '203.0.113.9' },
  );
  if (response.headers.get('Content-Type')?.startsWith('text/event-stream')) {
    await response.body?.cancel();
    return { status: response.status, text: '', code: undefined };
  }
  const text = (await response.text()).replaceAll(/req_[0-9a-f]{32}/g, 'req_');
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json') === true;
  return { status: response.status, text, code: isJson ? JSON.parse(text).error?.code : undefined };
}

const as = (person: Person) => ({ Cookie: person.cookie, Origin: ORIGIN });

/** Everything that a person without the right could change. */
async function state(): Promise<unknown> {
  const tables = [
    'tokens',
    'windows',
    'approval_requests',
    'actions',
    'game_servers',
    'role_grants',
    'reason_presets',
    'imports',
    'imported_rows',
    'escalation_policies',
    'appeal_settings',
    'appeals',
    'guilds',
    'audit_writes',
  ];
  return Promise.all(
    tables.map(async (name) => (await web.db.pool.query(`SELECT t::text FROM ${name} t ORDER BY 1`)).rows),
  );
}

describe('who has no part in a guild', () => {
  it.each(['otherOwner', 'nobody', 'member'] as const)(
    'as %s gets the same answer from every route as for a guild that does not exist, and changes nothing',
    async (who) => {
      verifies('H17');
      const before = await state();
      for (const route of OF_GUILDS) {
        const name = nameOf(route);
        const foreign = await send(route, there, as(people[who]));
        expect([name, foreign.status]).toEqual([name, 404]);
        const nowhere = await send(route, absent, as(people[who]));
        expect(hidden(foreign.text, there), name).toBe(hidden(nowhere.text, absent));
        expect(foreign.text, name).not.toContain(guild.ownerId);
      }
      expect(await state()).toEqual(before);
    },
  );
});

/** An answer without the ids of its request. */
function hidden(text: string, ids: Ids): string {
  return Object.values(ids).reduce((left, id) => left.replaceAll(id, 'ID'), text);
}

describe('a moderator', () => {
  it('is refused by every route whose capability they lack, and by all of the owner’s', async () => {
    const before = await state();
    for (const route of OF_GUILDS) {
      const name = nameOf(route);
      if (FOR_MODERATORS.includes(name)) continue;
      const { status } = await send(route, there, as(people.moderator));
      expect([403, 404], name).toContain(status);
    }
    expect(await state()).toEqual(before);
  });
});

describe('a change', () => {
  const changes = ROUTES.filter(({ method }) => method !== 'GET');

  it.each([
    ['another site', { Origin: 'https://evil.example' }],
    ['a site that hides its name', { Origin: 'null' }],
    ['a site whose name begins like ours', { Origin: `${ORIGIN}.evil.example` }],
    ['no site', {}],
  ])('from %s is refused by every route', async (_from, origin) => {
    verifies('H17');
    const before = await state();
    for (const route of changes) {
      const { status, text } = await send(route, there, { Cookie: people.owner.cookie, ...origin });
      expect([nameOf(route), status]).toEqual([nameOf(route), 403]);
      expect(JSON.parse(text).error.details.reason).toBe('FOREIGN_ORIGIN');
    }
    expect(await state()).toEqual(before);
  });

  it('without a session is refused by every route, with a token of the guild too', async () => {
    const before = await state();
    for (const route of ROUTES) {
      for (const more of [{}, { Authorization: `Bearer ${token.secret}` }]) {
        const { status } = await send(route, there, { Origin: ORIGIN, ...more });
        expect([401, 403], nameOf(route)).toContain(status);
      }
    }
    expect(await state()).toEqual(before);
  });
});

it('no answer to the owner holds a secret, a hash of one, or anything of another guild', async () => {
  verifies('G18');
  const { rows } = await web.db.pool.query<{ id: string }>('SELECT id FROM tokens WHERE guild_id = $1', [
    other.id,
  ]);
  const session = people.owner.cookie.slice(people.owner.cookie.indexOf('=') + 1);
  const hashes = [hashSecret(token.secret), createHash('sha256').update(session).digest()];
  const unspoken = [
    token.secret,
    session,
    ...hashes.flatMap((hash) => [hash.toString('hex'), hash.toString('base64'), hash.toString('base64url')]),
    'sealed-beyond-reading',
    Buffer.from('sealed-beyond-reading').toString('base64'),
    other.id,
    other.ownerId,
    rows[0]?.id ?? '',
  ];
  let heard = 0;
  for (const route of ROUTES.filter(({ method }) => method === 'GET')) {
    const { status, text } = await send(route, there, as(people.owner));
    if (status === 200) heard += 1;
    for (const what of unspoken) expect(text, nameOf(route)).not.toContain(what);
  }
  expect(heard).toBeGreaterThanOrEqual(5);
});
