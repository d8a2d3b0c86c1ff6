import { once } from 'node:events';
import { connect } from 'node:net';
import { CAPABILITIES, type Capability, entryOf, isWriteOperation, OPERATION_NAMES } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { auditFile } from '@bailiff/engine/audit/audit-entry';
import { allAuditEntries } from '@bailiff/engine/audit/audit-export';
import { type AuditEntry, listAuditLog } from '@bailiff/engine/audit/audit-log';
import { activityOf } from '@bailiff/engine/desk/activity';
import { grantRole, type SeededGuild, seedGuild, seedToken } from '@bailiff/engine/testing';
import { translator } from '@bailiff/messages/dashboard';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  activityCharts,
  countOutcomes,
  dailyMeanOfWeekBefore,
  FOR_EVERY_MEMBER,
  OTHERS,
  withOneMore,
} from '#src/activity-charts.ts';
import { fitsAudit } from '#src/audit-filter.ts';
import { readAuditParameters } from '#src/audit-query.ts';
import { auditRow } from '#src/audit-row.ts';
import { searchFilter } from '#src/audit-search.ts';
import { describeCalls } from '#src/describe-calls.ts';
import { type Person, serve, signedIn, startTestWeb, type TestServer, type TestWeb } from './support.ts';

const OWNER = { isOwner: true };

let guild: SeededGuild;
let owner: Person;
let web: TestWeb;
let server: TestServer;

beforeEach(async () => {
  guild = await seedGuild(web.db);
  owner = await signedIn(web, guild.ownerId);
});

beforeAll(async () => {
  web = await startTestWeb();
  server = await serve(web);
});
afterAll(async () => {
  server.close();
  await web.close();
});

interface Seed {
  operation?: string;
  source?: string;
  outcome?: string;
  actor?: string;
  token?: { id: string; name: string };
  target?: string;
  targetType?: string;
  request?: string;
  action?: string;
  /** A time this many days of 24 hours ago. */
  daysAgo?: number;
}

const seenByOwner = ({ id }: SeededGuild) => ({ id, isOwner: true, capabilities: CAPABILITIES });

const query = (text: string, values: unknown[] = []) => web.db.pool.query(text, values);

/** Six hundred reads that are about to be forgotten, and before them a hundred writes, which are kept. */
async function seedOldReads(): Promise<void> {
  await query(
    `INSERT INTO audit (id, guild_id, at, actor_source, operation, outcome, is_read)
     SELECT id_at('aud', at, 0), $1, at, 'token', 'bans.list', 'performed', n <= 600
     FROM (SELECT n, (now() - interval '100 days' - n * interval '1 second')::timestamptz(3) AS at
       FROM generate_series(1, 700) AS n) AS moments`,
    [guild.id],
  );
}
const forgetReads = () => query('SELECT keep_audit_partitions(1, 90)', []);
/** The database, which forgets reads between a search that found them and the statement that asks for their columns. */
function forgetsWhatIsFound(): TestWeb['db'] {
  let isForgotten = false;
  const pool = new Proxy(web.db.pool, {
    get: (target, name) => {
      const value = Reflect.get(target, name);
      if (name !== 'query') return typeof value === 'function' ? value.bind(target) : value;
      return async (asked: { text: string }) => {
        if (!isForgotten && asked.text.includes('unnest($2::text[]) AS wanted')) {
          isForgotten = true;
          await forgetReads();
        }
        return Reflect.apply(value, target, [asked]);
      };
    },
  });
  return { ...web.db, pool };
}
/** What is left of the log, newest first. */
const keptIds = async (): Promise<string[]> =>
  (await query('SELECT id FROM audit WHERE guild_id = $1 ORDER BY at DESC', [guild.id])).rows.map(
    ({ id }) => id,
  );

async function seedRow(row: Seed = {}): Promise<string> {
  const { rows } = await query(
    `INSERT INTO audit (guild_id, at, actor_source, actor_user_id, token_id, token_name, operation, target_type, target_id,
       outcome, request_id, action_id)
     VALUES ($1, now() - $2::float8 * interval '1 day', $3, $4, $5, $6, $7, $12, $8, $9, $10, $11) RETURNING id`,
    [
      guild.id,
      row.daysAgo ?? 0,
      row.source ?? 'chat',
      row.actor ?? guild.moderatorId,
      row.token?.id ?? null,
      row.token?.name ?? null,
      row.operation ?? 'strikes.add',
      row.target ?? '123456789012345678',
      row.outcome ?? 'performed',
      row.request ?? null,
      row.action ?? null,
      row.targetType ?? 'user',
    ],
  );
  return rows[0].id;
}

/** The day of a row in UTC. By the clock it may be another one already. */
async function dayOf(id: string): Promise<string> {
  const day = "SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day FROM audit WHERE id = $1";
  return (await query(day, [id])).rows[0].day;
}

const speech = { operations: translator('en', 'operations'), events: translator('en', 'events') };

/** The rows that the page of an address shows. */
async function found(parameters: Record<string, string>, place: { before?: string; after?: string } = {}) {
  const { given } = readAuditParameters((name) => parameters[name]);
  const filter = await searchFilter(web.db, guild.id, given, speech);
  const entries = await listAuditLog(web.db, guild.id, {
    ...place,
    filter,
    reads: given.reads === 'shown',
    limit: 3,
  });
  const ids = entries.map(({ id }) => id);
  // A row sent to an open page is shown there exactly if the page would have found it.
  if (given.q === undefined && Object.keys(place).length === 0) {
    const all = await listAuditLog(web.db, guild.id, { reads: given.reads === 'shown', limit: 1_000 });
    const shown = all.filter((entry) => fitsAudit(auditRow(entry, OWNER), given));
    expect(shown.slice(0, 3).map(({ id }) => id)).toEqual(ids);
  }
  return ids;
}

