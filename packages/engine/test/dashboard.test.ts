import { ApiError } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listAuditLog } from '#src/audit/audit-log.ts';
import { patience } from '#src/database/database-errors.ts';
import { lookInTurn } from '#src/database/in-turn.ts';
import { guildFor, guildsOf, memberNames } from '#src/guilds/guilds.ts';
import { knownThings } from '#src/guilds/known-names.ts';
import { grantRole, type SeededGuild, seedGuild, seedToken } from '#src/testing.ts';
import { subjectsOf, waitingSubject } from '#src/tokens/approval-subjects.ts';
import { decideApproval, listApprovals } from '#src/tokens/approvals.ts';
import { mintToken } from '#src/tokens/mint.ts';
import { listTokens } from '#src/tokens/token-view.ts';
import { revokeToken, rotateToken } from '#src/tokens/tokens.ts';
import { openWindow } from '#src/tokens/windows.ts';

let test: TestDatabase;
let guild: SeededGuild;

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  guild = await seedGuild(test.database);
});

const asOwner = () => ({ userId: guild.ownerId, requestId: 'req_test', address: '192.0.2.1' });
const query = async (sql: string, values: unknown[] = []) =>
  (await test.database.pool.query(sql, values)).rows;

/** Waits until so many connections wait for a lock of another. */
const waiting = (count: number) => {
  const waits = "datname = current_database() AND wait_event_type = 'Lock'";
  const counted = async () => (await query(`SELECT FROM pg_stat_activity WHERE ${waits}`)).length;
  return expect.poll(counted).toBe(count);
};

describe('the guilds of a person', () => {
  it('are those they own or hold a capability in, and not those the bot has left', async () => {
    const db = test.database;
    expect((await guildsOf(db, guild.ownerId)).map(({ id, isOwner }) => [id, isOwner])).toEqual([
      [guild.id, true],
    ]);
    expect(await guildsOf(db, guild.moderatorId)).toEqual([]);
    await grantRole(db, guild, guild.moderatorRoleId, ['bans.write']);
    expect(await guildsOf(db, guild.moderatorId)).toMatchObject([
      { id: guild.id, isOwner: false, capabilities: ['bans.write'] },
    ]);
    expect(await guildFor(db, guild.id, guild.strangerId)).toBeNull();
    await query('UPDATE guilds SET left_at = now() WHERE id = $1', [guild.id]);
    expect(await guildsOf(db, guild.ownerId)).toEqual([]);
    expect(await guildFor(db, guild.id, guild.ownerId)).toBeNull();
  });

  it('know their members by name', async () => {
    expect(await memberNames(test.database, guild.id, [guild.memberId, guild.strangerId])).toEqual({
      [guild.memberId]: guild.memberId,
    });
  });
});

describe('the list of tokens', () => {
  it('has all that are not revoked and the newest hundred of the others, however many there were', async () => {
    const kept = [await seedToken(test.database, guild), await seedToken(test.database, guild)];
    await query("UPDATE tokens SET expires_at = now() - interval '1 day' WHERE id = $1", [kept[0]?.id]);
    await query(
      `INSERT INTO tokens (guild_id, issuer_id, name, kind, secret_hash, secret_last_four, capabilities, ip_allowlist,
         revoked_at, revoked_reason)
       SELECT $1, $2, 'revoked ' || n, 'rest', sha256(convert_to($1 || n, 'UTF8')), '0000', '{}', '{}', now(), 'owner'
       FROM generate_series(1, 250) AS n`,
      [guild.id, guild.ownerId],
    );
    const listed = await listTokens(test.database, guild.ownerId, guild.id);
    const newest = await query(
      'SELECT id FROM tokens WHERE guild_id = $1 AND revoked_at IS NOT NULL ORDER BY id DESC LIMIT 100',
      [guild.id],
    );
    const ids = [...newest, ...kept].map(({ id }) => id);
    expect(listed.map(({ id }) => id)).toEqual(ids.toSorted().toReversed());
    expect(listed.filter(({ state }) => state === 'revoked')).toHaveLength(100);
  });
});

