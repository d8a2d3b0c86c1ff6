import { isDeepStrictEqual } from 'node:util';
import { CAPABILITIES, digestOf, isBotOperation, OPERATION_NAMES, secretProof } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cancelAction, NOBODY_CAME, type Outcome } from '#src/calls/settle.ts';
import { banWire, openCase } from '#src/cases/cases.ts';
import { inTransaction } from '#src/database/transaction.ts';
import { DEADLINES } from '#src/engine.ts';
import {
  type FakePerformer,
  giveTime,
  performersOf,
  type SeededGuild,
  type SeededToken,
  seedGuild,
  seedToken,
  seedWindow,
  snowflake,
} from '#src/testing.ts';
import { type Performers, performAction, recoverActions, settleAction } from '#src/worker/perform-action.ts';

let test: TestDatabase;
let guild: SeededGuild;
let token: SeededToken;
let performed: string[];

const log = { info: () => {}, error: () => {} };

beforeAll(() => giveTime('bot'));
beforeEach(async () => {
  test = await createTestDatabase();
  guild = await seedGuild(test.database);
  token = await seedToken(test.database, guild);
  await seedWindow(test.database, guild, token);
  performed = [];
});

afterEach(() => test.drop());

const query = async (sql: string, values: unknown[] = []) =>
  (await test.database.pool.query(sql, values)).rows;

/** A far end that bans at once, or does what a test wants instead. */
function performers(ban: Partial<FakePerformer> = {}): Performers {
  const bans: FakePerformer = {
    perform: async (action) => {
      performed.push(action.id);
      return banned(action.id);
    },
    verify: async (action) => banned(action.id),
    ...ban,
  };
  return performersOf(bans);
}

const NOT_CLEAR = { code: 'UPSTREAM_UNAVAILABLE', message: 'not clear' } as const;

function banned(actionId: string, durationMinutes?: number): Outcome<never> {
  return {
    state: 'done',
    write: async (tx) => {
      const row = await openCase(tx, {
        guildId: guild.id,
        kind: 'ban',
        userId: guild.strangerId,
        reason: 'spam',
        issuedBy: guild.ownerId,
        actionId,
        durationMinutes,
      });
      return { ban: banWire(row) } as never;
    },
  };
}

/** Submits a ban over the token, as the public API does, and returns its action's id. */
async function submitBan(overrides: object = {}): Promise<string> {
  const { status, action_id } = await submitted(overrides);
  expect(status).toBe('admitted');
  return action_id;
}

/** What the database answers to a ban over the token. */
async function submitted(overrides: object = {}) {
  const input = { user_id: guild.strangerId, reason: 'spam' };
  const [row] = await query('SELECT submit_call($1) AS submitted', [
    JSON.stringify({
      guild_id: guild.id,
      operation: 'bans.add',
      input,
      digest: digestOf('bans.add', guild.id, input),
      target_type: 'user',
      target_id: guild.strangerId,
      actor_source: 'token',
      actor_user_id: guild.ownerId,
      token_id: token.id,
      token_name: 'seeded',
      secret_proof: secretProof(token.secret).toString('hex'),
      request_id: 'req_1',
      address: '192.0.2.1',
      tier: 'destructive_write',
      capacity: 6,
      refill_per_minute: 1,
      destructive: true,
      confirmed: true,
      capability: 'bans.write',
      admitted_at: new Date(),
      arrives_within_seconds: 60,
      performed_by: 'bot',
      claim_seconds: 300,
      ...overrides,
    }),
  ]);
  return row.submitted;
}

