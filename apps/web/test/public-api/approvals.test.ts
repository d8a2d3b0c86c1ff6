// What a program learns of its approval requests, and how it waits for them.
import { request } from 'node:http';
import { verifies } from '@bailiff/core/testing';
import {
  type FakePerformer,
  giveTime,
  performersOf,
  type SeededGuild,
  type SeededToken,
  seedGuild,
  seedToken,
} from '@bailiff/engine/testing';
import { performAction } from '@bailiff/engine/worker/perform-action';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { guildForEachTest } from '#test/each-test.ts';
import { type Answer, callWithToken, type Person, serve, signedIn, type TestWeb } from '#test/support.ts';

let web: TestWeb;
let guild: SeededGuild;
let owner: Person;
let token: SeededToken;

guildForEachTest((given) => {
  ({ web, guild, owner } = given);
});
beforeEach(async () => {
  token = await seedToken(web.db, guild);
});

const query = async (text: string, ...values: unknown[]) => (await web.db.pool.query(text, values)).rows;

/** A destructive call that settles inside the database. */
function addStrike(reason = 'spam', secret = token.secret): Promise<Answer> {
  return callWithToken(web.runtime, secret, 'POST', `/guilds/${guild.id}/strikes`, {
    user_id: guild.memberId,
    reason,
    severity: 'minor',
    _confirmation: `ADD STRIKE TO USER ${guild.memberId} IN GUILD ${guild.id} SEVERITY MINOR`,
  });
}

function follow(id: string, prefer?: string, secret = token.secret): Promise<Answer> {
  const headers = prefer === undefined ? {} : { Prefer: prefer };
  const path = `/guilds/${guild.id}/approvals/${id}`;
  return callWithToken(web.runtime, secret, 'GET', path, undefined, headers);
}

/** The request that a call left. */
async function ask(reason?: string): Promise<string> {
  const { status, body } = await addStrike(reason);
  expect([status, body.error.code, body.error.details.approval_state]).toEqual([
    403,
    'RE_AUTH_REQUIRED',
    'pending',
  ]);
  return body.error.details.approval_id;
}

async function decide(id: string, decision: string): Promise<void> {
  expect((await owner.call('POST', `/api/approvals/${id}`, { decision })).status).toBe(200);
}

