import { CAPABILITIES, CASE_KIND_NAMES, type Capability, callOf, type InputOf } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { Bindings } from '@bailiff/prisma';
import { createTestDatabase, declaredStatements, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readForPage } from '#src/calls/read-call.ts';
import { performForPerson } from '#src/calls/write-call.ts';
import { caseFile, issuersOfCases, listCases } from '#src/cases/case-list.ts';
import { type CaseFilters, caseSearchText } from '#src/cases/case-search.ts';
import { type CaseRow, openCase } from '#src/cases/cases.ts';
import { standingOf } from '#src/cases/escalation.ts';
import { inTransaction } from '#src/database/transaction.ts';
import { createWaiters } from '#src/database/waiters.ts';
import { runningActions } from '#src/desk/running-actions.ts';
import type { Engine } from '#src/engine.ts';
import { memberNames, updateGrants, type Viewer } from '#src/guilds/guilds.ts';
import { identitiesOf } from '#src/guilds/people.ts';
import { searchPeople } from '#src/guilds/people-search.ts';
import { gameTargets } from '#src/servers/game-targets.ts';
import { deskServer, deskServers, judgeFor, listRuns } from '#src/servers/server-console.ts';
import { giveTime, grantRole, type SeededGuild, seedGuild, snowflake } from '#src/testing.ts';
import { countTickets, listTickets, mayLackChannel, ticketFile } from '#src/tickets/ticket-list.ts';
import { openTicket, ticketHandlers } from '#src/tickets/tickets.ts';
import { NEWEST_PART, type PartStart, partOf, transcriptPart } from '#src/tickets/transcript-parts.ts';
import { tokenNames } from '#src/tokens/token-view.ts';
import { learnName } from './learn-name.ts';

let test: TestDatabase;
let guild: SeededGuild;
let owner: Viewer;

beforeAll(() => giveTime('database'));
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  guild = await seedGuild(test.database);
  owner = { id: guild.id, isOwner: true, capabilities: CAPABILITIES };
});

const db = () => test.database;
const query = async (sql: string, values: unknown[] = []) => (await db().pool.query(sql, values)).rows;
const holding = (...capabilities: Capability[]): Viewer => ({ id: guild.id, isOwner: false, capabilities });
const denied = (missing: Capability) => ({ code: 'CAPABILITY_DENIED', details: { missing: [missing] } });

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** How many rows of a table an explained statement read. */
function rowsRead(node: PlanNode, table: string): number {
  const own = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
  const below = (node.Plans ?? []).map((each) => rowsRead(each, table));
  return below.reduce(
    (sum, rows) => sum + rows,
    node['Relation Name'] === table ? own * node['Actual Loops'] : 0,
  );
}

/** A case, given a number of days ago. */
async function give(
  fields: Partial<Parameters<typeof openCase>[1]> = {},
  daysAgo = 0,
  guildId = guild.id,
): Promise<CaseRow> {
  const row = await inTransaction(db(), (tx) =>
    openCase(tx, {
      guildId,
      kind: 'strike',
      userId: guild.strangerId,
      reason: 'Spam',
      issuedBy: guild.moderatorId,
      actionId: null,
      ...(fields.kind === 'ban' || fields.kind === 'mute' ? {} : { severity: 'minor' as const }),
      ...fields,
    }),
  );
  await query(
    `UPDATE cases SET issued_at = issued_at - make_interval(days => $2), expires_at = expires_at - make_interval(days => $2)
     WHERE id = $1`,
    [row.id, daysAgo],
  );
  return row;
}

const numbers = async (filters: CaseFilters, viewer = owner) =>
  (await listCases(db(), viewer, filters, { limit: 50 })).rows.map(({ case_number }) => case_number);