describe('a submission that lacks a key', () => {
  it.each(['destructive', 'confirmed', 'capability', 'admitted_at', 'arrives_within_seconds'])(
    '%s is refused, whatever else is right',
    async (key) => {
      verifies('submit.fail-closed');
      await query('UPDATE windows SET closed_at = now()');
      if (key !== 'destructive') await seedWindow(test.database, guild, token);
      const { status, code } = await submitted({ [key]: undefined });
      expect([key, status]).toEqual([key, 'refused']);
      expect(code).toMatch(/RE_AUTH_REQUIRED|INVALID_CONFIRMATION|CAPABILITY_DENIED|UPSTREAM_UNAVAILABLE/);
      expect(await query('SELECT FROM actions')).toEqual([]);
    },
  );

  it('or a token without capabilities, is refused too', async () => {
    verifies('submit.fail-closed');
    await query("UPDATE tokens SET capabilities = '{}'");
    expect(await submitted()).toMatchObject({ status: 'refused', code: 'CAPABILITY_DENIED' });
  });
});

const stateOf = async (id: string) =>
  (await query('SELECT state, error FROM actions WHERE id = $1', [id]))[0];
const outcomesOf = async (id: string) =>
  (await query('SELECT outcome FROM audit WHERE action_id = $1 ORDER BY id', [id])).map(
    ({ outcome }) => outcome,
  );

