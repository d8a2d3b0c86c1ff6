import { digestOf, OPERATIONS, REST_OPERATION_NAMES } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { seedToken, seedWindow } from '@bailiff/engine/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PublicApiHarness, sentinel, startPublicApi } from './harness.ts';
import { readCalls } from './read-calls.ts';

let api: PublicApiHarness;

beforeEach(async () => {
  api = await startPublicApi();
});

afterEach(async () => {
  await api.close();
});

function strike(overrides: object = {}) {
  const input = { user_id: api.guild.memberId, reason: 'spam', severity: 'minor', ...overrides };
  return { ...input, _confirmation: sentinel('strikes.add', api.guild, input) };
}

const addStrike = (body: object) => api.inGuild('/strikes', { method: 'POST', body });

describe('a destructive call without a window', () => {
  it('is refused with the page where the owner approves, and nothing is performed', async () => {
    verifies(
      'window.required.strikes.add',
      'approval.details',
      'approval.created',
      'audit.refused.no-window',
    );
    const body = strike();
    const answer = await addStrike(body);

    expect(answer.status).toBe(403);
    expect(answer.body.error).toMatchObject({ code: 'RE_AUTH_REQUIRED', retryable: false });
    const { reauth_url, approval_id } = answer.body.error.details;
    expect(approval_id).toMatch(/^apr_/);
    expect(new URL(reauth_url).searchParams.get('token')).toBe(api.token.id);

    expect((await api.inGuild('/strikes')).body.data).toEqual([]);
    const { rows } = await api.database.pool.query(
      'SELECT *, extract(epoch FROM now() - created_at)::float8 AS age FROM approval_requests',
    );
    const { _confirmation, ...input } = body;
    expect(rows).toMatchObject([
      {
        id: approval_id,
        guild_id: api.guild.id,
        operation: 'strikes.add',
        target_type: 'user',
        target_id: api.guild.memberId,
        token_id: api.token.id,
        digest: digestOf('strikes.add', api.guild.id, input as never),
        request_id: answer.headers.get('X-Request-Id'),
        address: '192.0.2.1',
        state: 'pending',
      },
    ]);
    expect(rows[0].input).toEqual(input);
    expect(rows[0].age).toBeLessThan(60);
    expect(await api.audit('strikes.add')).toMatchObject([{ outcome: 'refused', code: 'RE_AUTH_REQUIRED' }]);
  });

  it('renews its approval request when it asks again, and leaves another for another call', async () => {
    const first = await addStrike(strike());
    const again = await addStrike(strike());
    const other = await addStrike(strike({ severity: 'major' }));
    expect(again.body.error.details.approval_id).toBe(first.body.error.details.approval_id);
    expect(other.body.error.details.approval_id).not.toBe(first.body.error.details.approval_id);
  });

  it('is not helped by the window of another token', async () => {
    verifies('window.other-token', 'G8');
    await seedWindow(api.database, api.guild, await seedToken(api.database, api.guild));
    expect((await addStrike(strike())).body.error.code).toBe('RE_AUTH_REQUIRED');
  });
});

