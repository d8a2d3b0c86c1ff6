import { randomBytes } from 'node:crypto';
import { verifies } from '@bailiff/core/testing';
import { keyringOf } from '@bailiff/engine/servers/sealing';
import { publishSealingKey } from '@bailiff/engine/servers/sealing-keys';
import { giveTime, grantRole, performersOf, type SeededGuild, seedGuild } from '@bailiff/engine/testing';
import { performAction } from '@bailiff/engine/worker/perform-action';
import { listenAtLast } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { call, type Person, signedIn, startTestWeb, type TestWeb } from './support.ts';

let web: TestWeb;
let guild: SeededGuild;
let owner: Person;
let moderator: Person;

beforeAll(async () => {
  web = await startTestWeb();
  await publishSealingKey(web.db, keyringOf(randomBytes(32)));
});
afterAll(() => web.close());
beforeEach(async () => {
  guild = await seedGuild(web.db);
  await grantRole(web.db, guild, guild.moderatorRoleId, ['strikes.write', 'strikes.read', 'tickets.read']);
  owner = await signedIn(web, guild.ownerId);
  moderator = await signedIn(web, guild.moderatorId);
});

const path = (guildId = guild.id) => `/api/guilds/${guildId}/actions`;
const strike = (fields: object = {}) => ({
  operation: 'strikes.add',
  input: { user_id: guild.strangerId, reason: 'Spam', severity: 'minor', ...fields },
});
const rows = async (sql: string) => (await web.db.pool.query(sql, [guild.id])).rows;
const cases = () => rows('SELECT * FROM cases WHERE guild_id = $1 ORDER BY case_number');
const recorded = () => rows('SELECT * FROM audit WHERE guild_id = $1 ORDER BY id');