describe('a secret', () => {
  it('is in no table, and nothing but its last four characters in the audit log', async () => {
    verifies('secret.stored-hash');
    const { token, secret } = await mintToken(test.database, asOwner(), {
      guildId: guild.id,
      name: 'deploy',
      kind: 'rest',
      expiresIn: '90d',
      ipAllowlist: [],
    });
    const rotated = await rotateToken(test.database, asOwner(), token.id, { overlap: true });
    const tables = await query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
    for (const { tablename } of tables) {
      const rows = await query(`SELECT t::text AS row FROM "${tablename}" t`);
      for (const { row } of rows) {
        expect(row).not.toContain(secret.slice(7));
        expect(row).not.toContain(rotated.secret.slice(7));
      }
    }
  });

  it('is another one at each rotation', async () => {
    const { id } = await seedToken(test.database, guild);
    const secrets = new Set<string>();
    for (let n = 0; n < 20; n += 1) {
      secrets.add((await rotateToken(test.database, asOwner(), id, { overlap: n % 2 === 0 })).secret);
    }
    expect(secrets.size).toBe(20);
  });
});

describe('a change', () => {
  it('and its audit row are one: without the row there is no change', async () => {
    const token = await seedToken(test.database, guild);
    await query(
      `CREATE FUNCTION no_audit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'full'; END $$`,
    );
    await query('CREATE TRIGGER no_audit BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION no_audit()');
    try {
      await expect(revokeToken(test.database, asOwner(), token.id)).rejects.toThrow('full');
      await expect(openWindow(test.database, asOwner(), token.id, 15)).rejects.toThrow('full');
    } finally {
      await query('DROP TRIGGER no_audit ON audit');
      await query('DROP FUNCTION no_audit');
    }
    expect(await query('SELECT revoked_at FROM tokens WHERE id = $1', [token.id])).toEqual([
      { revoked_at: null },
    ]);
    expect(await query('SELECT id FROM windows WHERE token_id = $1', [token.id])).toEqual([]);
  });

  it('that gives power is refused while the bot is away; one that takes it is not', async () => {
    const token = await seedToken(test.database, guild);
    await query('UPDATE guilds SET mirrored_at = NULL WHERE id = $1', [guild.id]);
    await expect(openWindow(test.database, asOwner(), token.id, 15)).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
    });
    await expect(rotateToken(test.database, asOwner(), token.id, { overlap: false })).rejects.toBeInstanceOf(
      ApiError,
    );
    expect((await revokeToken(test.database, asOwner(), token.id)).state).toBe('revoked');
  });
});

