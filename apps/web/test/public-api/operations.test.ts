import {
  Action,
  AuditRow,
  Ban,
  type Capability,
  encodeCursor,
  Me,
  Member,
  Mute,
  OPERATIONS,
  page,
  Server,
  Strike,
  Ticket,
} from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { type CaseKind, openCase } from '@bailiff/engine/cases/cases';
import { inTransaction } from '@bailiff/engine/database/transaction';
import { grantRole, seedGuild, seedToken, seedWindow, snowflake } from '@bailiff/engine/testing';
import type { MeasureKind } from '@bailiff/prisma';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PublicApiHarness, sentinel, startPublicApi } from './harness.ts';
import { putInForce } from './put-in-force.ts';
import { purgedMessage } from './read-calls.ts';

let api: PublicApiHarness;

beforeAll(async () => {
  api = await startPublicApi();
  await seedWindow(api.database, api.guild, api.token);
});

afterAll(async () => {
  await api.close();
});

beforeEach(() => api.database.pool.query('TRUNCATE cases, measures, tickets, budgets CASCADE'));

const caseOf = (kind: CaseKind, more: Partial<Parameters<typeof openCase>[1]> = {}) =>
  inTransaction(api.database, (tx) =>
    openCase(tx, {
      guildId: api.guild.id,
      kind,
      userId: api.guild.memberId,
      reason: 'spam',
      issuedBy: api.guild.ownerId,
      actionId: null,
      ...(kind === 'strike' ? { severity: 'minor' } : {}),
      ...more,
    }),
  );

const inForce = (kind: MeasureKind, subjectId: string, more: Parameters<typeof putInForce>[4] = {}) =>
  putInForce(api.database, api.guild, kind, subjectId, more);

type OfPerson = 'strikes.add' | 'strikes.remove' | 'warnings.add' | 'warnings.remove';
const destructive = (name: OfPerson, path: string, method: string, input: object) => {
  const { strikeId: _, warningId: _id, ...fields } = { strikeId: '', warningId: '', ...input };
  return api.inGuild(path, { method, body: { ...fields, _confirmation: sentinel(name, api.guild, input) } });
};

describe('warnings', () => {
  it('are given with reason and category, and removed once', async () => {
    verifies('warnings.rest');
    const input = { user_id: api.guild.strangerId, reason: 'Mind your language', category: 'language' };
    const given = await destructive('warnings.add', '/warnings', 'POST', input);
    expect(given.status).toBe(201);
    expect(given.body.warning).toMatchObject({ ...input, issued_by: api.guild.ownerId, active: true });
    const { id } = given.body.warning;
    const path = `/warnings/${id}`;
    const removed = await destructive('warnings.remove', path, 'DELETE', { warningId: id, reason: 'appeal' });
    expect(removed.body.warning).toMatchObject({ id, active: false, removed_by: api.guild.ownerId });
    const again = await destructive('warnings.remove', path, 'DELETE', { warningId: id });
    expect([again.status, again.body.error.code]).toEqual([404, 'NOT_FOUND']);
  });

  it('are neither strikes nor removed as strikes, and nobody warns the owner', async () => {
    verifies('warnings.rest');
    const { id } = await caseOf('warning');
    expect((await api.inGuild('/strikes')).body.data).toEqual([]);
    const asStrike = `str_${id.slice(4)}`;
    const refused = await destructive('strikes.remove', `/strikes/${asStrike}`, 'DELETE', {
      strikeId: asStrike,
    });
    expect(refused.status).toBe(404);
    const owner = { user_id: api.guild.ownerId, reason: 'x' };
    const ofOwner = await destructive('warnings.add', '/warnings', 'POST', owner);
    expect([ofOwner.status, ofOwner.body.error.details]).toEqual([403, { reason: 'TARGET_IS_OWNER' }]);
  });
});