describe('the audit log of the dashboard', () => {
  it('lists each call once, with its outcome, and names who and what it was about', async () => {
    verifies('audit.one-row-per-call');
    const row = (action: string, outcome: string, targetType = 'user', target = guild.strangerId) =>
      query(
        `INSERT INTO audit (guild_id, actor_source, actor_user_id, operation, target_type, target_id, outcome, action_id)
         VALUES ($1, 'chat', $2, 'bans.add', $3, $4, $5, $6)`,
        [guild.id, guild.strangerId, targetType, target, outcome, action],
      );
    await row('act_ended', 'requested');
    await row('act_ended', 'performed');
    await row('act_running', 'requested', 'channel', '100000000000000007');
    await query(
      `INSERT INTO known_names (user_id, username, display_name, guild_ids) VALUES ($1, 'stray', 'Stray Cat', ARRAY[$2])
       ON CONFLICT (user_id) DO UPDATE SET display_name = excluded.display_name, guild_ids = excluded.guild_ids`,
      [guild.strangerId, guild.id],
    );
    await query(
      "INSERT INTO known_channels (guild_id, channel_id, name) VALUES ($1, '100000000000000007', 'lounge')",
      [guild.id],
    );
    const listed = async (onePerCall: boolean) =>
      (await listAuditLog(web.db, guild.id, { reads: false, onePerCall, limit: 10 })).map((entry) =>
        [entry.actionId, entry.outcome, entry.actorName, entry.targetName].join(' '),
      );
    expect((await listed(true)).toSorted()).toEqual([
      'act_ended performed Stray Cat Stray Cat',
      'act_running requested Stray Cat #lounge',
    ]);
    expect(await listed(false)).toHaveLength(3);
  });

  it('is narrowed by each filter, and by all of them together', async () => {
    const token = { id: (await seedToken(web.db, guild, { name: 'night-watch' })).id, name: 'night-watch' };
    const wanted = await seedRow({
      operation: 'bans.add',
      source: 'token',
      outcome: 'failed',
      actor: guild.ownerId,
      token,
      target: '876543210987654321',
      request: 'req_wanted',
      daysAgo: 3,
    });
    // One is a day later than the wanted one, and three are of today.
    for (const daysAgo of [2, 0, 0, 0]) await seedRow({ daysAgo });
    const day = await dayOf(wanted);
    const filters = {
      operation: 'bans.add',
      source: 'token',
      outcome: 'failed',
      actor: guild.ownerId,
      token: token.id,
      target: '876543210987654321',
      request: 'req_wanted',
      to: day,
    };
    for (const [name, value] of Object.entries(filters))
      expect(await found({ [name]: value }), name).toEqual([wanted]);
    expect(await found({ ...filters, from: day })).toEqual([wanted]);
    expect(await found({ ...filters, outcome: 'performed' })).toEqual([]);
  });

  it('of a period has what happened at its beginning, and not what happened at its end', async () => {
    const [first, second] = [await seedRow({ daysAgo: 2 }), await seedRow({ daysAgo: 1 })];
    const { rows } = await query('SELECT at FROM audit WHERE id = ANY ($1) ORDER BY at', [[first, second]]);
    const filter = { from: rows[0].at, to: rows[1].at };
    const entries = await listAuditLog(web.db, guild.id, { reads: false, filter, limit: 10 });
    expect(entries.map(({ id }) => id)).toEqual([first]);
  });

  it('has a page for each row, with the others of its request, oldest first', async () => {
    const request = 'req_0123456789abcdef0123456789abcdef';
    const asked = await seedRow({ request, outcome: 'requested', daysAgo: 0.2 });
    const done = await seedRow({ request, daysAgo: 0.1 });
    await seedRow({ request: `${request}0` });
    const alone = await seedRow();
    const related = async (id: string) =>
      (await auditFile(web.db, seenByOwner(guild), id))?.related.map((entry) => entry.id);
    expect(await related(done)).toEqual([asked, done]);
    expect(await related(alone)).toEqual([alone]);
    const other = await seedGuild(web.db);
    expect(await auditFile(web.db, seenByOwner(other), done)).toBeNull();
  });

  it('names a call of an older version, which no schema of today reads, in the language of the page', async () => {
    const calls = [{ operation: 'bans.lift', input: { user: 'of an older version' } }];
    const said = await describeCalls(web.db, { id: guild.id, name: 'Harbourlight' }, calls, 'de');
    expect(said.map(({ sentence }) => sentence)).toEqual(['Einen Bann aufheben']);
  });

  it('shows a row of a read alone: the others of its request are no part of what happened', async () => {
    const request = 'req_0123456789abcdef0123456789abcdef';
    await seedRow({ request });
    const { rows } = await query(
      `INSERT INTO audit (guild_id, actor_source, operation, outcome, is_read, request_id)
       VALUES ($1, 'token', 'bans.list', 'performed', true, $2) RETURNING id`,
      [guild.id, request],
    );
    const related = (await auditFile(web.db, seenByOwner(guild), rows[0].id))?.related ?? [];
    expect(related.map(({ id }) => id)).toEqual([rows[0].id]);
  });

  describe('the call of an entry in full', () => {
    const act = async (operation: string, input: object, target: string | null = null) => {
      const { rows } = await query(
        `INSERT INTO actions (guild_id, operation, input, digest, target_id, state, actor_source, actor_user_id,
           request_id, claim_by)
         VALUES ($1, $2, $3, '', $4, 'done', 'chat', $5, 'req_asked', now()) RETURNING id`,
        [guild.id, operation, input, target, guild.memberId],
      );
      return rows[0].id as string;
    };
    const seen = async (operation: string, action: string, held: readonly Capability[], isOwner = false) => {
      const viewer = { id: guild.id, isOwner, capabilities: ['audit.read' as const, ...held] };
      const file = await auditFile(web.db, viewer, await seedRow({ operation, action }));
      return file?.action?.input ?? file?.hiddenTo;
    };

    it.each([
      ['tickets.open', { subject: 'They threaten me', answers: ['By letter'] }, 'tickets.read'],
      ['identities.link', { platform: 'minecraft', in_game_id: 'BlockBreaker' }, 'members.read'],
      ['bans.add', { userId: '123456789012345678', reason: 'Spam' }, 'bans.write'],
    ] as const)(
      'of %s is for those who may read such things, and for the owner',
      async (operation, input, needed) => {
        const action = await act(operation, input);
        const others = CAPABILITIES.filter((capability) => capability !== needed);
        expect(await seen(operation, action, [])).toBe(needed);
        expect(await seen(operation, action, others)).toBe(needed);
        expect(await seen(operation, action, [needed])).toEqual(input);
        expect(await seen(operation, action, [], true)).toEqual(input);
      },
    );

    it('that stops an action is for those who may read that action', async () => {
      const purge = await act('messages.purge', {});
      const stop = await act('actions.stop', { actionId: purge }, purge);
      expect(await seen('actions.stop', stop, [])).toBe('messages.purge');
      expect(await seen('actions.stop', stop, ['messages.purge'])).toEqual({ actionId: purge });
    });

    it('is for the owner alone where nobody knows what it is about', async () => {
      const stop = await act('actions.stop', { actionId: 'act_gone' }, 'act_gone');
      expect(await seen('actions.stop', stop, CAPABILITIES)).toBe('owner');
      expect(await seen('actions.stop', stop, [], true)).toEqual({ actionId: 'act_gone' });
    });

    it('of a report is for nobody: whom it is about may be the owner', async () => {
      const report = await act('reports.add', { user_id: guild.ownerId, reason: 'Sells items' });
      expect(await seen('reports.add', report, CAPABILITIES)).toBe('nobody');
      expect(await seen('reports.add', report, CAPABILITIES, true)).toBe('nobody');
    });
  });

  it('names the case that an action opened, and the one that an action ended', async () => {
    const person = guild.memberId;
    const named = async (operation: string, action: string) => {
      const id = await seedRow({ operation, target: person, action });
      return (await auditFile(web.db, seenByOwner(guild), id))?.caseNumber;
    };
    await query(
      `INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by, action_id, ended_at, end_action_id)
       VALUES ('ban_7' || $1, $1, 7, 'ban', $2, $3, 'act_ban', now(), 'act_lift'),
         ('ban_8' || $1, $1, 8, 'ban', $2, $3, 'act_again', NULL, NULL)`,
      [guild.id, person, guild.moderatorId],
    );
    expect(await named('bans.add', 'act_ban')).toBe(7);
    expect(await named('bans.lift', 'act_lift')).toBe(7);
    expect(await named('bans.add', 'act_other')).toBeNull();
  });

  it('is searched by ids, by words of what was done, and by names of people and tokens', async () => {
    const token = { id: (await seedToken(web.db, guild, { name: 'night-watch' })).id, name: 'night-watch' };
    await query("UPDATE members SET display_name = 'Juno_50%' WHERE guild_id = $1 AND user_id = $2", [
      guild.id,
      guild.memberId,
    ]);
    const banned = await seedRow({ operation: 'bans.lift', request: 'req_1' });
    const byToken = await seedRow({ token, target: '876543210987654321' });
    const byMember = await seedRow({ actor: guild.memberId });
    const action = `act_${'0123456789abcdef'.repeat(2)}`;
    const ofAction = await seedRow({ action, operation: 'mutes.add' });
    expect(await found({ q: action })).toEqual([ofAction]);
    expect(await found({ q: 'req_1' })).toEqual([banned]);
    expect(await found({ q: 'Lift a ban' })).toEqual([banned]);
    expect(await found({ q: '876543210987654321' })).toEqual([byToken]);
    expect(await found({ q: 'NIGHT' })).toEqual([byToken]);
    expect(await found({ q: 'juno_50%' })).toEqual([byMember]);
    expect(await found({ q: 'Juno%%' })).toEqual([]);
  });

  it('names an appeal by the number of its case', async () => {
    const appeal = async (kind: string) => {
      const { rows } = await query(
        `WITH opened AS (SELECT * FROM open_case($1, $2::"CaseKind", 'cas', $3, 'Spam', $4, NULL, NULL))
         INSERT INTO appeals (guild_id, case_id, user_id, answers, language)
         SELECT guild_id, id, user_id, '[]', 'en' FROM opened RETURNING id`,
        [guild.id, kind, guild.memberId, guild.ownerId],
      );
      return rows[0].id;
    };
    const appeals = [await appeal('ban'), await appeal('warning')];
    for (const target of appeals.toReversed())
      await seedRow({ operation: 'appeals.refuse', targetType: 'appeal', target });
    const names = (await listAuditLog(web.db, guild.id, { reads: false, limit: 2 })).map(
      (row) => row.targetName,
    );
    expect(names).toEqual(['#1', '#2']);
  });

  it('is searched by the names that it shows, also of people who are in no list of members', async () => {
    const [known, elsewhere] = ['876543210987654321', '876543210987654322'];
    await query(
      `INSERT INTO known_names (user_id, username, display_name, guild_ids)
       VALUES ($1, 'kim', 'Kim Élan', ARRAY[$3]), ($2, 'kimberly', 'Kimberly', '{1}')`,
      [known, elsewhere, guild.id],
    );
    const banned = await seedRow({ target: known });
    await seedRow({ target: elsewhere });
    const names = (await listAuditLog(web.db, guild.id, { reads: false, limit: 2 })).map(
      (row) => row.targetName,
    );
    expect(names).toEqual([null, 'Kim Élan']);
    for (const q of ['Kim', 'elan', 'KIM ÉLAN', 'ki']) expect(await found({ q })).toEqual([banned]);
    expect(await found({ q: 'Kimberly' })).toEqual([]);
    const [server] = (
      await query(
        `INSERT INTO game_servers (guild_id, name, host, port, password_sealed, created_by)
         VALUES ($1, 'Skyblock', '192.0.2.1', 25575, '', $2) RETURNING id`,
        [guild.id, guild.ownerId],
      )
    ).rows;
    await query("INSERT INTO known_channels (channel_id, guild_id, name) VALUES ('1', $1, 'lobby')", [
      guild.id,
    ]);
    const [ofServer, ofChannel] = [await seedRow({ target: server.id }), await seedRow({ target: '1' })];
    expect(await found({ q: 'skyb' })).toEqual([ofServer]);
    for (const q of ['#lobby', 'Lobby']) expect(await found({ q })).toEqual([ofChannel]);
    await query("UPDATE members SET display_name = 'Ilja Éluard' WHERE user_id = $1", [guild.memberId]);
    const ofMember = await seedRow({ target: guild.memberId });
    for (const q of ['ilja eluard', 'elu']) expect(await found({ q })).toEqual([ofMember]);
  });

  it('pages both ways by the rows seen, also among rows of one moment', async () => {
    const at = new Date();
    const ids: string[] = [];
    for (let n = 0; n < 7; n += 1) ids.unshift(await seedRow());
    await query('ALTER TABLE audit_writes DISABLE TRIGGER audit_append_only');
    await query('UPDATE audit SET at = $2 WHERE guild_id = $1', [guild.id, at]);
    await query('ALTER TABLE audit_writes ENABLE TRIGGER audit_append_only');
    expect(await found({})).toEqual(ids.slice(0, 3));
    expect(await found({}, { before: ids[2] ?? '' })).toEqual(ids.slice(3, 6));
    expect(await found({}, { after: ids[5] ?? '' })).toEqual(ids.slice(2, 5));
    expect(await found({}, { after: ids[0] ?? '' })).toEqual([]);
  });

  it('pages on from a read that was forgotten since', async () => {
    await seedOldReads();
    const [newest = '', next] = await found({ reads: 'shown' });
    await forgetReads();
    expect(await found({ reads: 'shown' }, { before: next ?? '' })).toEqual((await keptIds()).slice(0, 3));
    expect(await found({}, { after: newest })).toEqual([]);
  });

  it.each(['before', 'after'] as const)(
    'with several filters lists as many rows %s another if reads are forgotten while it looks',
    async (side) => {
      await seedOldReads();
      const filter = { source: 'token', operation: 'bans.list' } as const;
      for (let newer = 0; newer < 5; newer += 1) await seedRow(filter);
      const [ofRead, ofWrite = ''] = [(await keptIds())[9], (await keptIds()).at(-4)];
      const beside = side === 'before' ? ofRead : ofWrite;
      const entries = await listAuditLog(forgetsWhatIsFound(), guild.id, {
        ...{ reads: true, filter, limit: side === 'before' ? 50 : 100 },
        [side]: beside,
      });
      const kept = await keptIds();
      expect(entries.map(({ id }) => id)).toEqual(
        side === 'before' ? kept.slice(5, 55) : kept.slice(-4 - 100, -4),
      );
    },
  );

  it.each([
    ['source', 'nobody'],
    ['outcome', 'maybe'],
    ['from', '2026-02-30'],
    ['to', 'yesterday'],
    ['actor', "' OR 1=1"],
    ['q', 'a\u0000b'],
  ])('says so of a %s that cannot be read: %j', (name, value) => {
    expect(readAuditParameters((each) => (each === name ? value : ''))).toEqual({ given: {}, wrong: [name] });
  });
});