describe('an action from the dashboard', () => {
  it('is done in the name of who is signed in, and is on record with where it came from', async () => {
    const { status, body } = await moderator.call('POST', path(), strike());
    expect([status, body.strike.case_number, body.strike.issued_by]).toEqual([201, 1, guild.moderatorId]);
    const by = { actor_source: 'dashboard', actor_user_id: guild.moderatorId, address: '203.0.113.9' };
    expect(await recorded()).toMatchObject([
      { operation: 'strikes.add', outcome: 'requested', ...by },
      { operation: 'strikes.add', outcome: 'performed', ...by },
    ]);
    const removed = await moderator.call('POST', path(), {
      operation: 'strikes.remove',
      input: { strikeId: body.strike_id, reason: 'A mistake' },
    });
    expect(removed).toMatchObject({ status: 200, body: { strike: { active: false } } });
    expect(await cases()).toMatchObject([{ ended_by: guild.moderatorId, end_reason: 'A mistake' }]);
  });

  it.each([
    ['mutes.add', { duration_minutes: 5 }, 'mutes.write'],
    ['bans.add', {}, 'bans.write'],
    ['bans.lift', {}, 'bans.write'],
    ['tickets.claim', {}, 'tickets.write'],
    ['servers.rcon', {}, 'servers.rcon'],
  ])(
    '%s is refused to who lacks the capability, before the input is looked at',
    async (operation, input, missing) => {
      expect(await moderator.call('POST', path(), { operation, input })).toMatchObject({
        status: 403,
        body: { error: { code: 'CAPABILITY_DENIED', details: { missing: [missing] } } },
      });
      expect(await recorded()).toEqual([]);
    },
  );

  it('is refused once the role is taken away, with the next request', async () => {
    await grantRole(web.db, guild, guild.moderatorRoleId, ['strikes.read']);
    expect((await moderator.call('POST', path(), strike())).body.error.code).toBe('CAPABILITY_DENIED');
    await web.db.pool.query('DELETE FROM members WHERE guild_id = $1 AND user_id = $2', [
      guild.id,
      guild.moderatorId,
    ]);
    expect((await moderator.call('POST', path(), strike())).status).toBe(404);
    expect(await cases()).toEqual([]);
  });

  it('in a guild one has no part in is answered as if there were none', async () => {
    const foreign = await seedGuild(web.db);
    const answers = await Promise.all(
      [foreign.id, '123456789012345678'].map((id) => moderator.call('POST', path(id), strike())),
    );
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(answers[0]?.body.error.message).toBe(answers[1]?.body.error.message);
    expect((await call(web.runtime, 'POST', path(), strike())).status).toBe(401);
  });

  it('is not done from another site’s page', async () => {
    verifies('H17');
    for (const Origin of ['https://evil.example', 'null', '']) {
      expect(await moderator.call('POST', path(), strike(), { Origin })).toMatchObject({
        status: 403,
        body: { error: { details: { reason: 'FOREIGN_ORIGIN' } } },
      });
    }
    expect(await cases()).toEqual([]);
  });

  it.each(['messages.purge', 'tickets.open', 'strikes.list', 'tokens.create', 'toString', ''])(
    'is none of the dashboard’s when it is %j',
    async (operation) => {
      const { status, body } = await owner.call('POST', path(), { operation, input: {} });
      expect([status, body.error.details.issues[0].path]).toEqual([422, 'operation']);
    },
  );

  it.each([
    ['no reason', { reason: undefined }, 'reason'],
    ['an empty reason', { reason: '' }, 'reason'],
    ['no user', { user_id: 'Juno' }, 'user_id'],
    ['another severity', { severity: 'huge' }, 'severity'],
    ['a field too many', { issued_by: '1' }, 'issued_by'],
    ['a sentinel, which is for tokens', { _confirmation: 'x' }, '_confirmation'],
  ])('with %s says what is wrong', async (_what, fields, wrong) => {
    const { status, body } = await owner.call('POST', path(), strike(fields));
    expect([status, body.error.details.issues[0].path]).toEqual([422, wrong]);
    expect(await recorded()).toEqual([]);
  });

  it('obeys the hierarchy as in chat', async () => {
    expect(await moderator.call('POST', path(), strike({ user_id: guild.ownerId }))).toMatchObject({
      status: 403,
      body: { error: { details: { reason: 'TARGET_IS_OWNER' } } },
    });
    expect(await recorded()).toMatchObject([
      { outcome: 'requested' },
      { outcome: 'failed', code: 'FORBIDDEN' },
    ]);
  });

  it('whose answer was lost is done once when it is sent again with its key, and answered as the first time', async () => {
    verifies('dashboard.sent-again');
    const send = (person: Person, key: string, body: object = strike()) =>
      person.call('POST', path(), body, { 'Idempotency-Key': key });
    const answers = await Promise.all([send(moderator, 'k1'), send(moderator, 'k1')]);
    answers.push(
      await send(moderator, 'k1', {
        ...strike(),
        foreseen: { points: 3, sanction: 'ban', duration_minutes: null },
      }),
    );
    expect(answers.map(({ status, body }) => [status, body.strike?.case_number])).toEqual(
      Array(3).fill([201, 1]),
    );
    expect(await cases()).toHaveLength(1);
    expect(await recorded()).toHaveLength(2);
    expect((await send(moderator, 'k1', strike({ reason: 'Other' }))).status).toBe(422);
    expect((await send(owner, 'k1')).body.strike.case_number).toBe(2);
    expect((await send(moderator, 'k2')).body.strike.case_number).toBe(3);
    expect((await send(moderator, 'no key')).status).toBe(400);
    expect(await cases()).toHaveLength(3);
  });

  it('whose answer was lost before game servers were told reaches them when it is sent again, and once', async () => {
    verifies('dashboard.sent-again', 'games.once');
    const { strangerId } = guild;
    const templates = { kick: '', ban: 'ban {player}', unban: '', announce: '' };
    const server = { name: 'Survival', host: 'play.example.com', port: 25_575, password: 'secret' };
    const added = await owner.call('POST', `/api/guilds/${guild.id}/servers`, {
      ...server,
      game: 'minecraft',
      templates,
    });
    const identity = { user_id: strangerId, platform: 'minecraft', in_game_id: 'Steve' };
    await owner.call('POST', path(), { operation: 'identities.add', input: identity });
    const answers: Record<string, object> = {
      'bans.add': { ban: { case_number: 1, user_id: strangerId } },
      'servers.sanction': {
        sanctioned: {
          server_id: added.body.server.id,
          in_game_id: 'Steve',
          does: 'ban',
          said: 'Banned',
          lasts: false,
        },
      },
    };
    const done = async ({ operation }: { operation: string }) => ({
      state: 'done' as const,
      write: async () => answers[operation] as never,
    });
    const takeTimeBack = giveTime('bot');
    onTestFinished(takeTimeBack);
    const bot = await listenAtLast(web.db.url, ['bailiff_actions', 'jobs:insert'], async () => {
      for (const { id } of await rows("SELECT id FROM actions WHERE state = 'pending' AND guild_id = $1"))
        await performAction(web.db, performersOf({ perform: done, verify: done }), id, console);
    });
    const send = (more: object) =>
      owner.call(
        'POST',
        path(),
        { operation: 'bans.add', input: { user_id: strangerId, reason: 'Griefing' }, ...more },
        { 'Idempotency-Key': 'k1' },
      );
    await send({}); // as by a process that ended before it came to the game servers
    const told = [{ server_name: 'Survival', in_game_id: 'Steve', outcome: 'done', said: 'Banned' }];
    for (let times = 0; times < 2; times += 1)
      expect(await send({ game_servers: true })).toMatchObject({ status: 201, body: { game_servers: told } });
    expect(await rows("SELECT FROM actions WHERE guild_id = $1 AND operation = 'bans.add'")).toHaveLength(1);
    const sent = () => rows("SELECT * FROM actions WHERE guild_id = $1 AND operation = 'servers.sanction'");
    expect(await sent()).toMatchObject([{ state: 'done', input: { case_number: 1, does: 'ban' } }]);
    await bot.close();
    takeTimeBack();
    // While the first of two is still being carried out, nobody knows yet what becomes of it.
    await rows(`UPDATE actions SET state = 'running', settled_at = NULL, result = NULL
                WHERE guild_id = $1 AND operation = 'servers.sanction'`);
    expect((await send({ game_servers: true })).body.game_servers).toMatchObject([{ outcome: 'unknown' }]);
    expect(await sent()).toHaveLength(1);
  });

  it('that certainly did not happen can be sent again with its key', async () => {
    await grantRole(web.db, guild, guild.moderatorRoleId, ['mutes.write']);
    const mute = { operation: 'mutes.preview', input: { users: guild.memberId } };
    const send = () => moderator.call('POST', path(), mute, { 'Idempotency-Key': 'k1' });
    // No bot is here, so each ends unperformed.
    for (let times = 0; times < 2; times += 1)
      expect(await send()).toMatchObject({
        status: 503,
        body: { error: { details: { outcome: 'not_performed' } } },
      });
    expect(await rows('SELECT FROM actions WHERE guild_id = $1')).toHaveLength(2);
  });

  it('waits for nobody while the bot is away', async () => {
    await web.db.pool.query("UPDATE gateway_shards SET heartbeat_at = now() - interval '5 minutes'");
    expect(await moderator.call('POST', path(), strike())).toMatchObject({
      status: 503,
      body: { error: { details: { outcome: 'not_performed' } } },
    });
    expect(await cases()).toEqual([]);
  });
});