const PENDING = { state: 'pending', scope: null, approved_until: null, decided_at: null, action_id: null };
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('an approval request', () => {
  it('is pending until the owner decides; it costs a read and is recorded', async () => {
    verifies('approval.follow.states');
    const id = await ask();
    const { status, headers, body } = await follow(id);
    expect(status).toBe(200);
    expect(body).toEqual({ id, operation: 'strikes.add', asked_at: TIME, lapses_at: TIME, ...PENDING });
    expect(headers.get('Retry-After')).toBe('5');
    expect(headers.get('RateLimit')).toContain('"token";r=119');
    expect(
      await query(
        "SELECT outcome, target_id FROM audit WHERE operation = 'approvals.get' AND token_id = $1",
        token.id,
      ),
    ).toEqual([{ outcome: 'performed', target_id: id }]);
  });

  it('of one call is approved, used, or withdrawn', async () => {
    verifies('approval.follow.states');
    const [used, withdrawn, closed] = [await ask('used'), await ask('withdrawn'), await ask('closed')];
    for (const id of [used, withdrawn, closed]) {
      await decide(id, 'call');
      const { headers, body } = await follow(id);
      expect(body).toMatchObject({
        state: 'approved',
        scope: 'call',
        approved_until: TIME,
        decided_at: TIME,
      });
      expect(headers.has('Retry-After')).toBe(false);
    }
    expect((await addStrike('used')).status).toBe(201);
    const [action] = await query('SELECT id FROM actions WHERE token_id = $1', token.id);
    expect((await follow(used)).body).toMatchObject({
      state: 'used',
      scope: 'call',
      approved_until: null,
      action_id: action.id,
    });
    await decide(withdrawn, 'withdraw');
    expect((await follow(withdrawn)).body).toMatchObject({ state: 'withdrawn', approved_until: null });
    await owner.call('DELETE', `/api/api-tokens/${token.id}/reauth-window`);
    expect((await follow(closed)).body).toMatchObject({ state: 'withdrawn', scope: 'call' });
  });

  it('of one call is the approval of that call also beside an open window, as the call will use it up', async () => {
    verifies('approval.follow.states');
    const id = await ask();
    await decide(id, 'call');
    const alone = (await follow(id)).body;
    await owner.call('POST', `/api/api-tokens/${token.id}/reauth-window`);
    expect(alone.scope).toBe('call');
    expect((await follow(id)).body).toEqual(alone);
    expect((await addStrike()).status).toBe(201);
    const [left] = await query(
      'SELECT count(*)::int AS open FROM windows WHERE token_id = $1 AND digest IS NOT NULL AND closed_at IS NULL',
      token.id,
    );
    expect(left).toEqual({ open: 0 });
  });

  it('is approved while any window of its token is open, and pending again when that closes', async () => {
    verifies('approval.follow.states');
    const [first, second] = [await ask('first'), await ask('second')];
    const window = async () => (await callWithToken(web.runtime, token.secret, 'GET', '/me')).body.window;
    await decide(await ask('one call'), 'call');
    expect(await window(), 'one call opens no window for others').toEqual({ open: false });
    await decide(first, 'window');
    expect(await window()).toMatchObject({ open: true });
    for (const id of [first, second]) {
      expect((await follow(id)).body).toMatchObject({
        state: 'approved',
        scope: 'window',
        approved_until: TIME,
      });
    }
    expect((await addStrike('first')).status).toBe(201);
    expect((await follow(first)).body).toMatchObject({
      state: 'used',
      scope: 'window',
      approved_until: TIME,
    });
    await owner.call('DELETE', `/api/api-tokens/${token.id}/reauth-window`);
    expect((await follow(second)).body).toMatchObject(PENDING);
  });

  it('lapses where nobody decides, and where an approved call is not made', async () => {
    verifies('approval.follow.states');
    const [undecided, unmade] = [await ask('undecided'), await ask('unmade')];
    await decide(unmade, 'call');
    await query(
      "UPDATE windows SET opened_at = now() - interval '1 hour', expires_at = now() - make_interval(secs => 1) WHERE token_id = $1",
      token.id,
    );
    await query(
      'UPDATE approval_requests SET expires_at = now() - make_interval(secs => 1) WHERE token_id = $1',
      token.id,
    );
    expect((await follow(undecided)).body).toMatchObject({ ...PENDING, state: 'lapsed' });
    expect((await follow(unmade)).body).toMatchObject({
      state: 'lapsed',
      scope: 'call',
      approved_until: null,
    });
  });

  it('of another token or guild does not exist, and a malformed id is none', async () => {
    verifies('approval.follow.others');
    const id = await ask();
    const sibling = await seedToken(web.db, guild);
    expect((await follow(id, undefined, sibling.secret)).body.error.code).toBe('NOT_FOUND');
    const elsewhere = await seedGuild(web.db);
    const stranger = await seedToken(web.db, elsewhere);
    const path = `/guilds/${elsewhere.id}/approvals/${id}`;
    expect((await callWithToken(web.runtime, stranger.secret, 'GET', path)).status).toBe(404);
    expect((await follow(id, undefined, stranger.secret)).body.error.code).toBe('FORBIDDEN');
    expect((await follow(`apr_${'0'.repeat(32)}`, 'wait=60')).status).toBe(404);
    for (const malformed of ['apr_1', 'act_0190b7c44a3c7d3a9c3f2f6f0e8a1b2c', '%00', '..%2f']) {
      expect([malformed, (await follow(malformed)).status]).toEqual([malformed, 400]);
    }
  });

  it('is one of few, however many different calls ask: what was decided stays, and what lapsed last', async () => {
    verifies('ops.growth');
    const [decided, first] = [await ask('decided'), await ask('first')];
    await decide(decided, 'refuse');
    const asked: string[] = [];
    for (let nth = 0; nth < 120; nth += 1) asked.push(await ask(`number ${nth}`));
    const kept = await query('SELECT id FROM approval_requests WHERE token_id = $1', token.id);
    expect(kept).toHaveLength(101);
    const stateOf = async (id = '') => (await follow(id)).body.state;
    expect(await stateOf(decided)).toBe('refused');
    expect(await Promise.all([69, 70, 119].map((nth) => stateOf(asked[nth])))).toEqual([
      ...['lapsed', 'pending', 'pending'],
    ]);
    expect((await follow(first)).status).toBe(404);
    const toLearn = 'SELECT FROM graphile_worker.jobs WHERE key = ANY ($1)';
    expect(
      await query(
        toLearn,
        asked.map((id) => `learn_subject:${id}`),
      ),
    ).toHaveLength(50);
  });

  it('is one for the same call asked many times at once, and admits it once', async () => {
    verifies('approval.asked-twice');
    const asked = await Promise.all(Array.from({ length: 4 }, () => ask()));
    expect(new Set(asked).size).toBe(1);
    await decide(asked[0] ?? '', 'call');
    const made = await Promise.all([addStrike(), addStrike()]);
    expect(made.map(({ status }) => status).sort()).toEqual([201, 403]);
    const again = made.find(({ status }) => status === 403)?.body.error.details;
    expect(again.approval_state).toBe('pending');
    expect(again.approval_id).not.toBe(asked[0]);
  });
});