describe('an approval request', () => {
  const ask = async (tokenId: string, target: object = {}): Promise<string> => {
    const call = {
      token_id: tokenId,
      guild_id: guild.id,
      operation: 'bans.add',
      target_type: 'user',
      target_id: guild.memberId,
      input: { user_id: guild.memberId, reason: 'spam' },
      digest: 'd'.repeat(64),
      request_id: 'req_1',
      address: '192.0.2.1',
      ...target,
    };
    const [row] = await query('SELECT request_approval($1) AS id', [JSON.stringify(call)]);
    return row?.id;
  };

  it('approved for one call leaves the open window as it is', async () => {
    const token = await seedToken(test.database, guild);
    const open = await openWindow(test.database, asOwner(), token.id, 15);
    const approvalId = await ask(token.id);
    await decideApproval(test.database, asOwner(), approvalId, 'call', 15);
    const windows = await query(
      'SELECT id, digest FROM windows WHERE token_id = $1 AND closed_at IS NULL ORDER BY id',
      [token.id],
    );
    expect(windows).toEqual([
      { id: open.id, digest: null },
      { id: expect.any(String), digest: 'd'.repeat(64) },
    ]);
    const [listed] = await listApprovals(test.database, guild.ownerId, guild.id);
    expect(listed).toMatchObject({ id: approvalId, state: 'approved_call', admitsUntil: expect.any(Date) });
  });

  it('can be withdrawn while its call turns out not to have happened, and admits that call no more', async () => {
    const token = await seedToken(test.database, guild);
    const approvalId = await ask(token.id);
    await decideApproval(test.database, asOwner(), approvalId, 'call', 15);
    // As while the call that has used the approval up is performed.
    const [{ action_id, window_id }] = await query(
      `WITH used AS (
         UPDATE windows SET closed_at = now() WHERE token_id = $1 RETURNING *)
       INSERT INTO actions (guild_id, operation, input, digest, state, actor_source, actor_user_id, token_id, window_id,
         request_id, claim_by, created_at)
       SELECT guild_id, 'bans.add', '{}', digest, 'running', 'token', $2, token_id, id, 'req_used', now(), closed_at
       FROM used RETURNING id AS action_id, window_id`,
      [token.id, guild.ownerId],
    );
    // What withdrawing locks before it ends the window.
    const withdrawal = await test.database.pool.connect();
    await withdrawal.query('BEGIN');
    await withdrawal.query('SELECT FROM tokens WHERE id = $1 FOR UPDATE', [token.id]);
    await withdrawal.query('SELECT FROM approval_requests WHERE id = $1 FOR UPDATE', [approvalId]);
    const settled = query("SELECT settle_action($1, 'failed', NULL, $2) AS settled", [
      action_id,
      { code: 'UPSTREAM_UNAVAILABLE', details: { outcome: 'not_performed' } },
    ]);
    await waiting(1);
    const [, isSettled] = await Promise.all([
      withdrawal
        .query('SELECT FROM end_windows(ARRAY[$1], $2)', [token.id, window_id])
        .then(() => withdrawal.query('COMMIT'))
        .finally(() => withdrawal.release()),
      settled,
    ]);
    expect(isSettled).toEqual([{ settled: true }]);
    expect(await query('SELECT FROM windows WHERE id = $1 AND closed_at IS NULL', [window_id])).toEqual([]);
  });

  it('of a token that was revoked meanwhile cannot be approved, but refused', async () => {
    const token = await seedToken(test.database, guild);
    const approvalId = await ask(token.id);
    await revokeToken(test.database, asOwner(), token.id);
    await expect(decideApproval(test.database, asOwner(), approvalId, 'window', 15)).rejects.toMatchObject({
      code: 'TOKEN_REVOKED',
      status: 409,
    });
    expect(await decideApproval(test.database, asOwner(), approvalId, 'refuse', 15)).toBeNull();
  });

  it('about an appeal shows whose it is, and about a report whom that is about, not who made it', async () => {
    verifies('approval.subject');
    const token = await seedToken(test.database, guild);
    const [{ id: appealId }] = await query(
      `WITH appealed AS (INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by)
         VALUES (new_id('wrn'), $1, 900, 'warning', $2, $3) RETURNING *)
       INSERT INTO appeals (guild_id, case_id, user_id, answers, language)
       SELECT guild_id, id, user_id, '[]', 'en' FROM appealed RETURNING id`,
      [guild.id, guild.memberId, guild.ownerId],
    );
    const [{ id: reportId }] = await query(
      `INSERT INTO reports (guild_id, number, user_id, reported_by, reason) VALUES ($1, 900, $2, $3, 'Spam') RETURNING id`,
      [guild.id, guild.strangerId, guild.memberId],
    );
    for (const [target_type, target_id, userId] of [
      ['appeal', appealId, guild.memberId],
      ['report', reportId, guild.strangerId],
    ]) {
      const approvalId = await ask(token.id, { target_type, target_id, digest: target_id });
      expect((await subjectsOf(test.database, guild.id, [approvalId]))[approvalId]?.userId).toBe(userId);
      expect(await waitingSubject(test.database.pool, approvalId)).toEqual({ guildId: guild.id, userId });
      // So that the bot asks Discord about them.
      expect(
        await query('SELECT FROM graphile_worker.jobs WHERE key = $1', [`learn_subject:${approvalId}`]),
      ).toHaveLength(1);
    }
  });

  it('about a case, an appeal or a report of another guild shows nobody, and no number', async () => {
    verifies('approval.subject');
    const token = await seedToken(test.database, guild);
    const elsewhere = await seedGuild(test.database);
    const [{ case_id, appeal_id }] = await query(
      `WITH struck AS (INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by, severity)
         VALUES (new_id('str'), $1, 1, 'strike', $2, $3, 'minor') RETURNING *)
       INSERT INTO appeals (guild_id, case_id, user_id, answers, language)
       SELECT guild_id, id, user_id, '[]', 'en' FROM struck RETURNING case_id, id AS appeal_id`,
      [elsewhere.id, elsewhere.memberId, elsewhere.ownerId],
    );
    const [{ report_id }] = await query(
      `INSERT INTO reports (guild_id, number, user_id, reported_by, reason) VALUES ($1, 1, $2, $3, 'Spam')
       RETURNING id AS report_id`,
      [elsewhere.id, elsewhere.memberId, elsewhere.ownerId],
    );
    for (const target of [
      { operation: 'strikes.remove', target_type: 'strike', target_id: case_id },
      { operation: 'appeals.refuse', target_type: 'appeal', target_id: appeal_id },
      { operation: 'reports.close', target_type: 'report', target_id: report_id },
    ]) {
      const approvalId = await ask(token.id, { ...target, input: {}, digest: target.target_id });
      expect(await subjectsOf(test.database, guild.id, [approvalId])).toEqual({});
      expect(await waitingSubject(test.database.pool, approvalId)).toBeNull();
      expect(await knownThings(test.database, guild.id, [target.target_id])).toEqual([]);
      expect(await knownThings(test.database, elsewhere.id, [target.target_id])).toMatchObject([
        { number: 1 },
      ]);
    }
  });
});