describe('what follows from a strike', () => {
  beforeEach(async () => {
    await web.db.pool.query('INSERT INTO escalation_policies (guild_id) VALUES ($1)', [guild.id]);
    await web.db.pool.query(
      "INSERT INTO escalation_steps (guild_id, points, sanction, duration_minutes) VALUES ($1, 3, 'mute', 60)",
      [guild.id],
    );
  });
  const foresee = (severity: string, person = moderator) =>
    person.call('GET', `/api/guilds/${guild.id}/members/${guild.strangerId}/escalation?severity=${severity}`);

  it('is shown before it is given, to who may give one', async () => {
    expect((await foresee('minor')).body).toEqual({
      points_before: 0,
      points_after: 1,
      step: null,
      superseded: false,
    });
    expect((await foresee('major')).body).toEqual({
      points_before: 0,
      points_after: 3,
      step: { points: 3, sanction: 'mute', duration_minutes: 60 },
      superseded: false,
    });
    expect((await foresee('huge')).status).toBe(400);
    await grantRole(web.db, guild, guild.moderatorRoleId, ['strikes.read']);
    expect((await foresee('minor')).status).toBe(403);
    const stranger = await signedIn(web, (await seedGuild(web.db)).ownerId);
    expect((await foresee('minor', stranger)).status).toBe(404);
  });

  it('is not shown of whom the moderator may not strike, so that they do not learn how many points these have', async () => {
    for (const [userId, reason] of [
      [guild.ownerId, 'TARGET_IS_OWNER'],
      [guild.moderatorId, 'TARGET_IS_SELF'],
    ]) {
      const asked = `/api/guilds/${guild.id}/members/${userId}/escalation?severity=minor`;
      const { status, body } = await moderator.call('GET', asked);
      expect([status, body.error?.code, body.error?.details]).toEqual([403, 'FORBIDDEN', { reason }]);
    }
  });

  it('says so if a sanction as long is in force already', async () => {
    verifies('dashboard.forecast-in-force');
    const mute = (minutes: number, guildId = guild.id, importId: string | null = null) =>
      web.db.pool.query(
        `INSERT INTO cases
           (id, guild_id, case_number, kind, user_id, issued_by, duration_minutes, expires_at, import_id)
         VALUES
           (new_id('mut'), $1, 900 + $3::int, 'mute', $2, $2, $3::int, now() + make_interval(mins => $3::int), $4)`,
        [guildId, guild.strangerId, minutes, importId],
      );
    await mute(30);
    await mute(90, (await seedGuild(web.db)).id);
    await mute(120, guild.id, 'imp_1');
    expect((await foresee('major')).body.superseded).toBe(false);
    await mute(90);
    expect((await foresee('major')).body).toMatchObject({ step: { sanction: 'mute' }, superseded: true });
  });

  it('and is another by then, stops the strike', async () => {
    const { body } = await foresee('minor');
    await moderator.call('POST', path(), strike({ severity: 'minor' }));
    await moderator.call('POST', path(), strike({ severity: 'minor' }));
    const stale = await moderator.call('POST', path(), { ...strike(), foreseen: body.step });
    expect(stale).toMatchObject({
      status: 403,
      body: { error: { details: { reason: 'ESCALATION_CHANGED' } } },
    });
    expect(await cases()).toHaveLength(2);
    const { step } = (await foresee('minor')).body;
    expect((await moderator.call('POST', path(), { ...strike(), foreseen: step })).status).toBe(201);
  });
});