describe('strikes', () => {
  it('are stored as sent and read back with every field', async () => {
    verifies('strikes.add.request-fields', 'strikes.get', 'strikes.fields', 'format.timestamps');
    const input = {
      user_id: api.guild.strangerId,
      player_name: 'Zoë ⚔️',
      in_game_id: 'steam:1',
      reason: 'griefing — again',
      category: 'griefing',
      severity: 'major',
    };
    const added = await destructive('strikes.add', '/strikes', 'POST', input);
    expect(added.status).toBe(201);
    const { body } = await api.inGuild(`/strikes/${added.body.strike_id}`);
    expect(Strike.parse(body)).toEqual(added.body.strike);
    expect(body).toMatchObject({ ...input, issued_by: api.guild.ownerId, removed_by: null, active: true });
  });

  it('are not removed by the person who was given them', async () => {
    verifies('cases.own');
    const { rows } = await api.database.pool.query(
      "SELECT id FROM open_case($1, 'strike', 'str', $2, 'rude', '1', NULL, NULL, 'minor')",
      [api.guild.id, api.guild.ownerId],
    );
    const id: string = rows[0].id;
    const refused = await destructive('strikes.remove', `/strikes/${id}`, 'DELETE', { strikeId: id });
    expect([refused.status, refused.body.error.details]).toEqual([403, { reason: 'TARGET_IS_SELF' }]);
    expect((await api.inGuild(`/strikes/${id}`)).body.active).toBe(true);
  });

  it('are removed once, and stay on record', async () => {
    verifies('strikes.remove', 'sentinel.strikes.remove.template', 'sentinel.normalise.both-sides');
    const { id } = await caseOf('strike');
    const removed = await destructive('strikes.remove', `/strikes/${id}`, 'DELETE', {
      strikeId: id,
      reason: 'appeal',
    });
    expect(removed.status).toBe(200);
    expect(removed.body.strike).toMatchObject({ id, active: false, removed_by: api.guild.ownerId });
    expect(removed.body.strike.removed_at).not.toBeNull();
    const again = await destructive('strikes.remove', `/strikes/${id}`, 'DELETE', { strikeId: id });
    expect(again.body.error.code).toBe('NOT_FOUND');
  });

  it('of another guild are as absent as those that never were', async () => {
    const other = await seedGuild(api.database);
    const foreign = await caseOf('strike', { guildId: other.id });
    const absent = `str_${'0'.repeat(32)}`;
    const answers = [await api.inGuild(`/strikes/${foreign.id}`), await api.inGuild(`/strikes/${absent}`)];
    for (const { status, body } of answers) {
      expect(status).toBe(404);
      expect(body.error.message.replace(foreign.id, absent)).toBe(answers[1]?.body.error.message);
    }
  });

  it('cannot be given to the owner, the bot, oneself or a person above', async () => {
    const issuerId = api.guild.moderatorId;
    const token = await seedToken(api.database, api.guild, { issuerId, capabilities: ['strikes.write'] });
    await api.database.pool.query(
      `INSERT INTO role_grants (guild_id, role_id, capabilities, granted_by) VALUES ($1, $2, '{strikes.write}', $3)`,
      [api.guild.id, api.guild.moderatorRoleId, api.guild.ownerId],
    );
    await seedWindow(api.database, api.guild, token);
    const reasonFor = async (userId: string) => {
      const input = { user_id: userId, reason: 'x', severity: 'minor' };
      const body = { ...input, _confirmation: sentinel('strikes.add', api.guild, input) };
      const answer = await api.inGuild('/strikes', { method: 'POST', token, body });
      return answer.body.error?.details.reason;
    };
    expect(await reasonFor(api.guild.ownerId)).toBe('TARGET_IS_OWNER');
    expect(await reasonFor(api.guild.botId)).toBe('TARGET_IS_BOT');
    expect(await reasonFor(issuerId)).toBe('TARGET_IS_SELF');
    const peer = snowflake();
    await api.database.pool.query(
      "INSERT INTO members (guild_id, user_id, username, display_name, role_ids) VALUES ($1, $2, 'p', 'p', $3)",
      [api.guild.id, peer, [api.guild.moderatorRoleId]],
    );
    expect(await reasonFor(peer)).toBe('ROLE_HIERARCHY');
    expect(await reasonFor(api.guild.memberId)).toBeUndefined();
  });
});