describe('what an owner allows while the guild gets another owner', () => {
  const open = (tokenId: string) => openWindow(test.database, asOwner(), tokenId, 15);
  const takeOver = (client: Pick<pg.ClientBase, 'query'>) =>
    client.query('UPDATE guilds SET owner_id = $2 WHERE id = $1', [guild.id, guild.strangerId]);
  const openWindows = (tokenId: string) =>
    query('SELECT id FROM windows WHERE token_id = $1 AND NOT window_is_over(expires_at, closed_at)', [
      tokenId,
    ]);

  it('is refused if the other owner came first', async () => {
    const token = await seedToken(test.database, guild);
    const bot = await test.database.pool.connect();
    try {
      await bot.query('BEGIN');
      await takeOver(bot);
      const opening = open(token.id).then(
        () => 'opened',
        (error: ApiError) => error.code,
      );
      await waiting(1);
      await bot.query('COMMIT');
      expect([await opening, await openWindows(token.id)]).toEqual(['NOT_FOUND', []]);
    } finally {
      bot.release(true);
    }
  });

  it('ends with their ownership if they came first', async () => {
    const token = await seedToken(test.database, guild);
    const last = await test.database.pool.connect();
    try {
      await last.query('BEGIN; LOCK TABLE audit IN SHARE MODE');
      // The window is there, and its audit row is not written yet.
      const opening = open(token.id);
      await waiting(1);
      const taking = takeOver(test.database.pool);
      await waiting(2);
      await last.query('COMMIT');
      await Promise.all([opening, taking]);
    } finally {
      last.release(true);
    }
    expect(await openWindows(token.id)).toEqual([]);
  });
});

describe('the audit log', () => {
  it('hides reads unless asked, and pages by the last row seen', async () => {
    verifies('audit.dashboard-hides-reads');
    const token = await seedToken(test.database, guild);
    await openWindow(test.database, asOwner(), token.id, 15);
    await query(
      "SELECT record_read($1, $2, 'seeded', $3, 'bans.list', NULL, NULL, 'req_2', '192.0.2.1', NULL, 'performed', NULL)",
      [guild.id, token.id, guild.ownerId],
    );
    await revokeToken(test.database, asOwner(), token.id);
    const page = (options: { reads: boolean; limit: number; before?: string }) =>
      listAuditLog(test.database, guild.id, options);
    const operations = async (reads: boolean) =>
      (await page({ reads, limit: 10 })).map(({ operation }) => operation);
    expect(await operations(false)).toEqual(['tokens.revoke', 'windows.open']);
    expect(await operations(true)).toEqual(['tokens.revoke', 'bans.list', 'windows.open']);
    const [first] = await page({ reads: false, limit: 1 });
    const rest = await page({
      reads: false,
      limit: 10,
      ...(first === undefined ? {} : { before: first.id }),
    });
    expect(rest.map(({ operation }) => operation)).toEqual(['windows.open']);
  });

  it('looks for rows that fit several filters one statement at a time for a guild, and others need not wait', async () => {
    verifies('reads.guilds-apart');
    const db = test.database;
    const gate = Promise.withResolvers<void>();
    const running = lookInTurn(db, guild.id, patience(60_000), () => gate.promise);
    const another = await seedGuild(db);
    const search = ({ id }: SeededGuild) =>
      listAuditLog(db, id, { reads: true, limit: 10, filter: { outcome: 'performed', source: 'chat' } });
    let isFound = false;
    const waiting = search(guild).then((rows) => {
      isFound = true;
      return rows;
    });
    for (let n = 0; n < 3; n += 1) expect(await search(another)).toEqual([]);
    expect(isFound).toBe(false);
    gate.resolve();
    expect(await Promise.all([running, waiting])).toEqual([undefined, []]);
  });
});