describe('tickets and notes', () => {
  it('a ticket is claimed by one of two, and released by who claimed it', async () => {
    await grantRole(web.db, guild, guild.moderatorRoleId, ['tickets.write']);
    const [{ id: ticketId }] = await rows(
      "INSERT INTO tickets (guild_id, number, subject, opened_by) VALUES ($1, 1, 'House', '1') RETURNING id",
    );
    const ask = (person: Person, operation: string) =>
      person.call('POST', path(), { operation, input: { ticketId } });
    const answers = await Promise.all([ask(owner, 'tickets.claim'), ask(moderator, 'tickets.claim')]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const [winner] = answers[0]?.status === 200 ? [owner] : [moderator];
    expect((await ask(winner ?? owner, 'tickets.unclaim')).body.ticket.status).toBe('open');
  });

  it('a note about a moderator is neither removed nor joined by another of their own', async () => {
    const act = (person: Person, operation: string, input: object) =>
      person.call('POST', path(), { operation, input });
    const about = { user_id: guild.moderatorId, text: 'Watch them' };
    const { note } = (await act(owner, 'notes.add', about)).body;
    for (const [operation, input] of [
      ['notes.remove', { user_id: guild.moderatorId, note_id: note.id }],
      ['notes.add', about],
    ] as const) {
      const { status, body } = await act(moderator, operation, input);
      expect([status, body.error?.details]).toEqual([403, { reason: 'TARGET_IS_SELF' }]);
    }
    expect(await rows('SELECT text FROM notes WHERE guild_id = $1')).toEqual([{ text: 'Watch them' }]);
  });

  it('a note is kept and removed', async () => {
    const input = { user_id: guild.strangerId, text: 'Second account of Steve' };
    const added = await moderator.call('POST', path(), { operation: 'notes.add', input });
    expect([added.status, added.body.note.written_by]).toEqual([200, guild.moderatorId]);
    const removal = { user_id: guild.strangerId, note_id: added.body.note.id };
    const removed = await moderator.call('POST', path(), { operation: 'notes.remove', input: removal });
    expect(removed.status).toBe(200);
    expect(await rows('SELECT FROM notes WHERE guild_id = $1')).toEqual([]);
    expect(JSON.stringify(await recorded())).not.toContain('Second account');
  });

  it('the text of a removed note is nowhere any more, also long after it was written; that of others stays', async () => {
    const act = (operation: string, fields: object) =>
      moderator.call('POST', path(), { operation, input: { user_id: guild.strangerId, ...fields } });
    const old = (await act('notes.add', { text: 'Written by mistake' })).body.note;
    await act('notes.add', { text: 'Written on purpose' });
    // What the answers said is dropped after 90 days.
    await web.db.pool.query('UPDATE actions SET result = NULL WHERE guild_id = $1', [guild.id]);
    const recent = (await act('notes.add', { text: 'Written by mistake again' })).body.note;
    for (const { id } of [old, recent]) {
      const removed = await act('notes.remove', { note_id: id });
      expect(removed.status).toBe(200);
      expect(JSON.stringify(removed.body)).not.toContain('mistake');
    }
    const actions = await rows(
      'SELECT operation, input, result FROM actions WHERE guild_id = $1 ORDER BY id',
    );
    expect(JSON.stringify(actions)).not.toContain('mistake');
    const about = { user_id: guild.strangerId };
    expect(actions.map(({ input }) => input)).toEqual([
      { ...about, text: '' },
      { ...about, text: 'Written on purpose' },
      { ...about, text: '' },
      { ...about, note_id: old.id },
      { ...about, note_id: recent.id },
    ]);
    expect(actions[2].result.note).toEqual({ ...recent, text: '' });
  });

  it('the text of another note on the same person, written in the same moment, stays in its call', async () => {
    const act = (operation: string, fields: object) =>
      moderator.call('POST', path(), { operation, input: { user_id: guild.strangerId, ...fields } });
    const { id } = (await act('notes.add', { text: 'Written by mistake' })).body.note;
    await act('notes.add', { text: 'Written on purpose' });
    await web.db.pool.query("UPDATE actions SET created_at = date_trunc('day', now()) WHERE guild_id = $1", [
      guild.id,
    ]);
    await web.db.pool.query("UPDATE notes SET written_at = date_trunc('day', now()) WHERE guild_id = $1", [
      guild.id,
    ]);
    expect((await act('notes.remove', { note_id: id })).status).toBe(200);
    const written = await rows(
      "SELECT input->>'text' AS text FROM actions WHERE guild_id = $1 AND operation = 'notes.add' ORDER BY id",
    );
    expect(written).toEqual([{ text: '' }, { text: 'Written on purpose' }]);
  });
});

it('an identity in a game is kept and removed from the page of a member', async () => {
  verifies('identities.kept');
  const path = `/api/guilds/${guild.id}/actions`;
  const input = { user_id: guild.strangerId, platform: 'minecraft', in_game_id: 'Steve' };
  const added = await moderator.call('POST', path, { operation: 'identities.add', input });
  expect([added.status, added.body.identity.set_by]).toEqual([201, guild.moderatorId]);
  const removal = { user_id: guild.strangerId, identity_id: added.body.identity.id };
  const removed = await moderator.call('POST', path, { operation: 'identities.remove', input: removal });
  expect(removed.status).toBe(200);
  expect(await rows('SELECT FROM identities WHERE guild_id = $1')).toEqual([]);
});

describe('a command is judged before it is sent', () => {
  it('by the policy that is stored, for who may run commands', async () => {
    const { body } = await owner.call('POST', `/api/guilds/${guild.id}/servers`, {
      name: 'Survival',
      host: 'play.example.com',
      port: 25_575,
      password: 'secret',
      deny_patterns: ['op *'],
    });
    const judge = (person: Person, command: string, guildId = guild.id) =>
      person.call('POST', `/api/guilds/${guildId}/servers/${body.server.id}/judge-command`, { command });
    expect((await judge(owner, '/OP alex')).body).toEqual({ allowed: false, pattern: 'op *' });
    expect((await judge(owner, 'list')).body).toEqual({ allowed: true, pattern: null });
    expect((await judge(moderator, 'list')).status).toBe(403);
    await grantRole(web.db, guild, guild.moderatorRoleId, ['servers.rcon']);
    expect((await judge(moderator, 'list')).status).toBe(200);
    const other = await seedGuild(web.db);
    const stranger = await signedIn(web, other.ownerId);
    expect((await judge(stranger, 'list')).status).toBe(404);
    expect((await judge(stranger, 'list', other.id)).status).toBe(404);
  });
});

it('a preview of several people is shown to who asked for it and may still do it, and to nobody else', async () => {
  verifies('members.select-own-preview');
  await grantRole(web.db, guild, guild.moderatorRoleId, ['mutes.write']);
  const users = guild.memberId;
  // No bot is here, so it ends unperformed. Its action is kept.
  await moderator.call('POST', path(), { operation: 'mutes.preview', input: { users } });
  const [{ id }] = await rows('SELECT id FROM actions WHERE guild_id = $1');
  const preview = `/api/guilds/${guild.id}/previews/${id}`;
  expect(await moderator.call('GET', preview)).toMatchObject({
    status: 200,
    body: { state: 'cancelled', preview: null, spared: [] },
  });
  expect((await owner.call('GET', preview)).status).toBe(404);
  await grantRole(web.db, guild, guild.moderatorRoleId, ['strikes.read']);
  expect((await moderator.call('GET', preview)).status).toBe(404);
});