describe('the list of cases', () => {
  it('is of the kinds that its reader may read, whatever they look for', async () => {
    await give({ reason: 'first spam' });
    await give({ kind: 'ban', reason: 'spam again' });
    await give({ kind: 'mute', reason: 'more spam', durationMinutes: 60 });
    expect(await numbers({})).toEqual([3, 2, 1]);
    const reader = holding('bans.read');
    for (const filters of [{}, { words: 'spam' }, { userId: guild.strangerId }]) {
      expect(await numbers(filters, reader)).toEqual([2]);
    }
    expect(await numbers({ kind: 'strike' }, reader)).toEqual([]);
    expect(await caseFile(db(), reader, 1)).toBeNull();
    await expect(numbers({}, holding('tickets.read'))).rejects.toMatchObject(denied('strikes.read'));
  });

  it('has no case of another guild', async () => {
    const other = await seedGuild(db());
    await give({ reason: 'elsewhere' }, 0, other.id);
    expect(await numbers({ words: 'elsewhere' })).toEqual([]);
    expect(await numbers({})).toEqual([]);
    expect(await issuersOfCases(db(), owner)).toEqual([]);
  });

  it('knows what is in force, what was ended and what ran out', async () => {
    await give(); // 1, in force
    const removed = await give(); // 2
    await give({ kind: 'ban' }); // 3, permanent
    await give({ kind: 'mute', durationMinutes: 60 }); // 4, in force
    await give({ kind: 'mute', durationMinutes: 60 }, 1); // 5, ran out
    await give({ kind: 'ban', durationMinutes: 60 }, 2); // 6, ran out, not lifted yet
    await query('UPDATE cases SET ended_at = now() WHERE id = $1', [removed.id]);
    expect(await numbers({ standing: 'in_force' })).toEqual([4, 3, 1]);
    expect(await numbers({ standing: 'ended' })).toEqual([2, 5, 6]);
    expect(await numbers({ standing: 'ended', kind: 'mute' })).toEqual([5]);
    expect(await numbers({ standing: 'ended', words: 'spam' })).toEqual([2, 5, 6]);
  });

  it('knows which bans have run out and could not be lifted', async () => {
    await give({ kind: 'ban', durationMinutes: 60 }, 2); // 1, about to be lifted
    const stands = await give({ kind: 'ban', durationMinutes: 60 }, 2); // 2
    const soft = await give({ kind: 'softban' }); // 3
    const lifted = await give({ kind: 'ban', durationMinutes: 60 }, 2); // 4, since
    const mute = await give({ kind: 'mute', durationMinutes: 60 }); // 5, its timeout cannot be renewed
    await query('UPDATE cases SET end_failed_at = now() WHERE id = ANY ($1)', [
      [stands, soft, lifted, mute].map(({ id }) => id),
    ]);
    await query('UPDATE cases SET ended_at = now() WHERE id = $1', [lifted.id]);
    expect(await numbers({ standing: 'overdue' })).toEqual([3, 2]);
    expect(await numbers({ standing: 'overdue', words: 'spam' })).toEqual([3, 2]);
    expect(await numbers({ standing: 'overdue', kind: 'ban' })).toEqual([2]);
    expect(await numbers({ standing: 'overdue', kind: 'strike' })).toEqual([]);
  });

  it('is found by member, moderator and days', async () => {
    const userId = snowflake();
    await give({ userId }, 10);
    await give({ issuedBy: guild.ownerId }, 5);
    await give({ userId, issuedBy: guild.ownerId });
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    expect(await numbers({ userId })).toEqual([3, 1]);
    expect(await numbers({ issuedBy: guild.ownerId })).toEqual([3, 2]);
    expect(await numbers({ userId, issuedBy: guild.ownerId })).toEqual([3]);
    expect(await numbers({ from: daysAgo(6) })).toEqual([3, 2]);
    expect(await numbers({ until: daysAgo(4) })).toEqual([2, 1]);
    expect(await numbers({ from: daysAgo(6), until: daysAgo(4) })).toEqual([2]);
    expect((await issuersOfCases(db(), owner)).toSorted()).toEqual(
      [guild.moderatorId, guild.ownerId].toSorted(),
    );
  });

  it.each([
    ['a word', 'griefing', true],
    ['its beginning', 'grief', true],
    ['its middle', 'iefing', false],
    ['in capitals', 'GRIEFING', true],
    ['several words in any order', 'market griefing', true],
    ['a word that is not there', 'griefing harbour', false],
    ['a part of an address', 'scam', true],
    ['a letter beyond ASCII', 'ÜBER', true],
    ['a category', 'world', true],
    ['a name in the game', 'steve', true],
    ['what only looks like a query', "griefing' & !market:*", true],
    ['punctuation alone', '?!', true],
  ])('is found by %s', async (_what, words, found) => {
    await give({
      reason: 'Griefing at the market, über https://scam.example/x',
      category: 'world',
      playerName: 'Steve_99',
    });
    expect(await numbers({ words })).toEqual(found ? [1] : []);
  });

  it('is found by words of every script, whatever stands around them', async () => {
    const spelled = [
      ['“idiot”', 'idiot'],
      ['«дурак»', 'ДУРАК'],
      ['„dummkopf“', 'dummkopf'],
      ['it’s', 'it’s'],
      ['l’insulte', 'insulte'],
      ['spam—scam', 'scam'],
      ['不当行为，刷屏', '刷屏'],
      ['🔥griefing', 'griefing'],
      ['⚔️raid 1️⃣doxxing', 'doxxing raid'],
      ['¿Trampa?', '¿trampa?'],
      ['لماذا؟سب', 'سب'],
      ['flood·2x²', '2x²'],
      ['สวัสดี ครับ', 'สวัสดี'],
      ['हिन्दी।गाली', 'हिन्दी गाली'],
      ['İstanbul', 'İstanbul'],
      ['می‌خواهم', 'می‌خواهم'],
      ['cafe\u0301', 'CAFE\u0301'],
      ['ΟΔΟΣ', 'ΟΔΟΣ'],
    ] as const;
    for (const [reason] of spelled) await give({ reason });
    const missing = async (): Promise<string[]> => {
      const numbersOf = await Promise.all(spelled.map(([, words]) => numbers({ words })));
      return spelled.filter((_, at) => numbersOf[at]?.join() !== String(at + 1)).map(([, words]) => words);
    };
    expect(await missing(), 'not found among the newest').toEqual([]);
    // More than are read before the index of words is used.
    await query(
      `INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by)
       SELECT new_id('str'), $1, 100 + n, 'strike', $2, 'else', $3 FROM generate_series(1, 1200) AS n`,
      [guild.id, guild.strangerId, guild.moderatorId],
    );
    expect(await missing(), 'not found in the index').toEqual([]);
  });

  it('has no letter and no digit of any script that separates words', async () => {
    const characters = Array.from({ length: 0x2_00_00 }, (_, at) => String.fromCodePoint(at));
    const letters = characters.filter((each) => /[\p{L}\p{N}]/u.test(each)).join('');
    const [{ words }] = await query('SELECT length(case_search_words($1, $2, NULL, NULL, NULL)) AS words', [
      guild.id,
      letters,
    ]);
    expect(words).toBe(1);
  });

  it('has no space, punctuation or symbol of the first plane of Unicode that stands within a word', async () => {
    const characters = Array.from({ length: 0xff_ff }, (_, at) => String.fromCharCode(at + 1));
    const between = characters.filter((each) => /[\p{Z}\p{P}\p{S}]/u.test(each));
    expect(between.length).toBeGreaterThan(4000);
    const joining = await query(
      `SELECT each FROM unnest($2::text[]) AS each
       WHERE length(case_search_words($1, 'spam' || each || 'scam', NULL, NULL, NULL)) <> 2`,
      [guild.id, between],
    );
    expect(joining).toEqual([]);
  });

  it('pages to the end and back without a gap, whatever the filter', async () => {
    for (let made = 0; made < 13; made += 1) {
      await give(made % 2 === 0 ? {} : { kind: 'ban', reason: 'Raid, with spam' }, made === 4 ? 3 : 0);
    }
    for (const filters of [{}, { words: 'spam' }, { standing: 'in_force' as const }]) {
      const forth: number[] = [];
      let sheet = await listCases(db(), owner, filters, { limit: 5 });
      expect(sheet.newer).toBeNull();
      for (;;) {
        forth.push(...sheet.rows.map(({ case_number }) => case_number));
        if (sheet.older === null) break;
        sheet = await listCases(db(), owner, filters, { before: sheet.older, limit: 5 });
      }
      expect(forth).toEqual([13, 12, 11, 10, 9, 8, 7, 6, 4, 3, 2, 1, 5]);
      const back = [...sheet.rows.map(({ case_number }) => case_number)];
      while (sheet.newer !== null) {
        sheet = await listCases(db(), owner, filters, { after: sheet.newer, limit: 5 });
        back.unshift(...sheet.rows.map(({ case_number }) => case_number));
      }
      expect(back).toEqual(forth);
    }
  });

  it('begins anew next to a case that is gone meanwhile, and does not seem to end there', async () => {
    for (let made = 0; made < 5; made += 1) await give();
    const sheet = await listCases(db(), owner, {}, { limit: 2 });
    await query('DELETE FROM cases WHERE guild_id = $1 AND case_number = 4', [guild.id]);
    const pageFrom = async (start: object) => {
      const { rows } = await listCases(db(), owner, {}, { ...start, limit: 2 });
      return rows.map(({ case_number }) => case_number);
    };
    expect(sheet.older).toBe(4);
    expect(await pageFrom({ before: 4 })).toEqual([5, 3]);
    expect(await pageFrom({ after: 4 }), 'the newest ones, not the oldest').toEqual([5, 3]);
    const { older, newer } = await listCases(db(), owner, { words: 'spam' }, { after: 4, limit: 2 });
    expect([older, newer]).toEqual([3, null]);
    expect(await pageFrom({ after: 5 }), 'what was newer is gone').toEqual([5, 3]);
  });
});