describe('lists', () => {
  it('page newest first, without gap or repetition, while rows arrive', async () => {
    verifies('paging.cursor.next', 'paging.newest-first', 'paging.stable', 'paging.limit');
    for (let n = 0; n < 7; n += 1) await caseOf('strike');
    const seen: number[] = [];
    let cursor: string | null = null;
    do {
      const { body } = await api.inGuild(`/strikes?limit=3${cursor === null ? '' : `&cursor=${cursor}`}`);
      page(Strike).parse(body);
      seen.push(...body.data.map((strike: { case_number: number }) => strike.case_number));
      cursor = body.next_cursor;
      if (seen.length === 3) await caseOf('strike');
    } while (cursor !== null);
    const [first = 0] = seen;
    expect(seen).toEqual(Array.from({ length: 7 }, (_, n) => first - n));
  });

  it('take no cursor of another list or guild, nor an altered one', async () => {
    verifies('paging.cursor.invalid');
    await caseOf('strike');
    await caseOf('strike');
    const { body } = await api.inGuild('/strikes?limit=1');
    for (const path of [
      `/bans?cursor=${body.next_cursor}`,
      `/strikes?active=true&cursor=${body.next_cursor}`,
      `/strikes?cursor=${body.next_cursor.slice(0, -2)}`,
    ]) {
      const answer = await api.inGuild(path);
      expect(answer.status, path).toBe(400);
      expect(answer.body.error.details.issues[0].path).toBe('cursor');
    }
  });

  it('filter strikes by user, severity and whether they count', async () => {
    verifies('strikes.list.filters');
    const minor = await caseOf('strike');
    const major = await caseOf('strike', { userId: api.guild.strangerId, severity: 'major' });
    await api.database.pool.query('UPDATE cases SET ended_at = now(), ended_by = $2 WHERE id = $1', [
      minor.id,
      api.guild.ownerId,
    ]);
    const ids = async (query: string) =>
      (await api.inGuild(`/strikes?${query}`)).body.data.map((strike: { id: string }) => strike.id);
    expect(await ids(`user_id=${api.guild.strangerId}`)).toEqual([major.id]);
    expect(await ids('severity=minor')).toEqual([minor.id]);
    expect(await ids('active=true')).toEqual([major.id]);
    expect(await ids('active=false&severity=major')).toEqual([]);
  });

  it('hold bans and mutes apart, in force or not', async () => {
    verifies('bans.list', 'bans.fields', 'bans.get', 'mutes.list', 'mutes.fields');
    await caseOf('ban', { durationMinutes: 1 });
    await api.database.pool.query("UPDATE cases SET expires_at = now() - interval '1 second'");
    await caseOf('ban');
    const over = await caseOf('mute', { durationMinutes: 30 });
    await api.database.pool.query('UPDATE cases SET ended_at = now(), ended_by = $2 WHERE id = $1', [
      over.id,
      api.guild.ownerId,
    ]);
    await caseOf('mute', { durationMinutes: 60 });
    const bans = await api.inGuild('/bans');
    expect(
      page(Ban)
        .parse(bans.body)
        .data.map(({ permanent, active }) => [permanent, active]),
    ).toEqual([
      [true, true],
      [false, false],
    ]);
    expect((await api.inGuild('/bans?active=false')).body.data).toHaveLength(1);
    for (const [filter, durations] of [
      ['', [60, 30]],
      ['?active=true', [60]],
      ['?active=false', [30]],
    ] as const) {
      const { data } = page(Mute).parse((await api.inGuild(`/mutes${filter}`)).body);
      expect(
        data.map(({ duration_minutes }) => duration_minutes),
        filter,
      ).toEqual(durations);
      expect(data).toMatchObject(durations.map(() => ({ permanent: false })));
    }
    expect(Ban.parse((await api.inGuild(`/bans/${api.guild.memberId}`)).body)).toMatchObject({
      permanent: true,
    });
  });

  it('are empty, never an error, where there is nothing', async () => {
    for (const path of [
      '/strikes',
      '/bans',
      '/mutes',
      '/tickets',
      '/servers',
      '/locks',
      '/slowmodes',
      '/roles',
    ]) {
      expect(await api.inGuild(path)).toMatchObject({ status: 200, body: { data: [], next_cursor: null } });
    }
  });

  it('of game servers never hold the password', async () => {
    verifies('servers.list');
    await api.database.pool.query(
      `INSERT INTO game_servers (guild_id, name, host, port, password_sealed, created_by)
       VALUES ($1, 'arena', 'game.example', 27015, '\\x00', $2)`,
      [api.guild.id, api.guild.ownerId],
    );
    const { body } = await api.inGuild('/servers');
    expect(page(Server).parse(body).data).toMatchObject([
      { name: 'arena', host: 'game.example', port: 27_015 },
    ]);
    expect(Object.keys(body.data[0]).some((field) => /password|sealed/.test(field))).toBe(false);
    await api.database.pool.query('DELETE FROM game_servers');
  });
});

