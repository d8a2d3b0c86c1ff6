import { randomUUID } from 'node:crypto';
import { TIERS } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { seedToken, seedWindow } from '@bailiff/engine/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PublicApiHarness, sentinel, startPublicApi } from './harness.ts';

let api: PublicApiHarness;

beforeEach(async () => {
  api = await startPublicApi();
  await seedWindow(api.database, api.guild, api.token);
});

afterEach(async () => {
  await api.close();
});

function addStrike(token = api.token, key: string = randomUUID()) {
  const input = { user_id: api.guild.memberId, reason: 'spam', severity: 'minor' };
  const body = { ...input, _confirmation: sentinel('strikes.add', api.guild, input) };
  return api.inGuild('/strikes', { method: 'POST', token, body, headers: { 'Idempotency-Key': key } });
}

/** The answer to a strike. Where a busy database answered none in time, it is asked for again with the same key. */
async function addStrikeAtLast(key: string) {
  for (;;) {
    const answer = await addStrike(api.token, key);
    if (answer.status !== 502 && answer.status !== 503) return answer;
  }
}

async function balances() {
  const { rows } = await api.database.pool.query('SELECT holder_id, balance FROM budgets WHERE tier = $1', [
    'destructive_write',
  ]);
  return Object.fromEntries(rows.map(({ holder_id, balance }) => [holder_id, Math.floor(balance)]));
}

describe('budgets', () => {
  it('of 50 calls at once admit exactly the capacity', async () => {
    verifies('pipeline.recheck.budgets', 'G4', 'H8');
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => addStrikeAtLast(`call-${n}`)));
    const admitted = answers.filter(({ status }) => status === 201);
    expect(admitted).toHaveLength(TIERS.destructive_write.capacity);
    const numbers = admitted.map(({ body }) => body.strike.case_number).sort();
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6]);
    for (const refused of answers.filter(({ status }) => status !== 201)) {
      expect(refused.status).toBe(429);
      const { details } = refused.body.error;
      expect(details).toMatchObject({ tier: 'destructive_write' });
      expect(Number(refused.headers.get('Retry-After'))).toBe(details.retry_after_seconds);
      expect(details.retry_after_seconds).toBeLessThanOrEqual(60);
    }
  });

  it('are both unchanged by a refusal, whichever was used up', async () => {
    verifies('G4', 'H9');
    const other = await seedToken(api.database, api.guild);
    await seedWindow(api.database, api.guild, other);
    for (let n = 0; n < 6; n += 1) expect((await addStrike()).status).toBe(201);
    const before = await balances();
    const refused = await addStrike(other);
    expect(refused.body.error.details).toMatchObject({ scope: 'user', tier: 'destructive_write' });
    expect(await balances()).toEqual({ ...before, [other.id]: 6 });
  });

  it('leave a counted row in the audit log where they refuse a destructive call, and none for others', async () => {
    verifies('audit.refused.no-budget');
    for (let n = 0; n < 9; n += 1) expect((await addStrike()).status).toBe(n < 6 ? 201 : 429);
    const edit = () =>
      api.inGuild(`/cases/str_${'0'.repeat(32)}`, { method: 'PATCH', body: { reason: 'spam' } });
    await edit();
    await api.database.pool.query(
      "UPDATE budgets SET balance = 0, updated_at = now() WHERE tier = 'reversible_write'",
    );
    expect((await edit()).status).toBe(429);
    const refused = (await api.audit()).filter(({ outcome }) => outcome === 'refused');
    expect(refused).toMatchObject([
      {
        operation: 'strikes.add',
        code: 'RATE_LIMITED',
        target_id: api.guild.memberId,
        token_id: api.token.id,
      },
    ]);
    const { rows } = await api.database.pool.query('SELECT audit_id, count FROM refusal_counts');
    expect(rows).toEqual([{ audit_id: refused[0].id, count: 3 }]);
  });

  it('of the tiers are separate, and in the header', async () => {
    const destructive = await addStrike();
    expect(destructive.headers.get('RateLimit')).toMatch(
      /"token";r=5;t=\d+;tier="destructive_write", "user";r=5/,
    );
    expect(destructive.headers.get('RateLimit-Policy')).toMatch(/"token";q=6;w=360;tier="destructive_write"/);
    const read = await api.inGuild('/strikes');
    expect(read.headers.get('RateLimit')).toMatch(/"token";r=119;t=\d+;tier="read"/);
  });

  it('hold whatever the clock does', async () => {
    verifies('H10');
    await addStrike();
    await api.database.pool.query("UPDATE budgets SET updated_at = now() + interval '1 hour'");
    expect((await addStrike()).status).toBe(201);
    await api.database.pool.query("UPDATE budgets SET updated_at = now() - interval '1 hour', balance = 0");
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => addStrikeAtLast(`after-${n}`)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(6);
  });
});

describe('a bot that is away', () => {
  it('means 503 within the deadline, cancelled permanently', async () => {
    verifies('errors.upstream-unavailable.cancelled', 'G14', 'H23');
    const input = { user_id: api.guild.strangerId, reason: 'spam' };
    const body = { ...input, _confirmation: sentinel('bans.add', api.guild, input) };
    const answer = await api.inGuild('/bans', { method: 'POST', body });
    expect(answer.status).toBe(503);
    expect(answer.body.error).toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      retryable: true,
      details: { upstream: 'bot', outcome: 'not_performed', retry_after_seconds: 5 },
    });
    expect(answer.headers.get('Retry-After')).toBe('5');
    const { rows } = await api.database.pool.query('SELECT state FROM actions');
    expect(rows).toEqual([{ state: 'cancelled' }]);
    expect((await api.audit('bans.add')).map(({ outcome }) => outcome)).toEqual(['requested', 'cancelled']);
  });
});

describe('an Idempotency-Key', () => {
  it('performs once and answers the same again, free of charge and without a window', async () => {
    verifies(
      'idempotency.replay',
      'idempotency.replay-free',
      'idempotency.replay-no-window',
      'idempotency.other-body',
      'G10',
    );
    const input = { user_id: api.guild.memberId, reason: 'spam', severity: 'minor' };
    const send = (reason: string, key = 'k1') => {
      const fields = { ...input, reason };
      const body = { ...fields, _confirmation: sentinel('strikes.add', api.guild, fields) };
      return api.inGuild('/strikes', { method: 'POST', body, headers: { 'Idempotency-Key': key } });
    };
    const first = await send('spam');
    const before = await balances();
    await api.database.pool.query('UPDATE windows SET closed_at = now()');
    const again = await send('spam');
    expect(again.status).toBe(201);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(await balances()).toEqual(before);
    const other = await send('other');
    expect(other).toMatchObject({ status: 422, body: { error: { code: 'VALIDATION_FAILED' } } });
    expect((await api.inGuild('/strikes')).body.data).toHaveLength(1);
  });
});