describe('in an open window', () => {
  beforeEach(() => seedWindow(api.database, api.guild, api.token));

  it('a right sentinel is admitted, again and again, with both shapes in the answer', async () => {
    verifies('window.admits-many', 'strikes.add.response', 'sentinel.strikes.add.minor', 'audit.token-call');
    const body = strike();
    const answer = await addStrike(body);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      strike: {
        user_id: api.guild.memberId,
        severity: 'minor',
        case_number: 1,
        active: true,
        reason: 'spam',
      },
      user_id: api.guild.memberId,
      issued_by: api.guild.ownerId,
    });
    expect(answer.body.strike_id).toBe(answer.body.strike.id);
    expect((await addStrike(strike())).body.strike.case_number).toBe(2);
    const { _confirmation, ...input } = body;
    const call = {
      actor_source: 'token',
      actor_user_id: api.guild.ownerId,
      token_id: api.token.id,
      token_name: 'seeded',
      operation: 'strikes.add',
      target_type: 'user',
      target_id: api.guild.memberId,
      request_id: answer.headers.get('X-Request-Id'),
      address: '192.0.2.1',
      digest: digestOf('strikes.add', api.guild.id, input as never),
    };
    expect((await api.audit('strikes.add')).slice(0, 2)).toMatchObject([
      { outcome: 'requested', ...call },
      { outcome: 'performed', ...call },
    ]);
  });

  it('a wrong or absent sentinel gets the right one in the error, which is then admitted', async () => {
    verifies(
      'sentinel.strikes.add.mismatch',
      'sentinel.missing',
      'audit.refused.wrong-sentinel',
      'sentinel.canonical',
    );
    const { _confirmation, ...input } = strike();
    const absent = await addStrike(input);
    const wrong = await addStrike({ ...input, _confirmation: 'ADD STRIKE' });
    for (const answer of [absent, wrong]) {
      expect(answer.status).toBe(422);
      expect(answer.body.error.code).toBe('INVALID_CONFIRMATION');
      expect(answer.body.error.details).toEqual({
        expected_format: 'ADD STRIKE TO USER {user_id} IN GUILD {guildId} SEVERITY {MINOR or MAJOR}',
        expected_concrete: `ADD STRIKE TO USER ${api.guild.memberId} IN GUILD ${api.guild.id} SEVERITY MINOR`,
      });
    }
    const corrected = { ...input, _confirmation: wrong.body.error.details.expected_concrete };
    expect((await addStrike(corrected)).status).toBe(201);
    expect((await api.audit('strikes.add'))[0]).toMatchObject({
      outcome: 'refused',
      code: 'INVALID_CONFIRMATION',
    });
  });

  it('a sentinel that is no string is a wrong field', async () => {
    verifies('sentinel.not-a-string');
    const answer = await addStrike({ ...strike(), _confirmation: 7 });
    expect(answer).toMatchObject({ status: 422, body: { error: { code: 'VALIDATION_FAILED' } } });
  });

  it('lower case and doubled spaces are the same sentinel', async () => {
    verifies('sentinel.normalise.case', 'sentinel.normalise.whitespace', 'sentinel.normalise.trim');
    const body = strike();
    const sloppy = `  ${body._confirmation.toLowerCase().replaceAll(' ', '  \t')}\n`;
    expect((await addStrike({ ...body, _confirmation: sloppy })).status).toBe(201);
  });

  it('the guild of the sentinel is that of the path', async () => {
    verifies('sentinel.guild-from-path', 'sentinel.choice-literal');
    const body = strike();
    for (const forged of [
      body._confirmation.replace(api.guild.id, '123456789012345678'),
      body._confirmation.replace(api.guild.memberId, api.guild.strangerId),
      body._confirmation.replace('MINOR', 'MAJOR'),
      body._confirmation.replace('MINOR', '{MINOR or MAJOR}'),
    ]) {
      expect((await addStrike({ ...body, _confirmation: forged })).body.error.code).toBe(
        'INVALID_CONFIRMATION',
      );
    }
  });

  it('that has been closed or has expired, the call needs approval again', async () => {
    verifies('window.delete.closes', 'window.expires', 'G8');
    await api.database.pool.query("UPDATE windows SET expires_at = now() + interval '1 minute'");
    expect((await addStrike(strike())).status).toBe(201);
    await api.database.pool.query('UPDATE windows SET expires_at = now() - make_interval(secs => 1)');
    expect((await addStrike(strike())).body.error.code).toBe('RE_AUTH_REQUIRED');
    await api.database.pool.query(
      "UPDATE windows SET expires_at = now() + interval '1 hour', closed_at = now()",
    );
    expect((await addStrike(strike())).body.error.code).toBe('RE_AUTH_REQUIRED');
  });
});

describe('an approval of this call only', () => {
  it('admits the call with that digest once, and no other', async () => {
    verifies('approval.once.admits', 'approval.once.other-call');
    const { _confirmation, ...input } = strike();
    await seedWindow(
      api.database,
      api.guild,
      api.token,
      digestOf('strikes.add', api.guild.id, input as never),
    );
    expect((await addStrike(strike({ reason: 'another' }))).body.error.code).toBe('RE_AUTH_REQUIRED');
    expect((await addStrike({ ...input, _confirmation: 'wrong' })).body.error.code).toBe(
      'INVALID_CONFIRMATION',
    );
    expect((await addStrike(strike())).status).toBe(201);
    expect((await addStrike(strike())).body.error.code).toBe('RE_AUTH_REQUIRED');
  });
});

describe('reads', () => {
  it('need neither window nor sentinel, and are recorded', async () => {
    verifies('window.not-required.reads', 'audit.reads');
    const reads = await readCalls(api);
    for (const [operation, path] of reads) {
      const { status, headers } = await api.call(path);
      expect(status, operation).toBe(200);
      expect(await api.audit(operation), operation).toMatchObject([
        {
          is_read: true,
          outcome: 'performed',
          actor_source: 'token',
          token_id: api.token.id,
          request_id: headers.get('X-Request-Id'),
        },
      ]);
    }
    const all = REST_OPERATION_NAMES.filter((name) => OPERATIONS[name].http.method === 'GET');
    expect(reads.map(([operation]) => operation).sort()).toEqual([...all].sort());
  });
});