describe('what was done, day by day', () => {
  const daysOf = async () => {
    const { days } = await activityOf(web.db, guild.id, 14);
    return days.map(({ day, counts }) => [day, counts.reduce((sum, { count }) => sum + count, 0)] as const);
  };

  it('is counted for each day of UTC, today last; requests and reads do not count', async () => {
    const past = await seedRow({ daysAgo: 2 });
    await seedRow({ daysAgo: 2, outcome: 'failed' });
    await seedRow({ daysAgo: 2, outcome: 'requested' });
    const latest = await seedRow();
    await seedRow({ outcome: 'requested' });
    await query(
      "SELECT record_read($1, '1', 'x', $2, 'bans.list', NULL, NULL, 'req_2', '192.0.2.1', NULL, 'performed', NULL)",
      [guild.id, guild.ownerId],
    );
    const days = await daysOf();
    expect(days).toHaveLength(14);
    expect(days.filter(([, count]) => count > 0)).toEqual([
      [await dayOf(past), 2],
      [await dayOf(latest), 1],
    ]);
  });

  it('a day that is over is counted once and kept; today is counted each time', async () => {
    const past = await seedRow({ daysAgo: 2 });
    const latest = await seedRow();
    await daysOf();
    // A past day gets no new rows in practice. This shows that the day is not counted again.
    await seedRow({ daysAgo: 2 });
    await seedRow();
    expect((await daysOf()).filter(([, count]) => count > 0)).toEqual([
      [await dayOf(past), 1],
      [await dayOf(latest), 2],
    ]);
  });

  it.each([
    ['what was there', { operation: 'strikes.remove', source: 'chat' }],
    ['what was not there yet', { operation: 'tickets.close', source: 'dashboard' }],
  ])('grows with %s by the event that an open page gets, as if it were counted again', async (_what, row) => {
    await seedRow({ actor: guild.ownerId });
    await seedRow({ operation: 'bans.add', source: 'token' });
    const before = activityCharts(await activityOf(web.db, guild.id, 14));
    await seedRow({ ...row, actor: guild.memberId });
    const [newest] = await listAuditLog(web.db, guild.id, { reads: false, limit: 1 });
    if (newest === undefined) throw new Error('Nothing happened.');
    const { actorSource: source, actorUserId: actorId, ...rest } = auditRow(newest, OWNER);
    const grown = withOneMore(before, { ...rest, source, actorId });
    const counted = activityCharts(await activityOf(web.db, guild.id, 14));
    // The order of the new rows does not matter.
    const today = ({ byKind, bySource, byModerator }: typeof before) =>
      [byKind, bySource, byModerator].map(({ keys, days }) =>
        keys.map((key, place) => `${key}: ${days.at(-1)?.values[place]}`).toSorted(),
      );
    expect(grown === null ? null : today(grown)).toEqual(today(counted));
  });

  it.each([
    [5, ['0', '1', '2', '3', '4'], [5, 4, 3, 2, 1]],
    [7, ['0', '1', '2', '3', '4', OTHERS], [7, 6, 5, 4, 3, 3]],
  ])('of %i moderators names five, and adds up the others if there are any', (many, keys, values) => {
    const counts = Array.from({ length: many }, (_, n) => ({
      ...({ operation: 'bans.add', source: 'chat', outcome: 'performed' } as const),
      ...{ actorId: `${n}`, count: many - n },
    }));
    const { byModerator } = activityCharts({ days: [{ day: '2026-11-01', counts }] });
    expect(byModerator).toEqual({ keys, days: [{ day: '2026-11-01', values }] });
  });

  it.each([
    [4, ['0', '1', '2', '3', 'new']],
    [5, ['0', '1', '2', '3', '4', OTHERS]],
    [7, ['0', '1', '2', '3', '4', OTHERS]],
  ])('with %i moderators grows by another one as if it were counted again', (many, keys) => {
    const counts = Array.from({ length: many }, (_, n) => ({
      ...({ operation: 'bans.add', source: 'chat', outcome: 'performed' } as const),
      ...{ actorId: `${n}`, count: 10 - n },
    }));
    const before = activityCharts({ days: [{ day: '2026-11-01', counts }] });
    const row = {
      operation: 'bans.add',
      source: 'chat',
      actorId: 'new',
      at: '2026-11-01T10:00:00Z',
    } as const;
    expect(withOneMore(before, row)?.byModerator.keys).toEqual(keys);
    // A page that stays open over midnight has no column for the new day yet, and asks for one.
    expect(withOneMore(before, { ...row, at: '2026-11-02T00:00:00Z' })).toBeNull();
  });

  const counted = (outcome: AuditEntry['outcome'], count: number) => ({
    ...({ operation: 'bans.add', source: 'chat', actorId: '1' } as const),
    ...{ outcome, count },
  });

  it('counts as failed what the list that it leads to shows, and neither the unknown nor the cancelled', async () => {
    // So many of each that none can stand for another.
    const seeded = { performed: 1, failed: 2, unknown: 4, cancelled: 8, refused: 3 } as const;
    for (const [outcome, count] of Object.entries(seeded) as [keyof typeof seeded, number][])
      for (let n = 0; n < count; n += 1) await seedRow({ outcome });
    const { performed, failed, refused } = countOutcomes(
      (await activityOf(web.db, guild.id, 14)).last24Hours,
    );
    for (const [outcome, count] of Object.entries({ performed, failed, refused }))
      expect(await found({ outcome }), outcome).toHaveLength(count);
  });

  it('charts what was performed, and nothing else', () => {
    const outcomes = ['performed', 'failed', 'unknown', 'cancelled', 'refused'] as const;
    const counts = outcomes.map((outcome, place) => counted(outcome, 10 ** place));
    const { byKind, bySource, byModerator } = activityCharts({ days: [{ day: '2026-11-01', counts }] });
    for (const { days } of [byKind, bySource, byModerator])
      expect(days.map(({ values }) => Math.max(...values))).toEqual([1]);
  });

  it('charts each kind of action by itself, in one order, and the rest together', () => {
    const operations = ['roles.add', 'members.kick', 'servers.command', 'messages.purge', 'reports.close'];
    operations.push('tickets.close', 'mutes.add', 'bans.lift', 'bans.add', 'strikes.add');
    const counts = operations.map((operation, place) => ({
      ...counted('performed', 2 ** place),
      operation: operation as AuditEntry['operation'],
    }));
    const { byKind } = activityCharts({ days: [{ day: '2026-11-01', counts }] });
    expect(byKind).toEqual({
      keys: ['strikes', 'bans', 'mutes', 'tickets', 'messages', 'servers', 'members', 'other'],
      days: [{ day: '2026-11-01', values: [512, 128 + 256, 64, 32, 8, 4, 2, 1 + 16] }],
    });
  });

  it('compares the last day with the week before it: without today and yesterday, in which that day is', () => {
    const days = [1_000, 1, 2, 3, 4, 5, 6, 7, 1_000, 1_000].map((count, n) => ({
      ...{ day: `2026-11-${String(n + 1).padStart(2, '0')}` },
      ...{ counts: [counted('performed', count), counted('failed', 100)] },
    }));
    expect(dailyMeanOfWeekBefore({ days })).toBe(4);
    expect(dailyMeanOfWeekBefore({ days: days.slice(-2) })).toBe(0);
  });

  it('by moderator leaves out the bot, and what every member may do', async () => {
    verifies('dashboard.moderators-only');
    await seedRow({ operation: 'bans.add', actor: guild.moderatorId });
    await seedRow({ operation: 'tickets.open', source: 'chat', actor: guild.memberId });
    await seedRow({ operation: 'appeals.file', source: 'dashboard', actor: guild.memberId });
    await seedRow({ operation: 'bans.lift', source: 'system', actor: guild.botId });
    const forAll = OPERATION_NAMES.filter(
      (name) => isWriteOperation(name) && entryOf(name).capability === 'none',
    );
    expect(FOR_EVERY_MEMBER).toEqual(forAll);
    const { byModerator, bySource } = activityCharts(await activityOf(web.db, guild.id, 14));
    expect(byModerator.keys).toEqual([guild.moderatorId]);
    expect(bySource.keys).toContain('system');
  });
});