describe('a ban that is allowed once', () => {
  const path = () => `/guilds/${guild.id}/bans`;
  const ban = (key: string) =>
    callWithToken(
      web.runtime,
      token.secret,
      'POST',
      path(),
      {
        user_id: guild.memberId,
        reason: 'raid',
        _confirmation: `BAN USER ${guild.memberId} IN GUILD ${guild.id} PERMANENT`,
      },
      { 'Idempotency-Key': key },
    );
  const askForBan = async (key: string): Promise<string> => (await ban(key)).body.error.details.approval_id;
  const done = async () => ({ state: 'done' as const, write: async () => ({ ban: {} }) as never });
  const away = async () => ({
    state: 'failed' as const,
    error: {
      code: 'UPSTREAM_UNAVAILABLE' as const,
      message: 'Discord is away.',
      status: 502,
      details: { upstream: 'discord', outcome: 'not_performed' } as const,
    },
  });
  /** The answer to a ban that a bot takes up and performs so. */
  async function banBy(perform: FakePerformer['perform'], key: string): Promise<Answer> {
    const takeTimeBack = giveTime('bot');
    const answer = ban(key).finally(takeTimeBack);
    const waiting = "SELECT id FROM actions WHERE guild_id = $1 AND state = 'pending'";
    await expect.poll(() => query(waiting, guild.id)).toHaveLength(1);
    const [{ id }] = await query(waiting, guild.id);
    const performers = performersOf({ perform, verify: done });
    await performAction(web.db, performers, id, { info: () => {}, error: () => {} });
    return answer;
  }

  it('is allowed still while it certainly did not happen, and then once', async () => {
    verifies('approval.once.admits');
    const id = await askForBan('first');
    await decide(id, 'call');
    const { approved_until } = (await follow(id)).body;
    expect((await ban('first')).status, 'no bot comes').toBe(503);
    expect((await banBy(away, 'first')).status).toBe(502);
    expect((await follow(id)).body).toMatchObject({ state: 'approved', approved_until, action_id: null });

    expect((await banBy(done, 'first')).status).toBe(201);
    const [action] = await query("SELECT id FROM actions WHERE guild_id = $1 AND state = 'done'", guild.id);
    expect((await follow(id)).body).toMatchObject({ state: 'used', action_id: action.id });
    expect((await ban('first')).headers.get('Idempotent-Replayed')).toBe('true');
    expect((await ban('second')).body.error.code).toBe('RE_AUTH_REQUIRED');
  });

  it('is made once by two callers at once, also after it did not happen', async () => {
    verifies('approval.once.admits');
    await decide(await askForBan('first'), 'call');
    const answers = await Promise.all([ban('one'), ban('two')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([403, 503]);
    const again = await Promise.all([banBy(done, 'one'), ban('two')]);
    expect(again.map(({ status }) => status).sort()).toEqual([201, 403]);
  });

  it('is not allowed any more if the allowance ran out meanwhile', async () => {
    const id = await askForBan('first');
    await decide(id, 'call');
    const late = await banBy(async () => {
      await query('UPDATE windows SET expires_at = clock_timestamp() WHERE token_id = $1', token.id);
      return away();
    }, 'first');
    expect(late.status).toBe(502);
    expect((await ban('first')).body.error.code).toBe('RE_AUTH_REQUIRED');
  });

  it.each([
    [
      'withdraws it',
      409,
      (id: string) => owner.call('POST', `/api/approvals/${id}`, { decision: 'withdraw' }),
    ],
    ['closes the windows', 200, () => owner.call('DELETE', `/api/api-tokens/${token.id}/reauth-window`)],
    [
      'is another person',
      200,
      async () => {
        await query('UPDATE guilds SET owner_id = $2 WHERE id = $1', guild.id, guild.moderatorId);
        await query('UPDATE guilds SET owner_id = $2 WHERE id = $1', guild.id, guild.ownerId);
        return { status: 200 };
      },
    ],
    [
      'refuses the same call, asked again with another key,',
      200,
      async () => owner.call('POST', `/api/approvals/${await askForBan('second')}`, { decision: 'refuse' }),
    ],
  ])('is not allowed any more if the owner %s while it is tried', async (_what, expected, end) => {
    verifies('approval.once.admits');
    const id = await askForBan('first');
    await decide(id, 'call');
    const ended: number[] = [];
    const tried = await banBy(async () => {
      ended.push((await end(id)).status);
      return away();
    }, 'first');
    expect([tried.status, ended]).toEqual([502, [expected]]);
    expect((await ban('first')).body.error.code).toBe('RE_AUTH_REQUIRED');
  });

  it('is not begun any more if the owner refuses the same call before a bot takes it up', async () => {
    verifies('approval.refused.remembered');
    onTestFinished(giveTime('bot'));
    await decide(await askForBan('first'), 'call');
    const answer = ban('first');
    const ofGuild = 'SELECT state FROM actions WHERE guild_id = $1';
    await expect.poll(() => query(ofGuild, guild.id)).toEqual([{ state: 'pending' }]);
    await decide(await askForBan('second'), 'refuse');
    expect(await query(ofGuild, guild.id)).toEqual([{ state: 'cancelled' }]);
    expect((await answer).body.error.code).toBe('RE_AUTH_REQUIRED');
  });

  it('decides what was asked of the same call meanwhile, so that it is not allowed once more', async () => {
    verifies('approval.once.admits');
    const id = await askForBan('first');
    await decide(id, 'call');
    const asked: string[] = [];
    await banBy(async () => {
      asked.push(await askForBan('second'));
      return away();
    }, 'first');
    const [second = ''] = asked;
    const states = async () =>
      (await query('SELECT state FROM approval_requests WHERE id = ANY ($1) ORDER BY id', [id, second])).map(
        ({ state }) => state,
      );
    expect(await states()).toEqual(['approved_call', 'pending']);
    const meanwhile: string[] = [];
    await banBy(async () => {
      meanwhile.push(...(await states()));
      return away();
    }, 'second');
    expect(meanwhile).toEqual(['approved_call', 'approved_call']);
    expect(await states(), 'what did not happen decides nothing').toEqual(['approved_call', 'pending']);
    expect((await banBy(done, 'second')).status).toBe(201);
    for (const each of [id, second]) {
      expect((await follow(each)).body).toMatchObject({ state: 'used', scope: 'call' });
      expect((await owner.call('POST', `/api/approvals/${each}`, { decision: 'call' })).status).toBe(409);
    }
    expect((await ban('third')).body.error.code).toBe('RE_AUTH_REQUIRED');
  });

  it('has one open request, however often it was asked for meanwhile, and asks for approval when the allowance is over', async () => {
    verifies('approval.once.admits');
    await decide(await askForBan('first'), 'call');
    await banBy(async () => {
      await askForBan('second');
      return away();
    }, 'first');
    await banBy(async () => {
      await askForBan('third');
      return away();
    }, 'second');
    await query('UPDATE windows SET expires_at = now() WHERE digest IS NOT NULL');
    const id = await askForBan('fourth');
    const open =
      "SELECT id FROM approval_requests WHERE token_id = $1 AND state = 'pending' AND expires_at > now()";
    expect(await query(open, token.id)).toEqual([{ id }]);
  });

  /** The second request for a call that is tried twice in vain; `happens` while it is tried for the last time. */
  async function askAgainBefore(happens: () => Promise<unknown>): Promise<string> {
    await decide(await askForBan('first'), 'call');
    let second = '';
    await banBy(async () => {
      second = await askForBan('second');
      return away();
    }, 'first');
    await banBy(async () => {
      await happens();
      return away();
    }, 'second');
    return second;
  }

  it('waits for a decision again if the allowance ended during the last try', async () => {
    verifies('approval.once.admits');
    const second = await askAgainBefore(() =>
      query('UPDATE windows SET expires_at = now() WHERE digest IS NOT NULL'),
    );
    expect((await follow(second)).body).toMatchObject({ state: 'pending' });
    await decide(second, 'call');
    expect((await banBy(done, 'third')).status).toBe(201);
  });

  it('waits for no decision of another owner if the guild changed hands during the last try', async () => {
    verifies('approval.once.admits');
    const second = await askAgainBefore(() =>
      query('UPDATE guilds SET owner_id = $2 WHERE id = $1', guild.id, guild.moderatorId),
    );
    const other = await signedIn(web, guild.moderatorId);
    const attempt = await other.call('POST', `/api/approvals/${second}`, { decision: 'call' });
    expect([attempt.status, attempt.body.error?.message]).toEqual([409, expect.stringContaining('lapsed')]);
  });
});

describe('a refused call', () => {
  it('asks nobody again within an hour; another call does, and an hour later this one too', async () => {
    verifies('approval.refused.remembered');
    const id = await ask();
    await decide(id, 'refuse');
    expect((await follow(id)).body).toMatchObject({ state: 'refused', scope: null, decided_at: TIME });
    const { status, body } = await addStrike();
    expect([status, body.error.code]).toEqual([403, 'RE_AUTH_REQUIRED']);
    expect(body.error.details).toMatchObject({ approval_state: 'refused', approval_id: id });
    expect(new URL(body.error.details.reauth_url).searchParams.get('approval')).toBe(id);
    expect(await query('SELECT id FROM approval_requests WHERE token_id = $1', token.id)).toHaveLength(1);
    await ask('another');
    await query("UPDATE approval_requests SET decided_at = now() - interval '61 minutes' WHERE id = $1", id);
    expect(await ask()).not.toBe(id);
  });

  it('can be allowed after all within the hour, but not by who does not know that it was refused', async () => {
    verifies('approval.refused.allowed');
    const statusOf = async (id: string, decision: string) =>
      (await owner.call('POST', `/api/approvals/${id}`, { decision })).status;
    const id = await ask('after all');
    expect(await statusOf(id, 'call_after_refusal')).toBe(409);
    await decide(id, 'refuse');
    // A page that has not heard of it still shows the request as waiting.
    for (const decision of ['call', 'window', 'refuse']) expect(await statusOf(id, decision)).toBe(409);
    await decide(id, 'call_after_refusal');
    expect((await follow(id)).body).toMatchObject({ state: 'approved', scope: 'call' });
    expect((await addStrike('after all')).status).toBe(201);
    expect((await follow(id)).body.state).toBe('used');

    const late = await ask('late');
    await decide(late, 'refuse');
    await query(
      "UPDATE approval_requests SET decided_at = now() - interval '61 minutes' WHERE id = $1",
      late,
    );
    expect(await statusOf(late, 'call_after_refusal')).toBe(409);
  });
});

describe('a refused call that is made in a window', () => {
  it('was allowed after all, and its request says so', async () => {
    verifies('approval.refused.allowed');
    const id = await ask('in a window');
    await decide(id, 'refuse');
    await owner.call('POST', `/api/api-tokens/${token.id}/reauth-window`);
    expect((await addStrike('in a window')).status).toBe(201);
    expect((await follow(id)).body).toMatchObject({ state: 'used', scope: 'window' });
  });
});

describe('a muted token', () => {
  it('asks for nothing until it may again, and a window still admits its calls', async () => {
    verifies('approval.muted');
    const path = `/api/api-tokens/${token.id}`;
    const waits = await ask('waits');
    for (const _twice of [1, 2]) {
      expect((await owner.call('POST', `${path}/mute`)).body.token.is_muted).toBe(true);
    }
    const { body } = await addStrike();
    expect(body.error.details.approval_state).toBe('muted');
    expect(body.error.details).not.toHaveProperty('approval_id');
    expect(await query('SELECT id FROM approval_requests WHERE token_id = $1', token.id)).toEqual([
      { id: waits },
    ]);
    await decide(waits, 'window');
    expect((await addStrike()).status).toBe(201);
    await owner.call('DELETE', `${path}/reauth-window`);
    expect((await owner.call('POST', `${path}/unmute`)).body.token.is_muted).toBe(false);
    await ask();
    const recorded = await query(
      "SELECT operation, actor_user_id FROM audit WHERE token_id = $1 AND operation LIKE 'tokens.%' ORDER BY id",
      token.id,
    );
    expect(recorded).toEqual(
      ['tokens.mute', 'tokens.unmute'].map((operation) => ({ operation, actor_user_id: guild.ownerId })),
    );
  });

  it('is muted by its owner alone', async () => {
    verifies('approval.muted');
    const other = await signedIn(web, (await seedGuild(web.db)).ownerId);
    expect((await other.call('POST', `/api/api-tokens/${token.id}/mute`)).status).toBe(404);
    await ask();
  });
});

describe('waiting for a decision', () => {
  it('ends with it, and costs one read', async () => {
    verifies('approval.wait');
    const id = await ask();
    const waiting = follow(id, 'wait=60');
    await readsRecorded(1);
    await decide(id, 'call');
    const { headers, body } = await waiting;
    expect(body.state).toBe('approved');
    expect(headers.get('Preference-Applied')).toBe('wait=60');
    expect(headers.has('Retry-After')).toBe(false); // it is decided
    expect(headers.get('RateLimit')).toContain('"token";r=119');
    await readsRecorded(1);
    expect((await follow(id, 'wait=60')).headers.has('Preference-Applied')).toBe(false); // nothing to wait for
  });

  it('ends when a window of the token opens, and with the time that was asked for', async () => {
    verifies('approval.wait');
    const id = await ask();
    const waiting = follow(id, 'wait=60');
    await readsRecorded(1);
    await owner.call('POST', `/api/api-tokens/${token.id}/reauth-window`);
    expect((await waiting).body).toMatchObject({ state: 'approved', scope: 'window' });
    await owner.call('DELETE', `/api/api-tokens/${token.id}/reauth-window`);
    const { headers, body } = await follow(id, 'wait=1');
    expect([body.state, headers.get('Preference-Applied')]).toEqual(['pending', 'wait=1']);
    expect(headers.get('Retry-After')).toBe('5');
  });

  it('gets TOKEN_REVOKED when the token is revoked meanwhile', async () => {
    verifies('approval.wait.revoked');
    const id = await ask();
    const waiting = follow(id, 'wait=60');
    await readsRecorded(1);
    await owner.call('DELETE', `/api/api-tokens/${token.id}`);
    const { status, body } = await waiting;
    expect([status, body.error.code]).toEqual([401, 'TOKEN_REVOKED']);
  });

  it('misses no decision that is made while the connection for notifications is lost', async () => {
    verifies('approval.wait');
    const id = await ask();
    const waiting = follow(id, 'wait=60');
    await readsRecorded(1);
    const lost = await query(
      `SELECT pg_terminate_backend(pid, 10000) AS ended FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'bailiff-web listen'`,
    );
    expect(lost).toEqual([{ ended: true }]);
    const lostAt = performance.now();
    await decide(id, 'call');
    expect((await waiting).body.state).toBe('approved');
    // Once it is connected again, after a second or two, and not when the 60 seconds are over.
    expect(performance.now() - lostAt).toBeLessThan(45_000);
  });

  it('is for four of a token at once; who comes over that is answered at once', async () => {
    verifies('approval.wait.bounded');
    const id = await ask();
    const waiting = Array.from({ length: 5 }, () => follow(id, 'wait=60'));
    const first = await Promise.race(waiting);
    expect([first.body.state, first.headers.has('Preference-Applied')]).toEqual(['pending', false]);
    await decide(id, 'refuse');
    const answers = await Promise.all(waiting);
    expect(answers.filter(({ body }) => body.state === 'refused')).toHaveLength(4);
  });

  it('gives its place back when its client leaves', async () => {
    verifies('approval.wait.released');
    const server = await serve(web);
    try {
      const id = await ask();
      const headers = { Authorization: `Bearer ${token.secret}`, Prefer: 'wait=60' };
      const path = `/api/public/v1/guilds/${guild.id}/approvals/${id}`;
      const clients = Array.from({ length: 4 }, () => request({ port: server.port, path, headers }).end());
      for (const client of clients) client.on('error', () => {});
      await readsRecorded(4);
      for (const client of clients) client.destroy();
      await expect
        .poll(async () => (await follow(id, 'wait=1')).headers.get('Preference-Applied'))
        .toBe('wait=1');
    } finally {
      server.close();
    }
  });
});

/** Waits until so many reads of approvals by the token are recorded. */
async function readsRecorded(count: number): Promise<void> {
  const recorded = () =>
    query("SELECT id FROM audit WHERE operation = 'approvals.get' AND token_id = $1", token.id);
  await expect.poll(async () => (await recorded()).length).toBe(count);
}