describe('an action', () => {
  it('is performed once, however many workers come for it', async () => {
    const id = await submitBan();
    await Promise.all(Array.from({ length: 5 }, () => performAction(test.database, performers(), id, log)));
    expect(performed).toEqual([id]);
    expect(await stateOf(id)).toMatchObject({ state: 'done' });
    expect(await outcomesOf(id)).toEqual(['requested', 'performed']);
    expect(await query('SELECT case_number, action_id FROM cases')).toEqual([
      { case_number: 1, action_id: id },
    ]);
  });

  it('is not performed any more by a process that stood still from its claim on until others take it for dead', async () => {
    verifies('G14');
    const { pool } = test.database;
    // The answer to the claim comes when its transaction is over.
    await query(`CREATE FUNCTION answer_late() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NULL; END $$`);
    await query(`CREATE CONSTRAINT TRIGGER answer_late AFTER UPDATE ON actions DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.state = 'running') EXECUTE FUNCTION answer_late()`);
    const { performMs } = DEADLINES;
    const holder = await pool.connect();
    try {
      await holder.query('SELECT pg_advisory_lock(7)');
      const id = await submitBan();
      Object.assign(DEADLINES, { performMs: 1_000 });
      await query("UPDATE actions SET created_at = now(), claim_by = now() + interval '1 hour'");
      const ended = performAction(test.database, performers(), id, log);
      const isOver = `SELECT FROM actions, pg_locks WHERE locktype = 'advisory' AND NOT granted
        AND created_at < clock_timestamp() - interval '1 second'`;
      await expect.poll(() => query(isOver), { timeout: 60_000 }).toHaveLength(1);
      await holder.query('SELECT pg_advisory_unlock(7)');
      expect(await ended).toBe('failed');
      expect(performed).toEqual([]);
      expect(await stateOf(id)).toMatchObject({ state: 'failed', error: NOBODY_CAME });
    } finally {
      Object.assign(DEADLINES, { performMs });
      holder.release(true);
    }
  });

  it('runs beside one other of its guild at most, however many processes take actions up', async () => {
    verifies('actions.two-of-a-guild');
    let running = 0;
    let most = 0;
    const perform: FakePerformer['perform'] = async (action) => {
      running += 1;
      most = Math.max(most, running);
      // Long enough for all others to be claimed, if they could be.
      for (let look = 0; look < 30; look += 1) await query('SELECT 1');
      running -= 1;
      return banned(action.id);
    };
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await submitBan({ target_id: snowflake() }));
    await Promise.all(ids.map((id) => performAction(test.database, performers({ perform }), id, log)));
    expect(most).toBeLessThanOrEqual(2);
    for (const id of ids) expect(await stateOf(id)).toMatchObject({ state: 'done' });
  });

  it('is performed although its turn comes just after a look that did not find it', async () => {
    verifies('actions.two-of-a-guild');
    const gate = Promise.withResolvers<void>();
    const perform: FakePerformer['perform'] = async (action) => {
      await gate.promise;
      return banned(action.id);
    };
    const submit = () => submitBan({ target_id: snowflake() });
    const before = [await submit(), await submit()];
    const both = before.map((id) => performAction(test.database, performers({ perform }), id, log));
    for (const id of before) while ((await stateOf(id)).state !== 'running') await query('SELECT 1');
    const id = await submit();
    let looks = 0;
    const pool = new Proxy(test.database.pool, {
      get: (target, name) => {
        const value = Reflect.get(target, name);
        if (name !== 'query') return typeof value === 'function' ? value.bind(target) : value;
        return async (...asked: unknown[]) => {
          looks += 1;
          // The first look is the claim. The others end before the second.
          if (looks === 2) {
            gate.resolve();
            await Promise.all(both);
          }
          return Reflect.apply(value, target, asked);
        };
      },
    });
    await performAction({ ...test.database, pool }, performers(), id, log);
    expect(looks).toBeGreaterThan(1);
    expect(await stateOf(id)).toMatchObject({ state: 'done' });
  });

  it('on a person is claimed with what its checks need, in one round trip', async () => {
    verifies('actions.claimed-with-hierarchy');
    let looks = 0;
    const pool = new Proxy(test.database.pool, {
      get: (target, name) => {
        if (name === 'query') looks += 1;
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const seen: unknown[] = [];
    const perform: FakePerformer['perform'] = async ({ id, hierarchy }) => {
      seen.push(looks, hierarchy);
      return banned(id);
    };
    const id = await submitBan();
    await performAction({ ...test.database, pool }, performers({ perform }), id, log);
    const roles = await query(
      'SELECT id, position, permissions::text FROM roles WHERE guild_id = $1 ORDER BY id',
      [guild.id],
    );
    expect(seen).toEqual([
      1,
      {
        owner_id: guild.ownerId,
        requires_two_factor: false,
        bot_user_id: guild.botId,
        bot_role_ids: [roles.at(-1)?.id],
        actor_role_ids: [],
        actor_username: guild.ownerId,
        roles: expect.toSatisfy((of: { id: string }[]) =>
          isDeepStrictEqual(
            of.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
            roles,
          ),
        ),
      },
    ]);
  });

  it('that was cancelled is never performed', async () => {
    const id = await submitBan();
    const error = { code: 'UPSTREAM_UNAVAILABLE', message: 'nobody came' } as const;
    expect(await cancelAction(test.database.pool, id, error)).toBe(true);
    await performAction(test.database, performers(), id, log);
    expect(performed).toEqual([]);
    expect(await outcomesOf(id)).toEqual(['requested', 'cancelled']);
  });

  it('that nobody took up and whose caller is gone is cancelled, however many older ones have ended', async () => {
    const id = await submitBan();
    await query("UPDATE actions SET claim_by = now() - interval '1 hour'");
    await query(
      `INSERT INTO actions (id, guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by, state,
         settled_at)
       SELECT 'act_' || n, guild_id, operation, input, 'ended', actor_source, actor_user_id, request_id, claim_by, 'done', now()
       FROM actions, generate_series(1, 60) AS n`,
    );
    // The row that waits is written last, as the others are in a database of some age.
    await query('UPDATE actions SET request_id = request_id WHERE id = $1', [id]);
    expect(await recoverActions(test.database, performers(), log)).toBe(0);
    expect(await stateOf(id)).toMatchObject({ state: 'cancelled', error: { details: { upstream: 'bot' } } });
    expect(await outcomesOf(id)).toEqual(['requested', 'cancelled']);
    expect(performed).toEqual([]);
  });

  it('that waited too long is left alone, and one that was taken up cannot be cancelled', async () => {
    verifies('G14');
    const late = await submitBan({ claim_seconds: -1 });
    await performAction(test.database, performers(), late, log);
    expect(performed).toEqual([]);

    const taken = await submitBan();
    const cancelled = new Promise<boolean>((resolve) => {
      const perform: FakePerformer['perform'] = async (action) => {
        resolve(
          await cancelAction(test.database.pool, action.id, { code: 'UPSTREAM_UNAVAILABLE', message: '' }),
        );
        return banned(action.id);
      };
      void performAction(test.database, performers({ perform }), taken, log);
    });
    expect(await cancelled).toBe(false);
  });

  it('whose record was tampered with, whose token, window or capability is gone, is not performed', async () => {
    verifies('pipeline.recheck.window', 'pipeline.recheck.token', 'G8', 'H16');
    const elsewhere = await seedGuild(test.database);
    const other = await seedToken(test.database, guild);
    const flaws: [string, string][] = [
      ['UPDATE actions SET input = input || \'{"reason": "other"}\' WHERE id = $1', 'INTERNAL_ERROR'],
      ['UPDATE windows SET closed_at = now() WHERE $1 <> token_id', 'RE_AUTH_REQUIRED'],
      // The process that writes the record could name the window of another token, guild or call.
      [`UPDATE windows SET token_id = '${other.id}' WHERE id <> $1`, 'RE_AUTH_REQUIRED'],
      [`UPDATE windows SET guild_id = '${elsewhere.id}' WHERE id <> $1`, 'RE_AUTH_REQUIRED'],
      ["UPDATE windows SET digest = 'of another call' WHERE id <> $1", 'RE_AUTH_REQUIRED'],
      // And a token of another guild, or of somebody who may less than the person whom it names.
      [`UPDATE tokens SET guild_id = '${elsewhere.id}' WHERE id <> $1`, 'TOKEN_REVOKED'],
      [`UPDATE tokens SET issuer_id = '${guild.memberId}' WHERE id <> $1`, 'TOKEN_REVOKED'],
      ["UPDATE tokens SET capabilities = '{}' WHERE id <> $1", 'CAPABILITY_DENIED'],
      ['UPDATE tokens SET revoked_at = now() WHERE id <> $1', 'TOKEN_REVOKED'],
    ];
    for (const [sql, code] of flaws) {
      const id = await submitBan({ capacity: 2 * flaws.length });
      await query(sql, [id]);
      await performAction(test.database, performers(), id, log);
      expect(await stateOf(id), sql).toMatchObject({ state: 'failed', error: { code } });
      expect(await outcomesOf(id)).toEqual(['requested', 'failed']);
      await query('UPDATE windows SET closed_at = NULL, digest = NULL, token_id = $1, guild_id = $2', [
        token.id,
        guild.id,
      ]);
      await query('UPDATE tokens SET capabilities = $1, guild_id = $2, issuer_id = $3', [
        CAPABILITIES,
        guild.id,
        guild.ownerId,
      ]);
    }
    expect(performed).toEqual([]);
  });

  it('of an operation that the database performs itself is not performed by the bot, though its record agrees', async () => {
    const input = { user_id: guild.memberId, reason: 'spam', severity: 'minor' } as const;
    const [{ id }] = await query(
      `INSERT INTO actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by)
       VALUES ($1, 'strikes.add', $2, $3, 'chat', $4, 'req_strike', now() + interval '1 minute') RETURNING id`,
      [guild.id, input, digestOf('strikes.add', guild.id, input), guild.ownerId],
    );
    await performAction(test.database, performers(), id, log);
    expect(await stateOf(id)).toMatchObject({ state: 'failed', error: { code: 'INTERNAL_ERROR' } });
  });

  it('whose worker died is settled by looking, once', async () => {
    verifies('H28');
    const id = await submitBan();
    await query("UPDATE actions SET state = 'running', lease_expires_at = now() - interval '1 second'");
    const [first, second] = await Promise.all([
      recoverActions(test.database, performers(), log),
      recoverActions(test.database, performers(), log),
    ]);
    expect(first + second).toBe(1);
    expect(performed).toEqual([]);
    expect(await stateOf(id)).toMatchObject({ state: 'done' });
    expect(await query('SELECT count(*)::int FROM cases')).toEqual([{ count: 1 }]);
  });

  it('of an operation that only a newer release knows is left to that, and keeps none from being settled', async () => {
    verifies('ops.update.expand-contract');
    const id = await submitBan();
    const [{ newer }] = (await query(
      `INSERT INTO actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by, looked_at)
       SELECT guild_id, 'bans.tomorrow', input, 'newer', actor_source, actor_user_id, request_id,
         now() + interval '1 minute', '-infinity' FROM actions RETURNING id AS newer`,
    )) as [{ newer: string }];
    expect(await performAction(test.database, performers(), newer, log)).toBeNull();
    expect(await stateOf(newer)).toMatchObject({ state: 'pending' });
    await query("UPDATE actions SET state = 'running', lease_expires_at = now() - interval '1 second'");
    expect(await recoverActions(test.database, performers(), log)).toBe(1);
    expect(await stateOf(id)).toMatchObject({ state: 'done' });
    expect(await stateOf(newer)).toMatchObject({ state: 'running' });
  });

  it('whose worker still renews its lease is nobody else’s', async () => {
    await submitBan();
    await query("UPDATE actions SET state = 'running', lease_expires_at = now() + interval '5 minutes'");
    expect(await recoverActions(test.database, performers(), log)).toBe(0);
  });

  it('whose outcome was unknown is known later', async () => {
    verifies('actions.unknown-resolved');
    const id = await submitBan();
    const perform = async () => Promise.reject(new Error('the far end fell silent'));
    await performAction(test.database, performers({ perform }), id, log);
    expect(await stateOf(id)).toMatchObject({
      state: 'unknown',
      error: { message: expect.stringContaining(`GET /actions/${id} tells`), details: { action_id: id } },
    });
    expect(await recoverActions(test.database, performers(), log)).toBe(1);
    expect(await outcomesOf(id)).toEqual(['requested', 'unknown', 'performed']);
  });

  it('is looked at in turn: the one looked at longest ago comes first', async () => {
    verifies('actions.recovery-in-turn');
    const lost = await submitBan();
    await query("UPDATE actions SET state = 'unknown', settled_at = now() - interval '20 hours'");
    await query(
      `INSERT INTO actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by, state,
         settled_at)
       SELECT guild_id, operation, input, 'later', actor_source, actor_user_id, request_id, claim_by, 'unknown', now()
       FROM actions, generate_series(1, 120)`,
    );
    const verify = async (action: { id: string }) =>
      action.id === lost ? banned(lost) : ({ state: 'unknown', error: NOT_CLEAR } as const);
    for (let pass = 0; pass < 3; pass += 1) {
      await recoverActions(test.database, performers({ verify }), log);
    }
    expect(await stateOf(lost)).toMatchObject({ state: 'done' });
  });

  it.each([
    ['4 minutes', '3 minutes', true],
    ['4 minutes', '1 minute', false],
    ['10 hours', '59 minutes', false],
    ['10 hours', '61 minutes', true],
  ])('unknown for %s and looked at %s ago: looked at again %s', async (age, since, expected) => {
    verifies('bot.looked-for-again');
    await submitBan();
    await query(
      `UPDATE actions SET state = 'unknown', created_at = now() - interval '11 hours', settled_at = now() - $1::interval,
         looked_at = now() - $2::interval`,
      [age, since],
    );
    let looks = 0;
    const verify = async () => {
      looks += 1;
      return { state: 'unknown', error: NOT_CLEAR } as const;
    };
    await recoverActions(test.database, performers({ verify }), log);
    expect(looks).toBe(expected ? 1 : 0);
  });

  it.each([
    ['at which nobody has looked', null],
    ['whose last look is hours ago', '20 hours'],
  ])('%s since its outcome got lost more than a day ago is looked at again', async (_what, since) => {
    verifies('actions.unknown-resolved');
    const id = await submitBan();
    await query(
      `UPDATE actions SET state = 'unknown', created_at = now() - interval '25 hours',
         settled_at = now() - interval '25 hours', looked_at = now() - $1::interval`,
      [since],
    );
    await recoverActions(test.database, performers(), log);
    expect(await stateOf(id)).toMatchObject({ state: 'done' });
    expect(await query('SELECT count(*)::int FROM cases')).toEqual([{ count: 1 }]);
  });

  it('that nobody can look at for a day is left alone after a last look, which is told to be the last', async () => {
    verifies('actions.never-known');
    await submitBan();
    const looks: boolean[] = [];
    const verify = async (_action: object, _signal: AbortSignal, isLast: boolean) => {
      looks.push(isLast);
      return { state: 'unknown', error: NOT_CLEAR } as const;
    };
    for (const hours of [1, 23, 25, 27]) {
      await query(
        `UPDATE actions SET state = 'unknown', created_at = now() - make_interval(hours => $1),
           settled_at = now() - make_interval(hours => $1), looked_at = looked_at - interval '2 hours'`,
        [hours],
      );
      await recoverActions(test.database, performers({ verify }), log);
    }
    expect(looks).toEqual([false, false, true]);
  });

  it('that can never be verified is looked at once, says so, and is left alone', async () => {
    verifies('actions.never-known');
    const id = await submitBan();
    await query("UPDATE actions SET state = 'running', lease_expires_at = now() - interval '1 second'");
    let looks = 0;
    const verify = async () => {
      looks += 1;
      return {
        state: 'unknown',
        isFinal: true,
        error: { ...NOT_CLEAR, message: 'Nobody can know.' },
      } as const;
    };
    for (let pass = 0; pass < 3; pass += 1) {
      await recoverActions(test.database, performers({ verify }), log);
    }
    expect(looks).toBe(1);
    expect(await stateOf(id)).toMatchObject({ state: 'unknown', error: { message: 'Nobody can know.' } });
    expect(await outcomesOf(id)).toEqual(['requested', 'unknown']);
  });

  it('that is settled hours later lasts as long as it was ordered', async () => {
    verifies('cases.end-from-performed');
    const id = await submitBan();
    await query(
      "UPDATE actions SET state = 'running', claimed_at = now() - interval '6 hours', lease_expires_at = now() - make_interval(secs => 1)",
    );
    await recoverActions(test.database, performers({ verify: async () => banned(id, 600) }), log);
    expect(
      await query(
        `SELECT c.issued_at = a.claimed_at AS issued_then,
           c.expires_at = a.claimed_at + interval '10 hours' AS ends_as_ordered
         FROM cases c JOIN actions a ON a.id = c.action_id`,
      ),
    ).toEqual([{ issued_then: true, ends_as_ordered: true }]);
  });

  it('that opens no case is shown in the log channel once it has happened, unless nobody would miss it', async () => {
    await query('UPDATE guilds SET log_channel_id = $2 WHERE id = $1', [guild.id, snowflake()]);
    const isPosted: Record<string, boolean> = {};
    for (const operation of OPERATION_NAMES.filter(isBotOperation)) {
      const [{ id }] = await query(
        `INSERT INTO actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by,
           state)
         VALUES ($1, $2, '{}', '', 'chat', $3, 'req_posted', now(), 'running') RETURNING id`,
        [guild.id, operation, guild.ownerId],
      );
      await query("SELECT settle_action($1, 'done', '{}', NULL)", [id]);
      const jobs = await query('SELECT FROM graphile_worker.jobs WHERE key = $1', [`post_action:${id}`]);
      isPosted[operation] = jobs.length === 1;
    }
    const of = (is: boolean, names: readonly string[]) => Object.fromEntries(names.map((name) => [name, is]));
    expect(isPosted).toEqual({
      ...of(true, ['channels.lock', 'channels.lockdown', 'channels.reopen', 'channels.slowmode']),
      ...of(true, ['channels.unlock', 'roles.give', 'roles.end', 'messages.purge']),
      ...of(true, ['servers.rcon', 'servers.sanction', 'tickets.open', 'tickets.close', 'tickets.reopen']),
      ...of(true, ['bans.many', 'bans.undo', 'mutes.many', 'mutes.undo']),
      // Their cases are posted.
      ...of(false, ['bans.add', 'bans.soft', 'bans.change', 'bans.lift', 'members.kick']),
      ...of(false, ['mutes.add', 'mutes.change', 'mutes.lift']),
      // They change nothing, or everybody sees it.
      ...of(false, ['bans.preview', 'mutes.preview', 'tickets.panel']),
    });
  });

  it('ends once: settling again writes nothing', async () => {
    const id = await submitBan();
    await performAction(test.database, performers(), id, log);
    expect(await settleAction(test.database, id, banned(id))).toBe(false);
    expect(await query('SELECT count(*)::int FROM cases')).toEqual([{ count: 1 }]);
  });
});

describe('case numbers', () => {
  it('of all kinds come from one sequence per guild, without gaps, also at once and when some fail', async () => {
    verifies('strikes.case-number');
    const kinds = ['strike', 'ban', 'mute', 'warning'];
    const open = async (n: number) => {
      const tx = await test.database.pool.connect();
      try {
        await tx.query('BEGIN');
        await tx.query("SELECT open_case($1, $2, 'cas', $3, null, $3, null, null)", [
          guild.id,
          kinds[n % 4],
          guild.memberId,
        ]);
        await tx.query(n % 5 === 0 ? 'ROLLBACK' : 'COMMIT');
      } finally {
        tx.release();
      }
    };
    await Promise.all(Array.from({ length: 40 }, (_, n) => open(n)));
    const rows = await query('SELECT case_number FROM cases ORDER BY case_number');
    expect(rows.map(({ case_number }) => case_number)).toEqual(Array.from({ length: 32 }, (_, n) => n + 1));
  });
});

describe('the audit log', () => {
  it('is never changed or deleted, not even a partition', async () => {
    verifies('audit.immutable');
    await submitBan();
    await query('SELECT keep_audit_partitions(3, 30)');
    const days = await query(
      "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'audit\\_reads\\_%'",
    );
    expect(days.length).toBeGreaterThan(4);
    for (const sql of [
      ...days.map(({ relname }) => `TRUNCATE ${relname}`),
      "UPDATE audit SET outcome = 'failed'",
      'DELETE FROM audit',
      'TRUNCATE audit',
      'DELETE FROM audit_writes',
      'TRUNCATE audit_writes',
      'TRUNCATE audit_reads CASCADE',
    ]) {
      await expect(query(sql), sql).rejects.toThrow('append-only');
    }
  });

  it('drops reads by whole days once they are old, and keeps the rest', async () => {
    verifies('audit.read-retention');
    await submitBan();
    await query(`CREATE TABLE audit_reads_20250101 PARTITION OF audit_reads
                 FOR VALUES FROM ('2025-01-01Z') TO ('2025-01-02Z')`);
    await query(
      `INSERT INTO audit (is_read, at, guild_id, actor_source, operation, outcome) VALUES
      (true, '2025-01-01T12:00Z', $1, 'token', 'bans.list', 'performed'),
      (true, '2025-01-02T12:00Z', $1, 'token', 'bans.list', 'performed'), (true, now(), $1, 'token', 'bans.list', 'performed')`,
      [guild.id],
    );
    const partitionOf = (day: string) => `audit_reads_${day.replaceAll('-', '')}`;
    // In one transaction, whose day is one also at midnight.
    const { latest, over } = await inTransaction(test.database, async (tx) => {
      const { rows } = await tx.query<Record<'latest' | 'over' | 'next', string>>(
        `SELECT (today - 30)::text AS latest, (today - 31)::text AS over, (today - 29)::text AS next
         FROM (SELECT (now() AT TIME ZONE 'UTC')::date AS today) AS clock`,
      );
      const days = rows[0] ?? { latest: '', over: '', next: '' };
      for (const [from, to] of [
        [days.over, days.latest],
        [days.latest, days.next],
      ] as const) {
        await tx.query(
          `CREATE TABLE ${partitionOf(from)} PARTITION OF audit_reads FOR VALUES FROM ('${from}Z') TO ('${to}Z')`,
        );
      }
      await tx.query('SELECT keep_audit_partitions(3, 30)');
      return days;
    });
    const kept = 'SELECT to_regclass($1) IS NOT NULL AS latest, to_regclass($2) IS NOT NULL AS over';
    expect(await query(kept, [partitionOf(latest), partitionOf(over)])).toEqual([
      { latest: true, over: false },
    ]);
    expect(await query('SELECT is_read, count(*)::int FROM audit GROUP BY 1 ORDER BY 1')).toEqual([
      { is_read: false, count: 1 },
      { is_read: true, count: 1 },
    ]);
  });

  it('is kept in partitions without waiting for a backup, or making recorded reads wait for one', async () => {
    verifies('audit.partitions.beside-backup');
    await query(`CREATE TABLE audit_reads_20250101 PARTITION OF audit_reads
                 FOR VALUES FROM ('2025-01-01Z') TO ('2025-01-02Z')`);
    const partitions = async () =>
      (
        await query(`SELECT inhrelid::regclass::text AS name FROM pg_inherits
                     WHERE inhparent = 'audit_reads'::regclass AND inhrelid::regclass::text ~ '[0-9]$' ORDER BY 1`)
      ).map(({ name }) => name);
    const read = () =>
      query(`INSERT INTO audit (is_read, guild_id, actor_source, operation, outcome)
             VALUES (true, '${guild.id}', 'token', 'bans.list', 'performed')`);
    const before = await partitions();
    const backup = await test.database.pool.connect();
    try {
      // What pg_dump holds until its end.
      await backup.query('BEGIN; LOCK TABLE audit, audit_reads IN ACCESS SHARE MODE');
      await Promise.all([query('SELECT keep_audit_partitions(9, 30)'), read()]);
      expect(await partitions()).toEqual(before);
    } finally {
      await backup.query('ROLLBACK');
      backup.release();
    }
    await query('SELECT keep_audit_partitions(9, 30)');
    const after = await partitions();
    // The rows of the day of the read are in the default partition, and stay there. At midnight another day begins.
    expect(after.length).toBeOneOf([9, 10]);
    expect(after).not.toContain('audit_reads_20250101');
    await read();
    await expect(query(`TRUNCATE ${after.at(0)}`)).rejects.toThrow('append-only');
    const [{ day }] = await query(`INSERT INTO audit (is_read, at, guild_id, actor_source, operation, outcome)
                   VALUES (true, now() + interval '2 days', '${guild.id}', 'token', 'bans.list', 'performed')
                   RETURNING to_char(at AT TIME ZONE 'UTC', 'YYYYMMDD') AS day`);
    const ofThatDay = `audit_reads_${day}`;
    expect(after).toContain(ofThatDay);
    expect(await query(`SELECT operation FROM ${ofThatDay}`)).toEqual([{ operation: 'bans.list' }]);
    await expect(query(`DELETE FROM ${ofThatDay}`)).rejects.toThrow('append-only');
    const parents = await query(
      `SELECT count(*)::int AS indexes FROM pg_index WHERE indrelid = 'audit_reads'::regclass`,
    );
    const own = await query(
      `SELECT count(*)::int AS indexes FROM pg_index WHERE indrelid = '${after.at(-1)}'::regclass`,
    );
    expect(own).toEqual(parents);
  });
});