describe('tickets', () => {
  const open = async () => {
    const { rows } = await api.database.pool.query(
      `INSERT INTO tickets (guild_id, number, subject, opened_by) VALUES ($1, 1, 'help', $2) RETURNING id`,
      [api.guild.id, api.guild.memberId],
    );
    return rows[0].id as string;
  };
  const claim = (id: string, token = api.token) =>
    api.inGuild(`/tickets/${id}/claim`, { method: 'POST', token });

  it('are claimed for the issuer, once; claiming again changes nothing', async () => {
    verifies(
      'tickets.claim.response',
      'tickets.claim.own-again',
      'tickets.fields',
      'tickets.get',
      'window.not-required.tickets',
    );
    const id = await open();
    const first = await claim(id);
    expect(first.status).toBe(200);
    expect(Ticket.parse(first.body.ticket)).toMatchObject({
      status: 'claimed',
      claimed_by: api.guild.ownerId,
    });
    expect((await claim(id)).body).toEqual(first.body);
    expect((await api.inGuild(`/tickets/${id}`)).body).toEqual(first.body.ticket);
    const released = await api.inGuild(`/tickets/${id}/unclaim`, { method: 'POST' });
    expect(released.body.ticket).toMatchObject({ status: 'open', claimed_by: null, claimed_at: null });
  });

  it('of another person are neither claimed nor released', async () => {
    verifies('tickets.claim.someone-else', 'tickets.unclaim.others');
    const id = await open();
    await api.database.pool.query(
      `INSERT INTO role_grants (guild_id, role_id, capabilities, granted_by) VALUES ($1, $2, '{tickets.write}', $3)
       ON CONFLICT (guild_id, role_id) DO UPDATE SET capabilities = '{tickets.write}'`,
      [api.guild.id, api.guild.moderatorRoleId, api.guild.ownerId],
    );
    const token = await seedToken(api.database, api.guild, {
      issuerId: api.guild.moderatorId,
      capabilities: ['tickets.write'],
    });
    await claim(id);
    expect(await claim(id, token)).toMatchObject({
      status: 409,
      body: { error: { code: 'ALREADY_CLAIMED' } },
    });
    const released = await api.inGuild(`/tickets/${id}/unclaim`, { method: 'POST', token });
    expect(released).toMatchObject({ status: 403, body: { error: { details: { reason: 'NOT_CLAIMER' } } } });
    expect((await api.inGuild('/tickets?status=claimed')).body.data).toMatchObject([
      { id, claimed_by: api.guild.ownerId },
    ]);
  });

  it('are listed newest first, all of them or those of a status', async () => {
    verifies('tickets.list');
    const { rows } = await api.database.pool.query<{ id: string }>(
      `INSERT INTO tickets (guild_id, number, subject, opened_by, status)
       VALUES ($1, 1, 'help', $2, 'open'), ($1, 2, 'help', $2, 'claimed'), ($1, 3, 'help', $2, 'closed') RETURNING id`,
      [api.guild.id, api.guild.memberId],
    );
    const [opened, claimed, closed] = rows.map(({ id }) => id);
    for (const [filter, ids] of [
      ['', [closed, claimed, opened]],
      ['?status=open', [opened]],
      ['?status=claimed', [claimed]],
      ['?status=closed', [closed]],
    ] as const) {
      const { body } = await api.inGuild(`/tickets${filter}`);
      expect(
        page(Ticket)
          .parse(body)
          .data.map(({ id }) => id),
        filter,
      ).toEqual(ids);
    }
  });

  it('raced for by two are won by one', async () => {
    const id = await open();
    await api.database.pool.query(
      `INSERT INTO role_grants (guild_id, role_id, capabilities, granted_by) VALUES ($1, $2, '{tickets.write}', $3)
       ON CONFLICT (guild_id, role_id) DO UPDATE SET capabilities = '{tickets.write}'`,
      [api.guild.id, api.guild.moderatorRoleId, api.guild.ownerId],
    );
    const token = await seedToken(api.database, api.guild, {
      issuerId: api.guild.moderatorId,
      capabilities: ['tickets.write'],
    });
    const statuses = (await Promise.all([claim(id), claim(id, token)])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 409]);
  });
});