it('a search for words reads the newest cases, and all others only through the index of words', async () => {
  verifies('cases.search.index');
  await query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by, issued_at)
     SELECT new_id('str'), $1, n, 'strike', $2, CASE n WHEN 1 THEN 'zebra' ELSE 'spam' END, $3, now() - make_interval(mins => 9000 - n)
     FROM generate_series(1, 8000) AS n`,
    [guild.id, guild.strangerId, guild.moderatorId],
  );
  await query('ANALYZE cases');
  const read = async (words: string) => {
    const bindings = new Bindings();
    const text = caseSearchText(
      { guildId: guild.id, kinds: CASE_KIND_NAMES, filters: { words }, start: { limit: 50 } },
      bindings,
      { newest: 2_000, indexed: 1_000 },
    );
    const values = bindings.parameters.map((type, at) => type.encode(bindings.values[at]));
    const [explained] = await query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
    return rowsRead(explained['QUERY PLAN'][0].Plan, 'cases');
  };
  expect(await read('spam')).toBeLessThanOrEqual(2_000);
  expect(await read('zebra')).toBeLessThanOrEqual(2_001);
  expect(await numbers({ words: 'zebra' })).toEqual([1]);
  await query('DELETE FROM cases WHERE guild_id = $1', [guild.id]);
});

describe('a case', () => {
  const engine = (): Engine => ({ db: db(), waiters: createWaiters(), dashboardUrl: 'http://bailiff.test' });
  type Acts = 'strikes.add' | 'strikes.remove' | 'strikes.change' | 'cases.edit' | 'cases.link';
  const act = <N extends Acts>(operation: N, input: InputOf<N>) =>
    performForPerson(engine(), {
      ...callOf<Acts>(operation, input),
      guildId: guild.id,
      actor: { source: 'dashboard', userId: guild.ownerId },
      requestId: `req_${operation}`,
      address: '203.0.113.7',
    });

  it('tells who gave and who removed it, from where, and to its owner alone from which address', async () => {
    const { body } = await act('strikes.add', {
      user_id: guild.strangerId,
      reason: 'Spam',
      severity: 'major',
    });
    await act('strikes.remove', { strikeId: (body as { strike_id: string }).strike_id, reason: 'A mistake' });
    const file = await caseFile(db(), owner, 1);
    const origin = { source: 'dashboard', byHand: false, tokenName: null };
    expect(file).toMatchObject({
      row: { case_number: 1, active: false, end_reason: 'A mistake' },
      issued: { ...origin, address: '203.0.113.7', requestId: 'req_strikes.add' },
      ended: { ...origin, requestId: 'req_strikes.remove' },
      replacedBy: null,
    });
    expect(file?.audit.map(({ operation, outcome }) => [operation, outcome])).toEqual([
      ['strikes.add', 'requested'],
      ['strikes.add', 'performed'],
      ['strikes.remove', 'requested'],
      ['strikes.remove', 'performed'],
    ]);
    const moderators = await caseFile(db(), holding('strikes.read', 'audit.read'), 1);
    expect(JSON.stringify(moderators)).not.toContain('203.0.113.7');
    expect(moderators?.audit).toHaveLength(4);
    expect((await caseFile(db(), holding('strikes.read'), 1))?.audit).toEqual([]);
  });

  it('has what the audit log says of each change of it, and of its links', async () => {
    const { id: caseId } = await give();
    await give();
    await act('cases.edit', { caseId, reason: 'Spam in two channels' });
    await act('strikes.change', { strikeId: caseId, severity: 'major' });
    await act('cases.link', { caseId, other_number: 2 });
    const performed = (await caseFile(db(), owner, 1))?.audit.filter(
      ({ outcome }) => outcome === 'performed',
    );
    expect(performed?.map(({ operation }) => operation)).toEqual([
      'cases.edit',
      'strikes.change',
      'cases.link',
    ]);
  });

  it('has the newest of what was tried on it, and all that made it or changed it, however often something tries', async () => {
    const { body } = await act('strikes.add', {
      user_id: guild.strangerId,
      reason: 'Spam',
      severity: 'major',
    });
    const caseId = (body as { strike_id: string }).strike_id;
    await act('cases.edit', { caseId, reason: 'Spam in two channels' });
    await query(
      `INSERT INTO audit (guild_id, actor_source, actor_user_id, operation, target_type, target_id, outcome, request_id)
       SELECT $1, 'dashboard', $2, 'cases.edit', 'case', $3, 'failed', 'req_try_' || n FROM generate_series(1, 300) n`,
      [guild.id, guild.ownerId, caseId],
    );
    const file = await caseFile(db(), owner, 1);
    const tries = file?.audit.filter(({ outcome }) => outcome === 'failed').map((row) => row.request_id);
    expect(tries).toEqual(Array.from({ length: 100 }, (_, index) => `req_try_${201 + index}`));
    expect(file?.audit.filter(({ outcome }) => outcome === 'performed')).toMatchObject([
      { operation: 'strikes.add' },
      { operation: 'cases.edit' },
    ]);
    expect(file).toMatchObject({ issued: { source: 'dashboard' }, hasMoreAudit: true });
    await give();
    expect(await caseFile(db(), owner, 2)).toMatchObject({ hasMoreAudit: false });
  });

  it('says what became of the message to its target', async () => {
    verifies('cases.undelivered');
    const strike = { user_id: guild.strangerId, reason: 'Spam', severity: 'minor' } as const;
    await act('strikes.add', strike);
    expect(await caseFile(db(), owner, 1)).toMatchObject({ notice: null });
    await query(
      "INSERT INTO target_notices (action_id, state) SELECT action_id, 'closed' FROM cases WHERE guild_id = $1",
      [guild.id],
    );
    expect(await caseFile(db(), owner, 1)).toMatchObject({ notice: 'closed' });
  });

  it('that came by hand says so, and one that was replaced names the next', async () => {
    const first = await give({ kind: 'ban' });
    await query(
      `INSERT INTO audit (guild_id, actor_source, actor_user_id, operation, target_type, target_id, outcome, details)
       VALUES ($1, 'chat', $2, 'bans.add', 'user', $3, 'performed', $4)`,
      [guild.id, guild.moderatorId, guild.strangerId, JSON.stringify({ by_hand: true, case_id: first.id })],
    );
    await give({ kind: 'ban', actionId: 'act_next' });
    await query("UPDATE cases SET ended_at = now(), end_action_id = 'act_next' WHERE id = $1", [first.id]);
    await query(
      `INSERT INTO audit (guild_id, actor_source, actor_user_id, operation, target_type, target_id, outcome, action_id,
         request_id)
       VALUES ($1, 'dashboard', $2, 'bans.add', 'user', $3, 'performed', 'act_next', 'req_next')`,
      [guild.id, guild.moderatorId, guild.strangerId],
    );
    expect(await caseFile(db(), owner, 1)).toMatchObject({
      issued: { source: 'chat', byHand: true },
      ended: { source: 'dashboard', byHand: false, requestId: 'req_next' },
      replacedBy: 2,
    });
    expect(await caseFile(db(), owner, 2)).toMatchObject({ ended: null, replacedBy: null });
    expect(await caseFile(db(), owner, 3)).toBeNull();
  });
});

it('the points of a member are those of their latest 500 strikes', async () => {
  await query('INSERT INTO escalation_policies (guild_id, minor_points, major_points) VALUES ($1, 1, 100)', [
    guild.id,
  ]);
  await query("INSERT INTO escalation_steps (guild_id, points, sanction) VALUES ($1, 1000, 'ban')", [
    guild.id,
  ]);
  await query(
    `INSERT INTO cases (id, guild_id, case_number, kind, severity, user_id, reason, issued_by)
     SELECT new_id('str'), $1, n, 'strike', (CASE n WHEN 1 THEN 'major' ELSE 'minor' END)::"StrikeSeverity", $2, 'Spam', $3
     FROM generate_series(1, 501) AS n`,
    [guild.id, guild.strangerId, guild.moderatorId],
  );
  expect(await standingOf(db(), guild.id, guild.strangerId)).toMatchObject({ points: 500 });
});

describe('tickets', () => {
  const NOTHING_ASKED = { category: null, answers: [] };
  const open = (subject: string, openedBy = guild.strangerId) =>
    inTransaction(db(), (tx) =>
      openTicket(tx, { guildId: guild.id, subject, openedBy, channelId: snowflake(), ...NOTHING_ASKED }),
    );

  it('and what was written in them are for who may read them', async () => {
    await open('Where is my house?');
    const transcript = [
      { id: '1', author_id: guild.strangerId, author_name: 'a', sent_at: '', text: 'x', attachments: [] },
    ];
    await query("UPDATE tickets SET status = 'closed', transcript = $2 WHERE guild_id = $1", [
      guild.id,
      JSON.stringify(transcript),
    ]);
    expect(await ticketFile(db(), holding('tickets.read'), 1)).toMatchObject({
      ticket: { number: 1 },
      messages: 1,
    });
    expect(await transcriptPart(db(), holding('tickets.read'), 1, NEWEST_PART)).toEqual({
      ...{ messages: transcript, quoted: [] },
      ...{ from: 1, to: 2 },
    });
    for (const read of [
      () => ticketFile(db(), holding('tickets.write', 'members.read'), 1),
      () => transcriptPart(db(), holding('tickets.write', 'members.read'), 1, NEWEST_PART),
      () => listTickets(db(), holding('tickets.write'), {}, { limit: 5 }),
      () => countTickets(db(), holding('audit.read')),
    ]) {
      await expect(read()).rejects.toMatchObject(denied('tickets.read'));
    }
    const other = { ...owner, id: (await seedGuild(db())).id };
    expect(await ticketFile(db(), other, 1)).toBeNull();
    expect(await transcriptPart(db(), other, 1, NEWEST_PART)).toBeNull();
  });

  it('have transcripts of any length, read part by part, with what is replied to in other parts', async () => {
    verifies('tickets.transcript.parts');
    await open('Long');
    // The last message replies to the second, and the one before to the one before it.
    await query(
      `UPDATE tickets SET status = 'closed', transcript = (SELECT jsonb_agg(jsonb_build_object('id', n::text,
          'author_id', '1', 'author_name', 'a', 'sent_at', '', 'text', 'said ' || n, 'attachments', '[]'::jsonb,
          'reply_to', CASE n WHEN 450 THEN '2' WHEN 449 THEN '448' WHEN 448 THEN 'gone' END) ORDER BY n)
        FROM generate_series(1, 450) AS n) WHERE guild_id = $1`,
      [guild.id],
    );
    expect((await ticketFile(db(), owner, 1))?.messages).toBe(450);
    const read = async (start: PartStart) => {
      const found = await transcriptPart(db(), owner, 1, start);
      const ids = found?.messages.map(({ id }) => Number(id)) ?? [];
      const quoted = found?.quoted.map(({ message, place }) => [message.text, place]);
      return [found?.from, found?.to, ids[0], ids.at(-1), ids.length, quoted];
    };
    expect(await read(NEWEST_PART)).toEqual([351, 451, 351, 450, 100, [['said 2', 2]]]);
    expect(await read({ before: 351 })).toEqual([251, 351, 251, 350, 100, []]);
    expect(await read({ before: 51 })).toEqual([1, 51, 1, 50, 50, []]);
    expect(await read({ from: 2 })).toEqual([2, 102, 2, 101, 100, []]);
    expect(await read({ from: 449 })).toEqual([
      449,
      451,
      449,
      450,
      2,
      [
        ['said 2', 2],
        ['said 448', 448],
      ],
    ]);
    expect(await read({ from: 9_999 })).toEqual([450, 451, 450, 450, 1, [['said 2', 2]]]);
    const messages = (await transcriptPart(db(), owner, 1, { from: 1 }))?.messages ?? [];
    for (const start of [{ before: 451 }, { before: 40 }, { from: 1 }, { from: 99 }] as const) {
      const { messages: _, ...places } = partOf(messages, start);
      const ofTicket = { before: { from: 1, to: 101 }, 40: { from: 1, to: 40 } };
      expect([start, places]).toEqual([
        start,
        'from' in start
          ? { from: start.from, to: 101 }
          : start.before === 40
            ? ofTicket[40]
            : ofTicket.before,
      ]);
    }
    expect(partOf(messages, { from: 9_999 })).toEqual({ messages: messages.slice(-1), from: 100, to: 101 });
    // Fewer long messages fit, from either side.
    await query(
      "UPDATE tickets SET transcript = replace(transcript::text, 'said ', repeat('x', 4000))::jsonb WHERE guild_id = $1",
      [guild.id],
    );
    const newest = await read(NEWEST_PART);
    expect(newest.slice(1, 4)).toEqual([451, newest[0], 450]);
    expect(newest[4]).toBeLessThan(25);
    expect((await read({ from: 7 })).slice(0, 3)).toEqual([7, 7 + Number(newest[4]), 7]);
  });

  it('say whether a moderator may lack the channel, which was made for the roles that had tickets then', async () => {
    verifies('tickets.channel-may-lack');
    const [ticket] = await inTransaction(db(), async (tx) => [
      await openTicket(tx, {
        guildId: guild.id,
        subject: 'Help',
        openedBy: guild.memberId,
        channelId: '7',
        ...NOTHING_ASKED,
      }),
    ]);
    if (ticket === undefined) throw new Error('No ticket was opened.');
    const lacks = (userId = guild.moderatorId, isOwner = false) =>
      mayLackChannel(db(), { ...owner, isOwner, userId }, ticket);
    expect(await lacks()).toBe(true);
    await grantRole(db(), guild, guild.moderatorRoleId, ['tickets.write']);
    // Well after the ticket, also if the clock stepped back since that was opened.
    await query("UPDATE role_grants SET granted_at = now() + interval '1 minute'");
    expect(await lacks()).toBe(true);
    await query("UPDATE role_grants SET granted_at = now() - interval '1 day'");
    expect(await lacks()).toBe(false);
    const grants = (...capabilities: Capability[]) =>
      updateGrants(db(), { userId: guild.ownerId, requestId: 'req_1', address: '203.0.113.1' }, guild.id, [
        { roleId: guild.moderatorRoleId, capabilities },
      ]);
    // Something else that the role is granted later takes the channel from nobody; that it may write is new.
    await query("UPDATE role_grants SET capabilities = '{tickets.read}'");
    await grants('tickets.read', 'bans.read');
    expect(await lacks()).toBe(false);
    await grants('tickets.read', 'tickets.write');
    await query("UPDATE role_grants SET granted_at = granted_at + interval '1 minute'");
    expect(await lacks()).toBe(true);
    // The channel of a ticket that is opened again is a new one.
    const again = { ...ticket, reopened_at: new Date(Date.now() + 120_000) };
    expect(await mayLackChannel(db(), { ...owner, isOwner: false, userId: guild.moderatorId }, again)).toBe(
      false,
    );
    await query("UPDATE role_grants SET capabilities = '{bans.read}'");
    expect(await lacks()).toBe(true);
    expect([await lacks(guild.ownerId, true), await lacks(guild.memberId)]).toEqual([false, false]);
    await query('UPDATE roles SET permissions = 8 WHERE id = $1', [guild.moderatorRoleId]);
    expect(await lacks()).toBe(false);
  });

  it('are handed over to moderators of their own guild who are not timed out', async () => {
    const elsewhere = await seedGuild(test.database);
    for (const each of [guild, elsewhere]) {
      await grantRole(test.database, each, each.moderatorRoleId, ['tickets.write']);
    }
    const handlers = async () =>
      (await ticketHandlers(db().pool, guild.id, { except: null, most: 50 })).map(({ user_id }) => user_id);
    expect((await handlers()).toSorted()).toEqual([guild.ownerId, guild.moderatorId].toSorted());
    await query("UPDATE members SET timed_out_until = now() + interval '1 hour'");
    expect(await handlers()).toEqual([guild.ownerId]);

    // What another guild has learned names nobody here.
    await query('DELETE FROM members WHERE user_id = $1', [guild.ownerId]);
    await query(
      `INSERT INTO known_names (user_id, username, display_name, guild_ids) VALUES ($1, 'mira', 'Mira', ARRAY[$2])`,
      [guild.ownerId, elsewhere.id],
    );
    const ofOwner = () => ticketHandlers(db().pool, guild.id, { except: null, most: 50 });
    expect(await ofOwner()).toEqual([{ user_id: guild.ownerId, name: null }]);
    await query('UPDATE known_names SET guild_ids = ARRAY[$1]', [guild.id]);
    expect(await ofOwner()).toEqual([{ user_id: guild.ownerId, name: 'Mira' }]);
  });

  it('say whether they can still be opened again, which is for 14 days', async () => {
    await open('Where is my house?');
    const mayReopen = async () => (await ticketFile(db(), owner, 1))?.mayReopen;
    const seen = [await mayReopen()];
    for (const days of [13.9, 14.1]) {
      await query(
        `UPDATE tickets SET status = 'closed', closed_at = now() - make_interval(secs => 86400 * $2::float8)
         WHERE guild_id = $1`,
        [guild.id, days],
      );
      seen.push(await mayReopen());
    }
    expect(seen).toEqual([false, true, false]);
  });

  it('are found by state, opener, claimer and a part of the subject, page by page', async () => {
    for (const subject of ['A stolen house', 'A lost horse', '100% of my HOUSE burnt']) await open(subject);
    await open('About the rules', guild.memberId);
    await query("UPDATE tickets SET status = 'claimed', claimed_by = $2 WHERE guild_id = $1 AND number = 2", [
      guild.id,
      guild.moderatorId,
    ]);
    const found = async (filters: Parameters<typeof listTickets>[2]) =>
      (await listTickets(db(), owner, filters, { limit: 5 })).rows.map(({ number }) => number);
    expect(await found({ subject: 'house' })).toEqual([3, 1]);
    expect(await found({ subject: '%' })).toEqual([3]);
    expect(await found({ status: 'claimed' })).toEqual([2]);
    expect(await found({ claimedBy: guild.moderatorId })).toEqual([2]);
    expect(await found({ openedBy: guild.memberId })).toEqual([4]);
    expect(await countTickets(db(), owner)).toEqual({ open: 3, claimed: 1 });
    const page = await listTickets(db(), owner, {}, { before: 3, limit: 1 });
    expect([page.rows[0]?.number, page.newer, page.older]).toEqual([2, 2, 2]);
    const back = await listTickets(db(), owner, {}, { after: 2, limit: 2 });
    expect([back.rows.map(({ number }) => number), back.newer]).toEqual([[4, 3], null]);
  });
});

describe('what runs now', () => {
  it('is seen by who does it and by who may do the same, newest first', async () => {
    const ids = await query(
      `INSERT INTO actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by, state,
         target_id)
       SELECT $1, operation, '{}', '', 'chat', $2, 'req_1', now(), state::"ActionState", '9'
       FROM (VALUES ('messages.purge', 'running'), ('tickets.close', 'running'), ('bans.many', 'done'),
         ('bans.add', 'running')) AS each (operation, state) RETURNING id`,
      [guild.id, guild.moderatorId],
    );
    const seenBy = async (viewer: Viewer, userId: string) =>
      (await runningActions(db(), { ...viewer, userId })).map(({ operation }) => operation);
    expect(ids).toHaveLength(4);
    expect(await seenBy(holding(), guild.moderatorId)).toEqual(['tickets.close', 'messages.purge']);
    expect(await seenBy(holding('messages.purge'), guild.memberId)).toEqual(['messages.purge']);
    expect(await seenBy(holding('bans.write'), guild.memberId)).toEqual([]);
    expect(await seenBy({ ...owner, id: (await seedGuild(db())).id }, guild.ownerId)).toEqual([]);
  });

  it('says who stopped it first, whoever asks for that again', async () => {
    verifies('action.stop');
    const [running] = await query(
      `INSERT INTO actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by, state,
         target_id, lease_expires_at)
       VALUES ($1, 'messages.purge', '{}', '', 'chat', $2, 'req_1', now(), 'running', '9', now() + interval '1 hour')
       RETURNING id`,
      [guild.id, guild.moderatorId],
    );
    const engine = { db: db(), waiters: createWaiters(), dashboardUrl: 'http://bailiff.test' };
    for (const userId of [guild.moderatorId, guild.ownerId]) {
      await performForPerson(engine, {
        ...callOf('actions.stop', { actionId: running.id }),
        guildId: guild.id,
        actor: { source: 'dashboard', userId },
        requestId: `req_stop_${userId}`,
        address: '203.0.113.7',
      });
    }
    const [shown] = await runningActions(db(), { ...owner, userId: guild.ownerId });
    expect(shown).toMatchObject({ stoppedBy: guild.moderatorId });
  });
});

describe('tokens of one name', () => {
  it('are told apart by when they were made', async () => {
    await query(
      `INSERT INTO tokens (guild_id, issuer_id, name, kind, secret_hash, secret_last_four, capabilities, created_at)
       SELECT $1, $2, name, 'rest', sha256(name::bytea || hour::text::bytea), 'abcd', '{}',
         '2026-05-06 00:00+00'::timestamptz + make_interval(hours => hour)
       FROM (VALUES ('deploy', 1), ('deploy', 2), ('night', 3)) AS made (name, hour)`,
      [guild.id, guild.ownerId],
    );
    const names = (await tokenNames(db(), guild.id)).map(({ name }) => name);
    expect(names.toSorted()).toEqual(['deploy (2026-05-06 01:00)', 'deploy (2026-05-06 02:00)', 'night']);
  });
});

describe('people', () => {
  it('whom the mirror does not hold are named as on Discord, and found by that name once they are on record', async () => {
    const names = () => memberNames(db(), guild.id, [guild.strangerId, guild.moderatorId]);
    const found = async () =>
      (await searchPeople(db(), owner, 'blockbreak')).people.map((each) => each.displayName);
    const { [guild.moderatorId]: moderator } = await names();
    for (const userId of [guild.strangerId, guild.moderatorId]) {
      await learnName(db(), { userId, username: 'blockbreaker', displayName: 'Blockbreaker' });
    }
    expect(await names()).toEqual({ [guild.moderatorId]: moderator });
    expect(await found()).toEqual([]);
    await give();
    expect(await names()).toEqual({ [guild.strangerId]: 'Blockbreaker', [guild.moderatorId]: moderator });
    expect(await found()).toEqual(['Blockbreaker']);
  });

  it('are looked for among those of the guild, however many people other guilds have on record', async () => {
    verifies('tenants.people-search');
    const id = '(8 * 10::numeric ^ 17 + n)::text';
    await query(
      `INSERT INTO known_names (user_id, username, display_name)
       SELECT ${id}, 'blockbreaker' || n, 'Blockbreaker' FROM generate_series(1, 50000) AS n`,
    );
    await query('ALTER TABLE cases DISABLE TRIGGER USER'); // no job for each of these cases
    await query(
      `INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by)
       SELECT 'old_' || n, $1, -n, 'kick', ${id}, 'spam', 'm' FROM generate_series(60001, 80000) AS n`,
      [guild.id],
    );
    await query('ALTER TABLE cases ENABLE TRIGGER USER');
    await query('ANALYZE known_names, cases');
    await learnName(db(), {
      userId: guild.strangerId,
      username: 'blockbreaker',
      displayName: 'Blockbreaker',
    });
    await give();
    const { people } = await searchPeople(db(), owner, 'blockbreak');
    expect(people.map(({ userId }) => userId)).toEqual([guild.strangerId]);
    const [search] = declaredStatements().filter(({ text }) => text.includes('name_part($2)'));
    const [explained] = await query(`EXPLAIN (ANALYZE, FORMAT JSON) ${search?.text}`, [
      guild.id,
      'blockbreak',
      CASE_KIND_NAMES,
      true,
      'blockbreak%',
    ]);
    expect(rowsRead(explained['QUERY PLAN'][0].Plan, 'known_names')).toBeLessThan(10);
    await query("DELETE FROM known_names WHERE user_id LIKE '800%'");
  });

  it('are found by any three letters, whatever the case, the accents and the characters that nobody sees', async () => {
    verifies('people.search');
    await query('UPDATE members SET display_name = $3 WHERE guild_id = $1 AND user_id = $2', [
      guild.id,
      guild.moderatorId,
      'José\u200bphine Ødegård',
    ]);
    const found = async (text: string) =>
      (await searchPeople(db(), owner, text)).people.map(({ userId }) => userId);
    for (const text of ['jos', 'sep', 'SÉP', 'ode', 'gard', 'josephine o', 'jo', 'J', '𝓳𝓸𝓼', ' gar '])
      expect(await found(text), text).toEqual([guild.moderatorId]);
    // Fewer than three letters are looked for at the beginning.
    for (const text of ['ph', 'xos', '\u200b', '%', '_os']) expect(await found(text), text).toEqual([]);
  });

  it('are found by name, id, and who they are in the game, as far as their cases may be read', async () => {
    await query("UPDATE members SET display_name = 'Juno Okafor' WHERE guild_id = $1 AND user_id = $2", [
      guild.id,
      guild.moderatorId,
    ]);
    await give({ playerName: 'Steve_99', inGameId: 'STEAM_1' });
    const found = async (text: string, viewer = owner) =>
      (await searchPeople(db(), viewer, text)).people.map(({ userId }) => userId);
    expect(await found('okaf')).toEqual([guild.moderatorId]);
    expect(await found('steve')).toEqual([guild.strangerId]);
    expect(await found('steam_1')).toEqual([guild.strangerId]);
    expect(await found('s_eve')).toEqual([]);
    expect(await found(guild.strangerId)).toEqual([guild.strangerId]);
    expect(await found('')).toEqual([guild.strangerId]);
    const reader = holding('members.read');
    for (const text of ['steve', '']) expect(await found(text, reader)).toEqual([]);
    const byId = (await searchPeople(db(), reader, guild.strangerId)).people;
    expect(byId).toMatchObject([{ displayName: null, inGuild: null, isBanned: null, latestCase: null }]);
    expect(await identitiesOf(db(), reader, guild.strangerId)).toEqual([]);
    expect(await identitiesOf(db(), owner, guild.strangerId)).toMatchObject([{ playerName: 'Steve_99' }]);
    // As an import brings them: numbered last, and older.
    for (const playerName of ['Steve_99', 'Steve_97']) await give({ playerName, inGameId: 'STEAM_1' }, 900);
    expect(await identitiesOf(db(), owner, guild.strangerId)).toMatchObject([
      { playerName: 'Steve_99', caseNumber: 1 },
      { playerName: 'Steve_97', caseNumber: 3 },
    ]);
    await expect(found('okaf', holding('strikes.read'))).rejects.toMatchObject(denied('members.read'));
  });

  it('are banned while a ban stands that has run out and could not be lifted', async () => {
    const ban = await give({ kind: 'ban', durationMinutes: 60 }, 1);
    const isBanned = async (viewer = owner) =>
      (await searchPeople(db(), viewer, guild.strangerId)).people.map((each) => each.isBanned);
    expect(await isBanned()).toEqual([false]);
    await query('UPDATE cases SET end_failed_at = now() WHERE id = $1', [ban.id]);
    expect(await isBanned()).toEqual([true]);
    expect(await isBanned(holding('members.read'))).toEqual([null]);
    await query('UPDATE cases SET ended_at = now() WHERE id = $1', [ban.id]);
    expect(await isBanned()).toEqual([false]);
  });

  it('and notes on them are read for a page without a row in the audit log, by who may', async () => {
    const input = { user_id: guild.strangerId };
    const reader = { ...holding('members.read'), userId: guild.moderatorId };
    expect(await readForPage(db(), reader, 'notes.list', input)).toEqual({ data: [] });
    await expect(
      readForPage(db(), { ...holding('strikes.write'), userId: guild.moderatorId }, 'notes.list', input),
    ).rejects.toMatchObject(denied('members.read'));
    expect(await query('SELECT FROM audit WHERE guild_id = $1', [guild.id])).toEqual([]);
  });
});

describe('the console of a game server', () => {
  let serverId: string;
  beforeEach(async () => {
    const rows = await query(
      `INSERT INTO game_servers (guild_id, name, host, port, password_sealed, deny_patterns, created_by, problem)
       VALUES ($1, 'Survival', 'play.example.com', 25575, '', '{"op *"}', $2, 'secret host') RETURNING id`,
      [guild.id, guild.ownerId],
    );
    serverId = rows[0].id;
    await query(
      `INSERT INTO actions (id, guild_id, operation, input, digest, target_type, target_id, state, actor_source,
         actor_user_id, request_id, claim_by, result)
       SELECT 'act_' || lpad(n::text, 12, '0') || substr(md5($2), 1, 20), $1, 'servers.rcon', jsonb_build_object('command', 'say ' || n), '', 'server', $2,
         'done', 'chat', $3, 'req', now(), jsonb_build_object('run', jsonb_build_object('output', repeat('x', n * 5000),
           'truncated', false, 'duration_ms', 12)) FROM generate_series(1, 3) AS n`,
      [guild.id, serverId, guild.moderatorId],
    );
  });

  it('shows what was run to who may run commands, in pieces of bounded size', async () => {
    const { rows, older, newer } = await listRuns(db(), holding('servers.rcon'), serverId, { limit: 2 });
    expect(rows.map(({ command, output, truncated }) => [command, output?.length, truncated])).toEqual([
      ['say 3', 8000, true],
      ['say 2', 8000, true],
    ]);
    const last = await listRuns(db(), owner, serverId, { before: older ?? '', limit: 2 });
    expect(last.rows).toMatchObject([{ command: 'say 1', truncated: false, durationMs: 12 }]);
    expect([newer, last.older]).toEqual([null, null]);
    await expect(listRuns(db(), holding('servers.read'), serverId, { limit: 2 })).rejects.toMatchObject(
      denied('servers.rcon'),
    );
  });

  it('lists what cases carried there beside the commands, in time order and in pieces', async () => {
    verifies('games.in-history');
    const sanction = (server: string, id: number, more: object = {}) =>
      query(
        `INSERT INTO actions (id, guild_id, operation, input, digest, target_type, target_id, state, actor_source,
           actor_user_id, request_id, claim_by, result, error)
         VALUES ('act_' || lpad($5::text, 12, '0') || repeat('g', 20), $1, 'servers.sanction', jsonb_build_object(
           'server_id', $2::text, 'user_id', $3::text, 'identity_id', 'idn_1', 'case_number', 42, 'does', 'ban'), '',
           'user', $3, 'done', 'chat', $4, 'req', now(), $6, NULL)`,
        [guild.id, server, guild.strangerId, guild.moderatorId, id, more],
      );
    const sanctioned = { sanctioned: { in_game_id: 'Alex', said: 'Banned Alex', does: 'ban', lasts: true } };
    await sanction(serverId, 2, sanctioned);
    await sanction(serverId, 9, sanctioned);
    await sanction('srv_of_somebody_else', 8, sanctioned);
    const first = await listRuns(db(), holding('servers.rcon'), serverId, { limit: 3 });
    const shown = (rows: typeof first.rows) =>
      rows.map(({ command, sanction: of }) => command ?? of?.caseNumber);
    expect(shown(first.rows)).toEqual(['42', 'say 3', '42']);
    expect(first.rows[0]).toMatchObject({
      sanction: { does: 'ban', userId: guild.strangerId, inGameId: 'Alex', caseNumber: '42' },
      userId: guild.moderatorId,
      output: 'Banned Alex',
      state: 'done',
    });
    const rest = await listRuns(db(), holding('servers.rcon'), serverId, {
      before: first.older ?? '',
      limit: 3,
    });
    expect(shown(rest.rows)).toEqual(['say 2', 'say 1']);
    const back = await listRuns(db(), holding('servers.rcon'), serverId, {
      after: rest.newer ?? '',
      limit: 3,
    });
    expect(shown(back.rows)).toEqual(['42', 'say 3', '42']);
  });

  it('is of the reader’s own guild, and tells each what they may know', async () => {
    expect(await deskServers(db(), holding('servers.rcon'))).toMatchObject([
      { address: null, problem: null },
    ]);
    expect(await deskServer(db(), holding('servers.read'), serverId)).toMatchObject({
      address: { host: 'play.example.com', port: 25_575 },
      problem: null,
    });
    await expect(deskServers(db(), holding('bans.read'))).rejects.toMatchObject(denied('servers.read'));
    const elsewhere = { ...owner, id: (await seedGuild(db())).id };
    expect(await deskServer(db(), elsewhere, serverId)).toBeNull();
    expect((await listRuns(db(), elsewhere, serverId, { limit: 2 })).rows).toEqual([]);
    await expect(judgeFor(db(), elsewhere, serverId, 'list')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is offered for a sanction of a person of its own guild only', async () => {
    await query("UPDATE game_servers SET game = 'minecraft', kick_template = 'kick {player}' WHERE id = $1", [
      serverId,
    ]);
    const elsewhere = await seedGuild(test.database);
    for (const { id } of [guild, elsewhere]) {
      await query(
        `INSERT INTO identities (guild_id, user_id, platform, in_game_id, key, set_by)
         VALUES ($1, $2, 'minecraft', 'Steve', 'steve', $2)`,
        [id, guild.strangerId],
      );
    }
    const offered = async (guildId: string) =>
      (await gameTargets(db().pool, guildId, guild.strangerId)).kick.map((target) => target.serverId);
    expect([await offered(guild.id), await offered(elsewhere.id)]).toEqual([[serverId], []]);
  });

  it('says what the policy makes of a command before it is sent', async () => {
    expect(await judgeFor(db(), holding('servers.rcon'), serverId, 'op alex')).toEqual({
      allowed: false,
      pattern: 'op *',
    });
    expect(await judgeFor(db(), owner, serverId, 'list')).toEqual({ allowed: true, pattern: null });
    await expect(judgeFor(db(), holding('servers.read'), serverId, 'list')).rejects.toMatchObject(
      denied('servers.rcon'),
    );
  });
});