describe('an export', () => {
  const exportsOf = (id = guild.id) => `/api/guilds/${id}/exports`;
  const begin = (body: object, person = owner) => person.call('POST', exportsOf(), body);
  const download = (href: string, { cookie } = owner) =>
    fetch(`http://127.0.0.1:${server.port}${href}`, { headers: { Cookie: cookie } });
  const seedMany = (count: number) =>
    query(
      `INSERT INTO audit (guild_id, at, actor_source, operation, outcome)
       SELECT $1, now() - n * interval '1 second', 'system', 'strikes.add', 'performed' FROM generate_series(1, $2::int) AS n`,
      [guild.id, count],
    );

  it('has every column of a row, under the same name in each format, and addresses for the owner alone', async () => {
    const { rows } = await query(
      `INSERT INTO audit (guild_id, at, actor_source, actor_user_id, token_id, token_name, operation, target_type, target_id,
         outcome, code, request_id, address, digest, action_id, details)
       VALUES ($1, '2026-01-02T03:04:05Z', 'token', $2, 'tok_1', 'night-watch', 'bans.add', 'user', $3, 'refused',
         'RE_AUTH_REQUIRED', 'req_1', '192.0.2.7', 'd1', 'act_1', '{"reason": "raid"}') RETURNING id`,
      [guild.id, guild.moderatorId, guild.memberId],
    );
    await query(
      `INSERT INTO refusal_counts (audit_id, guild_id, token_id, code, address, operation, count, last_at)
       VALUES ($1, $2, 'tok_1', 'RE_AUTH_REQUIRED', '192.0.2.7', 'bans.add', 3, '2026-01-02T03:05:06Z')`,
      [rows[0].id, guild.id],
    );
    await query("UPDATE members SET display_name = 'Juno' WHERE user_id = $1", [guild.moderatorId]);
    await query("UPDATE members SET display_name = 'Mallory' WHERE user_id = $1", [guild.memberId]);
    const expected = {
      id: rows[0].id,
      at: '2026-01-02T03:04:05.000Z',
      actor_source: 'token',
      actor_user_id: guild.moderatorId,
      actor_name: 'Juno',
      token_id: 'tok_1',
      token_name: 'night-watch',
      operation: 'bans.add',
      target_type: 'user',
      target_id: guild.memberId,
      target_name: 'Mallory',
      outcome: 'refused',
      code: 'RE_AUTH_REQUIRED',
      request_id: 'req_1',
      address: '192.0.2.7',
      digest: 'd1',
      action_id: 'act_1',
      details: { reason: 'raid' },
      count: 3,
      last_at: '2026-01-02T03:05:06.000Z',
    };
    const filters = { operation: 'bans.add' };
    const text = async (format: string, person = owner) =>
      (await download((await begin({ format, filters }, person)).body.href, person)).text();
    expect(JSON.parse(await text('jsonl'))).toEqual(expected);
    await grantRole(web.db, guild, guild.moderatorRoleId, ['audit.read']);
    const moderator = await signedIn(web, guild.moderatorId);
    expect(JSON.parse(await text('jsonl', moderator))).toEqual({ ...expected, address: null, details: null });
    const [head = '', row = ''] = (await text('csv')).trimEnd().split('\r\n');
    expect(head.replace('\uFEFF', '')).toBe(Object.keys(expected).join(','));
    const { details: _, ...plain } = expected;
    expect(row.split(',').filter((cell) => !cell.includes('reason'))).toEqual(
      Object.values(plain).map(String),
    );
  });

  it('has all rows that fit the filters, over many batches, in each format', async () => {
    await seedMany(2_345);
    await seedRow({ operation: 'bans.add' });
    const filters = { operation: 'strikes.add' };
    const csv = await begin({ format: 'csv', filters });
    expect(csv.status).toBe(201);
    const answer = await download(csv.body.href);
    expect(answer.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('Content-Disposition')).toMatch(
      /^attachment; filename="audit-\d+-[0-9a-f]{8}\.csv"$/,
    );
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    const lines = bytes.toString('utf8').trimEnd().split('\r\n');
    expect(lines).toHaveLength(2_346);
    expect(new Set(lines.slice(1).map((line) => line.slice(0, 36))).size).toBe(2_345);

    const { body } = await begin({ format: 'jsonl', filters });
    const objects = (await (await download(body.href)).text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(objects).toHaveLength(2_345);
    expect(objects[0]).toMatchObject({
      operation: 'strikes.add',
      outcome: 'performed',
      actor_source: 'system',
    });
  });

  it('has what was only read if that is asked for, as the page has', async () => {
    await query(
      `INSERT INTO audit (guild_id, actor_source, operation, outcome, is_read)
       VALUES ($1, 'token', 'bans.list', 'performed', true)`,
      [guild.id],
    );
    const lines = async (filters: object) => {
      const { body } = await begin({ format: 'csv', filters: { operation: 'bans.list', ...filters } });
      return (await (await download(body.href)).text()).trimEnd().split('\n').length - 1;
    };
    expect([await lines({}), await lines({ reads: 'shown' })]).toEqual([0, 1]);
  });

  it.each([
    ['no filter', {}],
    ['several filters', { source: 'token', operation: 'bans.list' }],
  ])('of %s has what is older than the reads that are forgotten on its way', async (_what, parameters) => {
    await seedOldReads();
    const filter = await searchFilter(web.db, guild.id, parameters, speech);
    const ids: string[] = [];
    for await (const batch of allAuditEntries(web.db, guild.id, { reads: true, filter })) {
      ids.push(...batch.map(({ id }) => id));
      await forgetReads();
    }
    expect(ids.slice(500)).toEqual(await keptIds());
  });

  it('with several filters has what is older than the reads that are forgotten while it looks', async () => {
    await seedOldReads();
    const filter = { source: 'token', operation: 'bans.list' } as const;
    const ids: string[] = [];
    for await (const batch of allAuditEntries(forgetsWhatIsFound(), guild.id, { reads: true, filter })) {
      ids.push(...batch.map(({ id }) => id));
    }
    expect(ids).toEqual(await keptIds());
  });

  it('is recorded in the audit log before a row of it leaves', async () => {
    const { body } = await begin({ format: 'csv', filters: { outcome: 'failed' } });
    const [entry] = await listAuditLog(web.db, guild.id, { reads: false, limit: 1 });
    expect(entry).toMatchObject({
      id: body.export_id,
      operation: 'audit.export',
      actorUserId: guild.ownerId,
      details: { format: 'csv', filters: { outcome: 'failed' } },
    });
  });

  it('is downloaded within two minutes of asking for it, and not later', async () => {
    const { body } = await begin({ format: 'csv' });
    const askedBefore = async (seconds: number) => {
      const { rows } = await query(
        `INSERT INTO audit (guild_id, at, actor_source, actor_user_id, operation, outcome, details)
         VALUES ($1, now() - make_interval(secs => $2), 'dashboard', $3, 'audit.export', 'performed',
           '{"format": "csv", "filters": {}}') RETURNING id`,
        [guild.id, seconds, guild.ownerId],
      );
      return (await download(body.href.replace(body.export_id, rows[0].id))).status;
    };
    expect([await askedBefore(90), await askedBefore(121)]).toEqual([200, 404]);
  });

  it.each([
    ['a lone surrogate', '\ud800'],
    ['a NUL', 'a\u0000b'],
  ])('of a search for %s, which PostgreSQL cannot store, is refused', async (_what, q) => {
    verifies('audit.export-unstorable');
    expect(await begin({ format: 'csv', filters: { q } })).toMatchObject({
      status: 422,
      body: { error: { code: 'VALIDATION_FAILED', details: { issues: [{ path: 'filters.q' }] } } },
    });
  });

  it('holds nothing that a spreadsheet would run', async () => {
    const dangerous = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '＝1+1', '＠SUM(A1)', 'a"b,c', "it's"];
    for (const name of dangerous) await seedRow({ token: { id: 'tok_1', name } });
    const { body } = await begin({ format: 'csv' });
    const text = await (await download(body.href)).text();
    for (const name of dangerous.slice(0, -2)) expect(text).toContain(`"'${name}"`);
    expect(text).toContain('"a""b,c"');
    expect(text).toContain(`"it's"`);
    expect(text).not.toMatch(/(^|,)"?\s*[=+@]/m);
  });

  it('holds nothing that a spreadsheet would run if it separated cells by semicolons', async () => {
    for (const name of [
      'a;=1+1',
      'a; =1+1;b',
      '"a"";@SUM(A1)',
      'a;"=1+1;b',
      'a\t-1',
      'a\n+1',
      'a;＝1+1',
      'a;b',
    ])
      await seedRow({ token: { id: 'tok_1', name } });
    const { body } = await begin({ format: 'csv' });
    const text = await (await download(body.href)).text();
    expect(text).toContain(`"a;'=1+1"`);
    expect(text).toContain(`"a;' =1+1;b"`);
    expect(text).toContain('"a;b"');
    // Two quotation marks at the start of a cell are an empty text, and what follows is read as if they were not there.
    const cells = text.split(/[;\t\r\n]/).map((each) => each.replace(/^[\s"]+/, ''));
    expect(cells.filter((each) => /^[=+\-@＝＋－＠]/.test(each))).toEqual([]);
  });

  it('is read no faster than its client takes it, and ends with its client', async () => {
    await query(
      `INSERT INTO audit (guild_id, at, actor_source, operation, outcome, details)
       SELECT $1, now() - n * interval '1 second', 'system', 'strikes.add', 'performed',
         jsonb_build_object('long', repeat('x', 4000)) FROM generate_series(1, 10000) AS n`,
      [guild.id],
    );
    const { pool } = web.runtime.db;
    const queries = vi.spyOn(pool, 'query');
    const batches = () =>
      queries.mock.calls.filter(([asked]) => JSON.stringify(asked).includes('AS parts')).length;
    const { body } = await begin({ format: 'jsonl' });
    const socket = connect(server.port, '127.0.0.1');
    socket.write(`GET ${body.href} HTTP/1.1\r\nHost: x\r\nCookie: ${owner.cookie}\r\n\r\n`);
    await once(socket, 'data');
    socket.pause();
    // The second request waits. Repeating it gives the first one time to run ahead.
    for (let n = 0; n < 100; n += 1) {
      expect(await owner.call('GET', body.href)).toMatchObject({
        status: 429,
        body: { error: { code: 'RATE_LIMITED' } },
      });
    }
    expect(batches()).toBeGreaterThan(0);
    expect(batches()).toBeLessThan(6);
    socket.destroy();
    const again = { format: 'csv', filters: { operation: 'bans.add' } };
    let href = '';
    await expect
      .poll(async () => {
        const { status, body: begun } = await begin(again);
        href = begun.href;
        return status;
      })
      .toBe(201);
    expect((await download(href)).status).toBe(200);
    await expect.poll(() => pool.totalCount - pool.idleCount).toBe(0);
    expect(batches()).toBeLessThan(8);
    queries.mockRestore();
  });

  it.each([
    ['their session has ended', () => query('DELETE FROM sessions WHERE user_id = $1', [guild.ownerId])],
    [
      'they may not read the log any more',
      () => query('UPDATE guilds SET owner_id = $2 WHERE id = $1', [guild.id, guild.strangerId]),
    ],
    [
      'they own the guild no more, and may read the log without addresses',
      async () => {
        await grantRole(web.db, guild, guild.id, ['audit.read']);
        await query('UPDATE guilds SET owner_id = $2 WHERE id = $1', [guild.id, guild.strangerId]);
      },
    ],
  ])('breaks off for whoever reads it once %s', async (_what, end) => {
    verifies('audit.export-ends');
    // More than a connection holds.
    await query(
      `INSERT INTO audit (guild_id, at, actor_source, operation, outcome, details)
       SELECT $1, now() - n * interval '1 second', 'system', 'strikes.add', 'performed',
         jsonb_build_object('long', repeat('x', 4000)) FROM generate_series(1, 10000) AS n`,
      [guild.id],
    );
    const answer = await download((await begin({ format: 'jsonl' })).body.href);
    expect(answer.status).toBe(200);
    await end();
    await expect(answer.text()).rejects.toThrow('terminated');
  });

  it('runs once at a time for a person, also when two are fetched at once', async () => {
    verifies('audit.export-one-at-a-time');
    // More than a connection holds, so that an export that began is still running, and a search that takes its time.
    await query(
      `INSERT INTO audit (guild_id, at, actor_source, operation, outcome, details)
       SELECT $1, now() - n * interval '1 second', 'system', 'strikes.add', 'performed',
         jsonb_build_object('long', repeat('x', 4000)) FROM generate_series(1, 5000) AS n`,
      [guild.id],
    );
    await query(
      `INSERT INTO members (guild_id, user_id, username, display_name, role_ids)
       SELECT $1, (8 * 10::numeric ^ 17 + n)::text, 'member', 'Member', '{}' FROM generate_series(1, 20000) AS n`,
      [guild.id],
    );
    const hrefs = await Promise.all(
      Array.from(
        { length: 6 },
        async () => (await begin({ format: 'jsonl', filters: { q: 'strike' } })).body.href,
      ),
    );
    const answers = await Promise.all(hrefs.map((href) => download(href)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 429, 429, 429, 429, 429]);
    // Said where it is asked for: a browser would show the answer to a download in place of the dashboard.
    expect(await begin({ format: 'csv' })).toMatchObject({
      status: 429,
      body: { error: { message: 'An export of yours is still running. Wait for the end.' } },
    });
    expect((await owner.call('POST', `/api/guilds/${guild.id}/archive`, {})).status).toBe(429);
    const begun = await query("SELECT FROM audit WHERE guild_id = $1 AND operation LIKE '%.export'", [
      guild.id,
    ]);
    expect(begun.rows).toHaveLength(hrefs.length);
    for (const answer of answers) await answer.body?.cancel();
    await expect.poll(async () => (await download(hrefs[0])).status).toBe(200);
  });

  it('runs twice at a time for a guild, and other guilds need not wait for that', async () => {
    verifies('audit.export-paced');
    // More than a connection holds, so that an export that began is still running.
    await query(
      `INSERT INTO audit (guild_id, at, actor_source, operation, outcome, details)
       SELECT $1, now() - n * interval '1 second', 'system', 'strikes.add', 'performed',
         jsonb_build_object('long', repeat('x', 4000)) FROM generate_series(1, 10000) AS n`,
      [guild.id],
    );
    await grantRole(web.db, guild, guild.moderatorRoleId, ['audit.read']);
    await grantRole(web.db, guild, guild.memberRoleId, ['audit.read']);
    const others = await Promise.all([guild.moderatorId, guild.memberId].map((id) => signedIn(web, id)));
    const people = [owner, ...others];
    const hrefs = await Promise.all(
      people.map(async (person) => (await begin({ format: 'jsonl' }, person)).body.href),
    );
    const running = [await download(hrefs[0], people[0]), await download(hrefs[1], people[1])];
    expect(running.map(({ status }) => status)).toEqual([200, 200]);
    const third = await download(hrefs[2], people[2]);
    expect(third.status).toBe(429);
    expect(await third.json()).toMatchObject({
      error: { message: 'Other exports of this server are still running. Wait for the end.' },
    });
    const another = await seedGuild(web.db);
    const neighbour = await signedIn(web, another.ownerId);
    const { body } = await neighbour.call('POST', exportsOf(another.id), { format: 'csv' });
    const answer = await download(body.href, neighbour);
    expect([answer.status, (await answer.text()).split('\r\n')[0]]).toEqual([
      200,
      expect.stringContaining('id,at'),
    ]);
    for (const each of running) await each.body?.cancel();
    await expect.poll(async () => (await download(hrefs[2], people[2])).status).toBe(200);
  });

  it('is for who may read the log: others get what they would for a guild that is not there, or a refusal', async () => {
    const foreign = await seedGuild(web.db);
    for (const id of [foreign.id, '999999999999999999']) {
      expect((await owner.call('POST', exportsOf(id), { format: 'csv' })).status).toBe(404);
    }
    await grantRole(web.db, guild, guild.moderatorRoleId, ['tickets.read']);
    const moderator = await signedIn(web, guild.moderatorId);
    const refused = await begin({ format: 'csv' }, moderator);
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'CAPABILITY_DENIED' } } });

    const { body } = await begin({ format: 'csv' });
    await grantRole(web.db, guild, guild.moderatorRoleId, ['audit.read']);
    expect((await moderator.call('GET', body.href)).status).toBe(404); // only the owner may fetch it
  });

  it('tells addresses and the details of changes to the owner only', async () => {
    verifies('privacy.addresses');
    await query(
      `INSERT INTO audit (guild_id, actor_source, operation, outcome, details, address)
       VALUES ($1, 'dashboard', 'grants.update', 'performed', '{"told": "to the owner"}', '198.51.100.77')`,
      [guild.id],
    );
    await grantRole(web.db, guild, guild.moderatorRoleId, ['audit.read']);
    const moderator = await signedIn(web, guild.moderatorId);
    const texts = await Promise.all(
      [owner, moderator].map(async (person) => {
        const { body } = await begin({ format: 'jsonl' }, person);
        return (await download(body.href, person)).text();
      }),
    );
    expect(texts.map((text) => text.includes('to the owner'))).toEqual([true, false]);
    expect(texts.map((text) => text.includes('198.51.100.77'))).toEqual([true, false]);
  });

  it.each([
    [{ format: 'xml' }],
    [{ format: 'csv', filters: { outcome: 'maybe' } }],
    [{ format: 'csv', filters: { secret: '1' } }],
  ])('is not begun for %j', async (body) => {
    expect(await begin(body)).toMatchObject({ status: 422, body: { error: { code: 'VALIDATION_FAILED' } } });
  });

  it('is begun twenty times in an hour, and not more', async () => {
    for (let n = 0; n < 20; n += 1) expect((await begin({ format: 'csv' })).status).toBe(201);
    expect(await begin({ format: 'csv' })).toMatchObject({
      status: 429,
      body: { error: { code: 'RATE_LIMITED' } },
    });
  });
});