describe('records', () => {
  it('have ids that tell their type and sort in the order of their making', async () => {
    verifies('format.ids');
    const { pool } = api.database;
    const { id: guildId, ownerId } = api.guild;
    const insert = async (text: string, ...values: unknown[]): Promise<string> =>
      (await pool.query<{ id: string }>(`INSERT INTO ${text} RETURNING id`, values)).rows[0]?.id ?? '';
    const makers: Record<string, (n: number) => Promise<string>> = {
      tok: async () => (await seedToken(api.database, api.guild)).id,
      win: async () => seedWindow(api.database, api.guild, await seedToken(api.database, api.guild)),
      str: async () => (await caseOf('strike')).id,
      ban: async () => (await caseOf('ban')).id,
      mut: async () => (await caseOf('mute', { durationMinutes: 5 })).id,
      tkt: (n) =>
        insert(
          "tickets (guild_id, number, subject, opened_by) VALUES ($1, $2, 'help', $3)",
          guildId,
          n,
          ownerId,
        ),
      srv: (n) =>
        insert(
          `game_servers (guild_id, name, host, port, password_sealed, created_by)
           VALUES ($1, 'arena ' || $2::int, 'game.example', 27015, '\\x00', $3)`,
          guildId,
          n,
          ownerId,
        ),
      act: () =>
        insert(
          `actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by, state)
           VALUES ($1, 'bans.add', '{}', '', 'token', $2, 'req_1', now(), 'failed')`,
          guildId,
          ownerId,
        ),
      apr: (n) =>
        insert(
          `approval_requests (token_id, guild_id, operation, input, digest, request_id, address, expires_at)
           VALUES ($1, $2, 'bans.add', '{}', 'digest ' || $3::int, 'req_1', '203.0.113.9', now())`,
          api.token.id,
          guildId,
          n,
        ),
      aud: () =>
        insert(
          "audit (guild_id, actor_source, operation, outcome) VALUES ($1, 'chat', 'bans.add', 'performed')",
          guildId,
        ),
    };
    for (const [prefix, make] of Object.entries(makers)) {
      const made: string[] = [];
      for (let n = 1; n <= 5; n += 1) made.push(await make(n));
      for (const id of made) expect(id).toMatch(new RegExp(`^${prefix}_[0-9a-f]{32}$`));
      expect(made.toSorted(), prefix).toEqual(made);
      expect(new Set(made).size).toBe(5);
    }
    await pool.query('DELETE FROM game_servers');
  });

  it('of a person hold counts, also of one who left', async () => {
    verifies('members.get');
    await caseOf('strike', { userId: api.guild.strangerId });
    await caseOf('ban', { userId: api.guild.strangerId });
    const gone = await api.inGuild(`/members/${api.guild.strangerId}`);
    expect(Member.parse(gone.body)).toMatchObject({
      // Nobody asks Discord here.
      in_guild: null,
      counts: { strikes: 1, bans: 1, mutes: 0 },
    });
    expect((await api.inGuild(`/members/${api.guild.memberId}`)).body.in_guild).toBe(true);
    expect((await api.inGuild(`/members/${snowflake()}`)).status).toBe(404);
  });

  it('of a person are there of one who left and has only opened a ticket', async () => {
    verifies('members.get');
    const userId = snowflake();
    await api.database.pool.query(
      "INSERT INTO tickets (guild_id, number, subject, opened_by) VALUES ($1, 900, 'help', $2)",
      [api.guild.id, userId],
    );
    const { status, body } = await api.inGuild(`/members/${userId}`);
    expect([status, body.counts]).toEqual([200, { strikes: 0, bans: 0, mutes: 0, tickets: 1 }]);
  });

  it('of the rules are what the owner set down, or what counts without that', async () => {
    expect((await api.inGuild('/rules')).body).toEqual({
      escalation: { minor_points: 1, major_points: 3, decay_days: null, steps: [] },
      presets: [],
    });
    await api.database.pool.query(
      `WITH policy AS (INSERT INTO escalation_policies VALUES ($1, 1, 2, 30)),
         preset AS (INSERT INTO reason_presets (guild_id, kind, name, reason, severity)
           VALUES ($1, 'strike', 'Griefing', 'Destroyed what others built', 'major'))
       INSERT INTO escalation_steps VALUES ($1, 6, 'ban', NULL), ($1, 3, 'mute', 60)`,
      [api.guild.id],
    );
    expect((await api.inGuild('/rules')).body).toEqual({
      escalation: {
        minor_points: 1,
        major_points: 2,
        decay_days: 30,
        steps: [
          { points: 3, sanction: 'mute', duration_minutes: 60 },
          { points: 6, sanction: 'ban', duration_minutes: null },
        ],
      },
      presets: OPERATIONS['rules.get'].example.output.presets,
    });
  });

  it('of the audit log fit every given filter', async () => {
    verifies('audit.list.page', 'audit.list.filters', 'audit.actor-source');
    const added = await destructive('strikes.add', '/strikes', 'POST', {
      user_id: api.guild.strangerId,
      reason: 'x',
      severity: 'minor',
    });
    expect(added.status).toBe(201);
    const list = async (query: string) =>
      page(AuditRow).parse((await api.inGuild(`/audit?${query}`)).body).data;
    const about = await list(`action=strikes.add&target=${api.guild.strangerId}&actor_source=token`);
    expect(about.slice(0, 2).map(({ outcome }) => outcome)).toEqual(['performed', 'requested']);
    await api.database.pool.query(
      `INSERT INTO audit (guild_id, at, actor_source, actor_user_id, operation, target_type, target_id, outcome)
       SELECT $1, now() - days * interval '1 day', 'chat', $2, 'bans.lift', 'user', $3, 'performed'
       FROM generate_series(1, 3) AS days`,
      [api.guild.id, api.guild.moderatorId, api.guild.memberId],
    );
    const all = await list('limit=100');
    const [, moment = ''] = all
      .filter(({ actor_source }) => actor_source === 'chat')
      .map(({ at }) => at)
      .sort();
    for (const [filter, fits] of [
      ['actor_source=chat', (row) => row.actor_source === 'chat'],
      ['actor_source=token', (row) => row.actor_source === 'token'],
      ['action=bans.lift', (row) => row.action === 'bans.lift'],
      [`target=${api.guild.strangerId}`, (row) => row.target_id === api.guild.strangerId],
      [`since=${moment}`, (row) => row.at >= moment],
      [`until=${moment}`, (row) => row.at < moment],
      [`action=bans.lift&until=${moment}`, (row) => row.action === 'bans.lift' && row.at < moment],
    ] satisfies [string, (row: (typeof all)[number]) => boolean][]) {
      const fitting = all.filter(fits);
      expect(fitting.length, filter).toBeGreaterThan(0);
      expect(fitting.length, filter).toBeLessThan(all.length);
      expect(
        (await list(`limit=100&${filter}`)).filter(({ id }) => all.some((row) => row.id === id)),
      ).toEqual(fitting);
    }
    expect((await list('since=2099-01-01T00:00:00.000Z')).length).toBe(0);
  });

  it('of the audit log show addresses to the owner only', async () => {
    verifies('privacy.addresses');
    const { database, guild } = api;
    await database.pool.query(
      `INSERT INTO audit (guild_id, actor_source, operation, outcome, target_id, address)
       VALUES ($1, 'dashboard', 'grants.update', 'performed', 'privacy', '198.51.100.77')`,
      [guild.id],
    );
    await grantRole(database, guild, guild.moderatorRoleId, ['audit.read']);
    const ofModerator = await seedToken(database, guild, { issuerId: guild.moderatorId });
    const addressFor = async (token?: typeof ofModerator) => {
      const { body } = await api.inGuild('/audit?target=privacy', token && { token });
      return page(AuditRow)
        .parse(body)
        .data.map(({ address }) => address);
    };
    expect(await addressFor()).toEqual(['198.51.100.77']);
    expect(await addressFor(ofModerator)).toEqual([null]);
  });

  it.each(['strike', 'ban'] as const)(
    'of a %s say what became of the message to the person',
    async (kind) => {
      verifies('cases.notice');
      const { pool } = api.database;
      const { rows } = await pool.query('SELECT id FROM actions LIMIT 1');
      const [{ id: actionId }] = rows;
      await pool.query('DELETE FROM target_notices WHERE action_id = $1', [actionId]);
      const { id, user_id } = await caseOf(kind, { actionId });
      const read = async () =>
        (await api.inGuild(kind === 'ban' ? `/bans/${user_id}` : `/strikes/${id}`)).body.notice;
      expect(await read()).toBeNull();
      await pool.query("INSERT INTO target_notices (action_id, state) VALUES ($1, 'told')", [actionId]);
      expect(await read()).toBe('told');
      await pool.query('DELETE FROM target_notices WHERE action_id = $1', [actionId]);
    },
  );

  it('of an action end with its result; an unknown one is not found', async () => {
    verifies('actions.get', 'actions.undelivered');
    const { rows } = await api.database.pool.query(
      "SELECT id FROM actions WHERE operation = 'strikes.add' LIMIT 1",
    );
    const read = async () => Action.parse((await api.inGuild(`/actions/${rows[0].id}`)).body.action);
    expect((await read()).notice).toBeNull();
    const { pool } = api.database;
    await pool.query("INSERT INTO target_notices (action_id, state) VALUES ($1, 'closed')", [rows[0].id]);
    expect((await read()).notice).toBe('closed');
    expect((await api.inGuild(`/actions/act_${'0'.repeat(32)}`)).status).toBe(404);
  });

  it('of purged messages come in pages while they are kept, and of no other guild', async () => {
    verifies('archives.get');
    const keep = async (guildId: string, days: number): Promise<string> => {
      const messages = Array.from({ length: 120 }, (_, n) => purgedMessage(`message ${n}`));
      const { rows } = await api.database.pool.query(
        `WITH purge AS (
           INSERT INTO actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by, state)
           VALUES ($1, 'messages.purge', '{}', '', 'chat', '1', 'req_1', now(), 'done') RETURNING id)
         INSERT INTO message_archives (guild_id, action_id, channel_id, messages, expires_at)
         SELECT $1, id, '1', $2, now() + make_interval(days => $3) FROM purge RETURNING id`,
        [guildId, JSON.stringify(messages), days],
      );
      return rows[0].id;
    };
    const id = await keep(api.guild.id, 30);
    const read: string[] = [];
    for (let cursor = ''; ; ) {
      const { status, body } = await api.inGuild(`/archives/${id}?limit=50${cursor}`);
      expect(status).toBe(200);
      read.push(...body.data.map(({ text }: { text: string }) => text));
      expect(body.data[0].sent_at).toBe('2026-01-31T12:00:00.000Z');
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(read).toEqual(Array.from({ length: 120 }, (_, n) => `message ${n}`));
    // A cursor that is made by hand names a place beyond every number of the database.
    const beyond = encodeCursor({
      list: 'messages.archive',
      guildId: api.guild.id,
      filters: { archiveId: id },
      after: `arc_${'f'.repeat(32)}`,
    });
    const past = await api.inGuild(`/archives/${id}?cursor=${beyond}`);
    expect([past.status, past.body.data]).toEqual([200, []]);
    const foreign = await keep('100000000000000999', 30);
    const over = await keep(api.guild.id, -1);
    for (const gone of [foreign, over, `arc_${'0'.repeat(32)}`]) {
      const { status, body } = await api.inGuild(`/archives/${gone}`);
      expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
    }
  });

  it('of an action of what only people do are not found', async () => {
    verifies('action.foreign-operation');
    const { rows } = await api.database.pool.query(
      `INSERT INTO actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by, state,
         result)
       SELECT guild_id, 'notes.add', '{"user_id": "1", "text": "for moderators only"}', 'd', 'chat', actor_user_id,
         'req_1', now(), 'done', '{"note": {"text": "for moderators only"}}'
       FROM actions WHERE operation = 'strikes.add' LIMIT 1 RETURNING id`,
    );
    const { status, body } = await api.inGuild(`/actions/${rows[0].id}`);
    expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
    // Nor does a token learn that it exists by what it lacks.
    const reader = await seedToken(api.database, api.guild, { capabilities: ['audit.read'] });
    expect(await api.inGuild(`/actions/${rows[0].id}`, { token: reader })).toMatchObject({ status: 404 });
    const unknown = await api.inGuild(`/actions/act_${'0'.repeat(32)}`);
    expect(body.error.message.replace(rows[0].id, '')).toBe(
      unknown.body.error.message.replace(`act_${'0'.repeat(32)}`, ''),
    );
  });

  it('of who stopped an action are for who may read that action', async () => {
    verifies('capability.operation.actions-get');
    const run = async (operation: string, input: object, target: string | null, result: object | null) => {
      const { rows } = await api.database.pool.query(
        `INSERT INTO actions (guild_id, operation, input, digest, target_id, state, result, actor_source, actor_user_id,
           request_id, claim_by)
         VALUES ($1, $2, $3, 'd', $4, 'done', $5, 'dashboard', $6, 'req_1', now()) RETURNING id`,
        [api.guild.id, operation, input, target, result, api.guild.ownerId],
      );
      return rows[0].id;
    };
    const stopped = async (operation: string) => {
      const actionId = await run(operation, {}, snowflake(), null);
      return run('actions.stop', { actionId }, actionId, { action: { id: actionId, operation } });
    };
    const get = async (id: string, capabilities: Capability[]) =>
      api.inGuild(`/actions/${id}`, { token: await seedToken(api.database, api.guild, { capabilities }) });
    const purge = await stopped('messages.purge');
    const denied = await get(purge, ['audit.read']);
    expect([denied.status, denied.body.error.details]).toEqual([403, { missing: ['messages.purge'] }]);
    const read = await get(purge, ['messages.purge']);
    expect([read.status, read.body.action.operation]).toEqual([200, 'actions.stop']);
    const byPeople = await stopped('tickets.close');
    expect(await get(byPeople, ['audit.read'])).toMatchObject({ status: 404 });
    expect(await get(byPeople, ['tickets.write'])).toMatchObject({ status: 404 });
  });

  it('of oneself tell token, issuer, guild, capabilities, window and budgets', async () => {
    verifies('me.response', 'capability.owner-all');
    const { body, status } = await api.call('/me');
    expect(status).toBe(200);
    const me = Me.parse(body);
    expect(me.window).toMatchObject({ open: true });
    expect(me.effective_capabilities).toEqual(me.snapshot);
    expect(me.budgets.token.read).toEqual({ capacity: 120, remaining: 119, refill_per_minute: 60 });
  });

  it('of oneself count whole calls: what has refilled of the next one is none yet', async () => {
    verifies('me.response');
    const budget = [api.guild.id, api.token.id, 'destructive_write'];
    const here = 'guild_id = $1 AND holder_id = $2 AND tier = $3';
    await api.database.pool.query(`DELETE FROM budgets WHERE ${here}`, budget);
    await api.database.pool.query(
      `INSERT INTO budgets (guild_id, holder_id, tier, balance, updated_at)
       VALUES ($1, $2, $3, 2.9, now() + interval '1 hour')`,
      budget,
    );
    const me = Me.parse((await api.call('/me')).body);
    expect(me.budgets.token.destructive_write.remaining).toBe(2);
    await api.database.pool.query(`DELETE FROM budgets WHERE ${here}`, budget);
  });
});

it('lists hold what is in force: locks, slowmodes that end and roles for a while, page by page', async () => {
  verifies('in-force.lists');
  const channel = snowflake();
  await inForce('lock', channel, { reason: 'Raid' });
  await inForce('lock', api.guild.id, { minutes: 30 });
  await inForce('slowmode', channel, { before: { seconds: 5 }, after: { seconds: 30 }, minutes: 60 });
  const role = snowflake();
  const people = [snowflake(), snowflake(), snowflake()];
  for (const userId of people) await inForce('role', `${userId}:${role}`, { minutes: 60 });
  // Neither what nobody knows to have happened, nor what is another guild's.
  await inForce('lock', snowflake(), { isTaken: false });
  await putInForce(api.database, await seedGuild(api.database), 'lock', snowflake());

  const by = api.guild.ownerId;
  const locks = await api.inGuild('/locks');
  expect(OPERATIONS['channels.locks'].output.parse(locks.body)).toMatchObject({
    data: [
      { channel_id: null, expires_at: expect.any(String), locked_by: by, reason: null },
      { channel_id: channel, expires_at: null, locked_by: by, reason: 'Raid' },
    ],
    next_cursor: null,
  });
  const slowmodes = await api.inGuild('/slowmodes');
  expect(OPERATIONS['channels.slowmodes'].output.parse(slowmodes.body).data).toMatchObject([
    { channel_id: channel, seconds: 30, seconds_before: 5, set_by: by, reason: null },
  ]);

  const listed = async (path: string) =>
    OPERATIONS['roles.list'].output.parse((await api.inGuild(path)).body);
  const first = await listed('/roles?limit=2');
  const second = await listed(`/roles?limit=2&cursor=${first.next_cursor}`);
  expect([...first.data, ...second.data].map(({ user_id }) => user_id)).toEqual(people.toReversed());
  expect([first.data.length, second.next_cursor]).toEqual([2, null]);
  const [, one] = people;
  const [given, ...others] = (await listed(`/roles?user_id=${one}`)).data;
  expect([given, others]).toMatchObject([{ user_id: one, role_id: role, given_by: by }, []]);
  expect(Date.parse(given?.expires_at ?? '') - Date.parse(given?.given_at ?? '')).toBe(3_600_000);
});
