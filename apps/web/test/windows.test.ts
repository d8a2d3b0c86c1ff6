import { ERRORS, OAUTH_PATHS } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { countAttention } from '@bailiff/engine/desk/attention';
import { giveTime, type SeededGuild, type SeededToken, seedGuild, seedToken } from '@bailiff/engine/testing';
import { listApprovals } from '@bailiff/engine/tokens/approvals';
import { callsInWindows } from '@bailiff/engine/tokens/window-calls';
import { openWindowsOf } from '@bailiff/engine/tokens/windows';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { guildForEachTest } from './each-test.ts';
import { openRemovable } from './public-api/destructive-calls.ts';
import {
  askAsClient,
  call,
  callWithToken,
  type Person,
  signedIn,
  startTestWeb,
  type TestWeb,
} from './support.ts';

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

const path = () => `/api/api-tokens/${token.id}/reauth-window`;
const openWindows = async () =>
  (
    await web.db.pool.query(
      'SELECT id, digest FROM windows WHERE token_id = $1 AND closed_at IS NULL AND expires_at > now() ORDER BY id',
      [token.id],
    )
  ).rows;
const strike = (user_id = guild.memberId) => ({
  user_id,
  player_name: 'Bob',
  in_game_id: '77',
  reason: 'griefing',
  category: 'conduct',
  severity: 'minor',
});
/** A destructive call that settles inside the database. */
const addStrike = (confirmed: boolean, user_id = guild.memberId, by = token) =>
  callWithToken(web.runtime, by.secret, 'POST', `/guilds/${guild.id}/strikes`, {
    ...strike(user_id),
    ...(confirmed
      ? { _confirmation: `ADD STRIKE TO USER ${user_id} IN GUILD ${guild.id} SEVERITY MINOR` }
      : {}),
  });

describe('a window', () => {
  it('is named on the pages of its owner while it is open, and not once Bailiff has left the guild', async () => {
    await owner.call('POST', path());
    expect(await openWindowsOf(web.db, guild.ownerId)).toMatchObject([
      { tokenId: token.id, guildId: guild.id },
    ]);
    expect(await openWindowsOf(web.db, guild.moderatorId)).toEqual([]);
    await web.db.pool.query('UPDATE guilds SET left_at = now() WHERE id = $1', [guild.id]);
    expect(await openWindowsOf(web.db, guild.ownerId)).toEqual([]);
  });

  it('opens for 15 minutes; GET answers as POST did', async () => {
    verifies('window.open.response', 'window.open.expires-at', 'window.get.open');
    const { status, body } = await owner.call('POST', path());
    expect(status).toBe(200);
    expect(body).toEqual({
      open: true,
      window: {
        window_id: expect.stringMatching(/^win_[0-9a-f]{32}$/),
        expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    });
    const { rows } = await web.db.pool.query(
      'SELECT opened_at, expires_at FROM windows WHERE token_id = $1',
      [token.id],
    );
    expect(rows[0].expires_at - rows[0].opened_at).toBe(15 * 60_000);
    expect((await owner.call('GET', path())).body).toEqual(body);
  });

  it('is not open before, nor after it ran out', async () => {
    verifies('window.get.closed');
    expect((await owner.call('GET', path())).body).toEqual({ open: false });
    await owner.call('POST', path());
    await web.db.pool.query(
      'UPDATE windows SET expires_at = now() - make_interval(secs => 1) WHERE token_id = $1',
      [token.id],
    );
    expect((await owner.call('GET', path())).body).toEqual({ open: false });
  });

  it('that is opened again replaces the one before', async () => {
    verifies('window.open.replaces');
    const first = (await owner.call('POST', path())).body.window;
    const second = (await owner.call('POST', path())).body.window;
    expect(second.window_id).not.toBe(first.window_id);
    expect((await openWindows()).map(({ id }) => id)).toEqual([second.window_id]);
  });

  it('stays single when it is opened many times at once', async () => {
    verifies('window.open.replaces');
    await Promise.all(Array.from({ length: 8 }, () => owner.call('POST', path())));
    expect(await openWindows()).toHaveLength(1);
  });

  it('closes early, and the next destructive call is refused', async () => {
    verifies('window.delete.response', 'window.delete.closes', 'window.admits-many', 'G8');
    await owner.call('POST', path());
    expect((await addStrike(true)).status).toBe(201);
    expect((await addStrike(true, guild.moderatorId)).status).toBe(201);
    expect(await owner.call('DELETE', path())).toMatchObject({ status: 200, body: { open: false } });
    expect((await addStrike(true)).body.error.code).toBe('RE_AUTH_REQUIRED');
  });

  it('shows the calls made in it, the latest first, beside those in a later one of another token', async () => {
    const windowOf = async (id: string): Promise<string> =>
      (await owner.call('POST', `/api/api-tokens/${id}/reauth-window`)).body.window.window_id;
    const first = await windowOf(token.id);
    await addStrike(true);
    token = await seedToken(web.db, guild);
    const second = await windowOf(token.id);
    await addStrike(true, guild.moderatorId);
    await addStrike(true);
    const calls = await callsInWindows(web.db, guild.id, [second, first]);
    expect(calls.map(({ windowId, input }) => [windowId, input])).toEqual([
      [second, strike()],
      [second, strike(guild.moderatorId)],
      [first, strike()],
    ]);
    expect(await callsInWindows(web.db, (await seedGuild(web.db)).id, [first])).toEqual([]);
  });

  it('is recorded with who opened and who closed it', async () => {
    await owner.call('POST', path());
    await owner.call('DELETE', path());
    await owner.call('DELETE', path()); // nothing to close, nothing to record
    const { rows } = await web.db.pool.query(
      "SELECT operation, actor_source, actor_user_id, token_id FROM audit WHERE guild_id = $1 AND operation LIKE 'windows.%' ORDER BY id",
      [guild.id],
    );
    const by = { actor_source: 'dashboard', actor_user_id: guild.ownerId, token_id: token.id };
    expect(rows).toEqual([
      { operation: 'windows.open', ...by },
      { operation: 'windows.close', ...by },
    ]);
  });

  it.each([
    ['revoked', 'revoked_at = now()', 'TOKEN_REVOKED'],
    ['expired', "expires_at = now() - interval '1 s'", 'TOKEN_EXPIRED'],
  ])('does not open for a token that is %s', async (_state, set, code) => {
    await web.db.pool.query(`UPDATE tokens SET ${set} WHERE id = $1`, [token.id]);
    const { status, body } = await owner.call('POST', path());
    expect([status, body.error.code]).toEqual([409, code]);
    expect(await openWindows()).toEqual([]);
  });
});

describe('who may open, see and close a window', () => {
  it.each(['POST', 'GET', 'DELETE'])('not a token, its own or another, with %s', async (method) => {
    verifies('window.bearer-forbidden', 'G8', 'H17');
    await owner.call('POST', path());
    const before = await openWindows();
    const other = await seedToken(web.db, guild);
    for (const secret of [token.secret, other.secret, 'svcpat_nonsense']) {
      for (const cookie of [{}, { Cookie: owner.cookie }]) {
        const headers = { Authorization: `Bearer ${secret}`, Origin: 'http://bailiff.test', ...cookie };
        const answer = await call(web.runtime, method, path(), undefined, headers);
        expect([answer.status, answer.body.error.code]).toEqual([403, 'FORBIDDEN']);
      }
    }
    expect(await openWindows()).toEqual(before);
  });

  it.each(['POST', 'GET', 'DELETE'])(
    'nobody without a session or with another owner’s, with %s',
    async (method) => {
      verifies('window.session-required');
      await owner.call('POST', path());
      const before = await openWindows();
      const headers = { Origin: 'http://bailiff.test' };
      expect((await call(web.runtime, method, path(), undefined, headers)).status).toBe(401);
      const other = await signedIn(web, (await seedGuild(web.db)).ownerId);
      expect((await other.call(method, path())).status).toBe(404);
      const moderator = await signedIn(web, guild.moderatorId);
      expect((await moderator.call(method, path())).status).toBe(404);
      expect(await openWindows()).toEqual(before);
    },
  );

  it.each(['POST', 'DELETE'])('no other site, with %s', async (method) => {
    verifies('H17');
    await owner.call('POST', path());
    const before = await openWindows();
    const answer = await call(web.runtime, method, path(), undefined, {
      Cookie: owner.cookie,
      Origin: 'https://evil.example',
    });
    expect([answer.status, answer.body.error.details.reason]).toEqual([403, 'FOREIGN_ORIGIN']);
    expect(await openWindows()).toEqual(before);
  });
});

describe('an approval request', () => {
  const ask = async (user?: string): Promise<string> =>
    (await addStrike(true, user)).body.error.details.approval_id;
  const decide = (id: string, decision: string) => owner.call('POST', `/api/approvals/${id}`, { decision });
  const list = async () => (await owner.call('GET', `/api/approvals?guild_id=${guild.id}`)).body.data;

  it('shows the exact call in words and as JSON, who asks and from where', async () => {
    verifies('approval.tab', 'approval.created');
    const id = await ask();
    expect(await list()).toMatchObject([
      {
        id,
        token: { id: token.id, name: 'seeded' },
        operation: 'strikes.add',
        input: strike(),
        sentence: expect.stringContaining(guild.memberId),
        address: '203.0.113.9',
        state: 'pending',
      },
    ]);
  });

  it('names the strike by its number and person, and the game server', async () => {
    verifies('approval.names');
    await owner.call('POST', path());
    const { strike_id } = (await addStrike(true)).body;
    await owner.call('DELETE', path());
    await web.db.pool.query("UPDATE members SET display_name = 'Ada\u{e0041}' WHERE user_id = $1", [
      guild.memberId,
    ]);
    const { rows } = await web.db.pool.query(
      `INSERT INTO game_servers (guild_id, name, host, port, password_sealed, created_by)
       VALUES ($1, 'Survival', '192.0.2.7', 25575, 'sealed', $2) RETURNING id`,
      [guild.id, guild.ownerId],
    );
    const base = `/guilds/${guild.id}`;
    await callWithToken(web.runtime, token.secret, 'DELETE', `${base}/strikes/${strike_id}`, {});
    await callWithToken(web.runtime, token.secret, 'POST', `${base}/servers/${rows[0].id}/rcon/run`, {
      command: 'say \u202ehi',
    });
    const sentences = (await list()).map(({ sentence }: { sentence: string }) => sentence).join('\n');
    expect(sentences).toContain(`strike #1 of Ada\\u{e0041} (${strike_id})`);
    expect(sentences).toContain(`Survival (${rows[0].id})`);
    expect(sentences).toContain('"say \\u202ehi"');
  });

  it('names a warning as one, by its number and person', async () => {
    verifies('approval.names');
    await web.db.pool.query("SELECT open_case($1, 'warning', 'wrn', $2, 'Spam', $3, NULL, NULL)", [
      guild.id,
      guild.memberId,
      guild.ownerId,
    ]);
    const [{ id }] = (await web.db.pool.query('SELECT id FROM cases WHERE guild_id = $1', [guild.id])).rows;
    await callWithToken(web.runtime, token.secret, 'DELETE', `/guilds/${guild.id}/warnings/${id}`, {});
    const [{ sentence }] = await list();
    expect(sentence).toContain(`warning #1 of ${guild.memberId} (${id})`);
  });

  it('names an appeal by its person and case, and a report by its number and whom it is about', async () => {
    verifies('approval.names');
    const { appealId, reportId } = await openRemovable(web.db, guild);
    const base = `/guilds/${guild.id}`;
    for (const [path, body] of [
      [`/appeals/${appealId}/refuse`, { reply: 'Not yet' }],
      [`/reports/${reportId}/close`, { answer: 'Thank you' }],
    ] as const) {
      await callWithToken(web.runtime, token.secret, 'POST', `${base}${path}`, body);
    }
    const sentences = (await list()).map(({ sentence }: { sentence: string }) => sentence);
    const where = `in Seeded (${guild.id}) for good, and tell`;
    // The member has reported the stranger, and the owner does not read here who did.
    expect(sentences.sort()).toEqual([
      `Close report #1 about user ${guild.strangerId} (${reportId}) ${where} who made it: "Thank you"`,
      `Refuse appeal of ${guild.memberId} against case #3 (${appealId}) ${where} the person: "Not yet"`,
    ]);
  });

  it('approved for this call only admits that call once and no other', async () => {
    verifies('approval.once.admits', 'approval.once.other-call', 'G9');
    const id = await ask();
    expect((await decide(id, 'call')).status).toBe(200);
    expect((await owner.call('GET', path())).body).toEqual({ open: false });
    expect((await addStrike(true, guild.moderatorId)).body.error.code).toBe('RE_AUTH_REQUIRED');
    expect((await addStrike(true)).status).toBe(201);
    expect((await addStrike(true)).body.error.code).toBe('RE_AUTH_REQUIRED');
  });

  it('approved for this call only is no open window on the pages of its owner', async () => {
    await decide(await ask(), 'call');
    expect(await openWindows()).toHaveLength(1);
    expect(await openWindowsOf(web.db, guild.ownerId)).toEqual([]);
  });

  it('approved for this call only is no window of its token, and stays when one is opened', async () => {
    await decide(await ask(), 'call');
    const shown = async () =>
      (await owner.call('GET', `/api/api-tokens?guild_id=${guild.id}`)).body.data[0].window;
    expect(await shown()).toBeNull();
    await owner.call('POST', path());
    expect(await openWindows()).toHaveLength(2);
    expect(await shown()).not.toBeNull();
  });

  it('is not approved while the bot is away, and neither is a window opened; both can be ended', async () => {
    const [refused, approved] = [await ask(), await ask(guild.moderatorId)];
    await decide(approved, 'call');
    await owner.call('POST', path());
    await web.db.pool.query('UPDATE guilds SET mirrored_at = NULL WHERE id = $1', [guild.id]);
    for (const decision of ['call', 'window']) expect((await decide(refused, decision)).status).toBe(503);
    expect((await owner.call('POST', path())).status).toBe(503);
    expect((await decide(refused, 'refuse')).status).toBe(200);
    expect((await decide(approved, 'withdraw')).status).toBe(200);
    expect((await owner.call('DELETE', path())).status).toBe(200);
    expect(await openWindows()).toEqual([]);
  });

  it('approved with a window opens the one of the specification', async () => {
    verifies('approval.window');
    const { body } = await decide(await ask(), 'window');
    expect(body).toMatchObject({ open: true, decision: 'window' });
    expect((await owner.call('GET', path())).body.window).toEqual(body.window);
    expect((await addStrike(true, guild.moderatorId)).status).toBe(201);
  });

  it('needs no decision while a window of its token is open, and is decided once its call was made', async () => {
    verifies('window.requests-wait-no-more');
    const states = async () => (await list()).map(({ state }: { state: string }) => state);
    const waiting = async () => (await countAttention(web.db, guild.id))?.pending_approvals;
    await ask();
    await ask(guild.moderatorId);
    expect([await states(), await waiting()]).toEqual([['pending', 'pending'], 2]);
    await owner.call('POST', path());
    expect([await states(), await waiting()]).toEqual([['admitted', 'admitted'], 0]);
    expect((await addStrike(true)).status).toBe(201);
    await owner.call('DELETE', path());
    expect([await states(), await waiting()]).toEqual([['pending', 'approved_window'], 1]);
  });

  it('refused admits nothing', async () => {
    await decide(await ask(), 'refuse');
    expect(await openWindows()).toEqual([]);
    expect((await list())[0]).toMatchObject({ state: 'refused' });
  });

  it('refused can be allowed after all, but not once its token is revoked', async () => {
    await decide(await ask(), 'refuse');
    const shown = () => listApprovals(web.db, guild.ownerId, guild.id);
    expect(await shown()).toMatchObject([{ state: 'refused', canBeAllowed: true }]);
    await owner.call('DELETE', `/api/api-tokens/${token.id}`);
    expect(await shown()).toMatchObject([{ state: 'refused', canBeAllowed: false }]);
  });

  it('is decided once: of three decisions at once one stands', async () => {
    const id = await ask();
    const answers = await Promise.all([decide(id, 'refuse'), decide(id, 'window'), decide(id, 'call')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.error).toMatchObject({
      code: 'VALIDATION_FAILED',
    });
  });

  it('lapses an hour after it was first asked for, however often it is asked again', async () => {
    verifies('approval.lapse', 'approval.lapse.first-asked');
    const age = (id: string, minutes: number) =>
      web.db.pool.query(
        'UPDATE approval_requests SET expires_at = expires_at - make_interval(mins => $2) WHERE id = $1',
        [id, minutes],
      );
    const first = await ask();
    await age(first, 30);
    expect(await ask()).toBe(first);
    await age(first, 29);
    expect((await list())[0].state).toBe('pending');
    // A minute more than the hour: the clock may have stepped back since.
    await age(first, 2);
    expect((await list())[0].state).toBe('lapsed');
    const { status, body } = await decide(first, 'call');
    expect([status, body.error.code]).toEqual([409, 'VALIDATION_FAILED']);
    expect(await openWindows()).toEqual([]);
    expect(await ask()).not.toBe(first);
  });

  it('approved for this call only can be withdrawn until it is used', async () => {
    verifies('approval.withdraw');
    const id = await ask();
    expect((await decide(id, 'withdraw')).status).toBe(409);
    await decide(id, 'call');
    expect((await decide(id, 'withdraw')).status).toBe(200);
    expect((await list())[0]).toMatchObject({ state: 'withdrawn', admits_until: null });
    expect((await addStrike(true)).body.error.code).toBe('RE_AUTH_REQUIRED');

    const used = await ask();
    await decide(used, 'call');
    expect((await addStrike(true)).status).toBe(201);
    expect((await decide(used, 'withdraw')).status).toBe(409);
    expect((await list()).find((each: { id: string }) => each.id === used).state).toBe('approved_call');
  });

  it('approved for a call that was never made is in the history as the token itself reads it', async () => {
    verifies('approval.history');
    const asTokenReads = async (id: string) =>
      (await callWithToken(web.runtime, token.secret, 'GET', `/guilds/${guild.id}/approvals/${id}`)).body
        .state;
    const closed = await ask();
    await decide(closed, 'call');
    expect((await owner.call('DELETE', path())).status).toBe(200);
    expect((await list())[0]).toMatchObject({ id: closed, state: 'withdrawn', admits_until: null });
    expect(await asTokenReads(closed)).toBe('withdrawn');

    const forgotten = await ask();
    await decide(forgotten, 'call');
    await web.db.pool.query(
      `UPDATE windows SET opened_at = opened_at - interval '1 hour', expires_at = expires_at - interval '1 hour'
       WHERE token_id = $1`,
      [token.id],
    );
    expect((await list())[0]).toMatchObject({ id: forgotten, state: 'lapsed', admits_until: null });
    expect(await asTokenReads(forgotten)).toBe('lapsed');
  });

  it.each([
    ['approval of it is withdrawn', (id: string) => decide(id, 'withdraw'), 'call', 'RE_AUTH_REQUIRED'],
    [
      'approval of it is ended with the windows',
      () => owner.call('DELETE', path()),
      'call',
      'RE_AUTH_REQUIRED',
    ],
    ['window is closed', () => owner.call('DELETE', path()), 'window', 'RE_AUTH_REQUIRED'],
    ['owner changes', () => changeOwner(), 'window', 'RE_AUTH_REQUIRED'],
    ['token is given back', () => giveBack(), 'window', 'TOKEN_REVOKED'],
    [
      'token is revoked',
      () => owner.call('DELETE', `/api/api-tokens/${token.id}`),
      'window',
      'TOKEN_REVOKED',
    ],
  ] as const)(
    'its call, if nobody has begun it, is cancelled when the %s',
    async (_what, end, decision, code) => {
      verifies('approval.withdraw', 'approval.owner-change', 'oauth.revoke');
      onTestFinished(giveTime('bot'));
      const ban = {
        user_id: guild.memberId,
        reason: 'raid',
        _confirmation: `BAN USER ${guild.memberId} IN GUILD ${guild.id} PERMANENT`,
      };
      const send = () => callWithToken(web.runtime, token.secret, 'POST', `/guilds/${guild.id}/bans`, ban);
      const id: string = (await send()).body.error.details.approval_id;
      await decide(id, decision);
      const answer = send();
      const state = async () =>
        (await web.db.pool.query('SELECT state FROM actions WHERE guild_id = $1', [guild.id])).rows[0]?.state;
      await expect.poll(state).toBe('pending');
      await end(id);
      expect(await state()).toBe('cancelled');
      const { status, body } = await answer;
      expect([status, body.error.code]).toEqual([ERRORS[code].status, code]);
    },
  );

  it('whose call is made and not begun is ended with the windows, which is recorded', async () => {
    onTestFinished(giveTime('bot'));
    const ban = {
      user_id: guild.memberId,
      reason: 'raid',
      _confirmation: `BAN USER ${guild.memberId} IN GUILD ${guild.id} PERMANENT`,
    };
    const send = () => callWithToken(web.runtime, token.secret, 'POST', `/guilds/${guild.id}/bans`, ban);
    await decide((await send()).body.error.details.approval_id, 'call');
    const answer = send();
    await expect.poll(openWindows).toEqual([]); // the call has used up its approval
    await owner.call('DELETE', path());
    expect((await answer).body.error.code).toBe('RE_AUTH_REQUIRED');
    const { rows } = await web.db.pool.query(
      "SELECT details FROM audit WHERE guild_id = $1 AND operation = 'windows.close'",
      [guild.id],
    );
    expect(rows).toEqual([{ details: { window_ids: [], cancelled_calls: 1 } }]);
  });

  const giveBack = () => askAsClient(web, '198.51.100.77', OAUTH_PATHS.revoke, { token: token.secret });
  const changeOwner = () =>
    web.db.pool.query('UPDATE guilds SET owner_id = $2 WHERE id = $1', [guild.id, guild.moderatorId]);

  it('ends with the ownership of who could decide it, as windows do', async () => {
    verifies('approval.owner-change');
    // A token without a window, of which nothing ends.
    await seedToken(web.db, guild);
    await ask();
    await owner.call('POST', path());
    await changeOwner();
    expect(await openWindows()).toEqual([]);
    const successor = await signedIn(web, guild.moderatorId);
    const { body } = await successor.call('GET', `/api/approvals?guild_id=${guild.id}`);
    expect(body.data.map(({ state }: { state: string }) => state)).toEqual(['lapsed']);
    const { rows } = await web.db.pool.query(
      `SELECT actor_source, token_id, token_name, details FROM audit
       WHERE guild_id = $1 AND operation = 'windows.close'`,
      [guild.id],
    );
    const [window] = (await web.db.pool.query('SELECT id FROM windows WHERE token_id = $1', [token.id])).rows;
    const details = { window_ids: [window.id] };
    expect(rows).toEqual([{ actor_source: 'system', token_id: token.id, token_name: 'seeded', details }]);
  });

  it('ends with the ownership of its own guild only, as windows do', async () => {
    verifies('approval.owner-change');
    const elsewhere = await seedGuild(web.db);
    const [waiting, open] = [await seedToken(web.db, elsewhere), await seedToken(web.db, elsewhere)];
    const theirOwner = await signedIn(web, elsewhere.ownerId);
    const opened = await theirOwner.call('POST', `/api/api-tokens/${open.id}/reauth-window`);
    const asked = await callWithToken(web.runtime, waiting.secret, 'POST', `/guilds/${elsewhere.id}/bans`, {
      user_id: elsewhere.memberId,
      reason: 'raid',
      _confirmation: `BAN USER ${elsewhere.memberId} IN GUILD ${elsewhere.id} PERMANENT`,
    });
    await changeOwner();
    const left = await theirOwner.call('GET', `/api/api-tokens/${open.id}/reauth-window`);
    expect(left.body).toEqual(opened.body);
    const { body } = await theirOwner.call('GET', `/api/approvals?guild_id=${elsewhere.id}`);
    expect(body.data).toMatchObject([{ id: asked.body.error.details.approval_id, state: 'pending' }]);
  });

  it('is listed before what is over, and what is over for a day', async () => {
    const id = await ask();
    const { rows } = await web.db.pool.query(
      `INSERT INTO approval_requests (token_id, guild_id, operation, input, digest, request_id, address, expires_at)
       VALUES ($1, $2, 'bans.add', '{}', 'digest', 'req_over', '203.0.113.9', now() - interval '1 second')
       RETURNING id`,
      [token.id, guild.id],
    );
    const over = rows[0].id;
    const listed = async (hours: number) => {
      await web.db.pool.query(
        'UPDATE approval_requests SET created_at = now() - make_interval(hours => $2) WHERE id = ANY ($1)',
        [[id, over], hours],
      );
      const { body } = await owner.call('GET', `/api/approvals?guild_id=${guild.id}`);
      return body.data.map((each: { id: string }) => each.id);
    };
    expect(await listed(23)).toEqual([id, over]);
    expect(await listed(25)).toEqual([id]);
  });

  const requests = async (many: number, lapsesIn: string, of = token): Promise<string[]> => {
    const { rows } = await web.db.pool.query(
      `INSERT INTO approval_requests (token_id, guild_id, operation, input, digest, request_id, address, expires_at)
       SELECT $1, $2, 'bans.add', '{}', 'digest ' || n, 'req_' || n, '203.0.113.9', now() + $4::interval
       FROM generate_series(1, $3) AS n RETURNING id`,
      [of.id, guild.id, many, lapsesIn],
    );
    return rows.map(({ id }: { id: string }) => id).toSorted();
  };

  it('is listed while it waits, however many others wait or are over', async () => {
    const id = await ask();
    const waiting: string[] = [];
    for (let n = 0; n < 3; n += 1)
      waiting.push(...(await requests(50, '1 hour', await seedToken(web.db, guild))));
    await requests(150, '-1 second');
    const { body } = await owner.call('GET', `/api/approvals?guild_id=${guild.id}`);
    const listed = (isPending: boolean) =>
      body.data
        .filter(({ state }: { state: string }) => (state === 'pending') === isPending)
        .map((each: { id: string }) => each.id);
    expect(listed(true)).toEqual([id, ...waiting].toSorted().toReversed());
    expect(listed(false)).toHaveLength(100);
  });

  it('is found by the link to it when it is over, among any number of newer ones and after a day', async () => {
    const [lapsed = ''] = await requests(1, '-10 minutes');
    await requests(150, '-1 second');
    const found = async () =>
      (await listApprovals(web.db, guild.ownerId, guild.id, lapsed)).filter(({ id }) => id === lapsed);
    expect(await found()).toMatchObject([{ id: lapsed, state: 'lapsed' }]);
    await web.db.pool.query(
      "UPDATE approval_requests SET created_at = now() - interval '2 days' WHERE id = $1",
      [lapsed],
    );
    expect(await found()).toMatchObject([{ id: lapsed, state: 'lapsed' }]);
    const other = await seedGuild(web.db);
    const elsewhere = await listApprovals(web.db, other.ownerId, other.id, lapsed);
    expect(elsewhere).toEqual([]);
  });

  it('gives way when its token has asked for fifty others since', async () => {
    await web.db.pool.query(
      `INSERT INTO approval_requests (token_id, guild_id, operation, input, digest, request_id, address, expires_at)
       SELECT $1, $2, 'bans.add', '{}', 'digest ' || n, 'req_' || n, '203.0.113.9', now() + interval '1 hour'
       FROM generate_series(1, 50) AS n`,
      [token.id, guild.id],
    );
    const id = await ask();
    const { rows } = await web.db.pool.query(
      // The first ends now, by a clock that may step back a little before this looks.
      `SELECT digest, id FROM approval_requests WHERE token_id = $1 AND expires_at > now() + interval '2 seconds'
       ORDER BY id`,
      [token.id],
    );
    expect(rows).toHaveLength(50);
    expect(rows[0].digest).toBe('digest 2');
    expect(rows.at(-1).id).toBe(id);
  });

  it('is of one token: another one that makes the same call asks for itself', async () => {
    const second = await seedToken(web.db, guild);
    const askedBySecond = async () =>
      (await addStrike(true, guild.memberId, second)).body.error.details as Record<string, string>;
    const id = await ask();
    const { approval_id: theirs } = await askedBySecond();
    expect(theirs).not.toBe(id);
    expect((await list()).map((each: { token: { id: string } }) => each.token.id).toSorted()).toEqual(
      [token.id, second.id].toSorted(),
    );
    await decide(id, 'refuse');
    expect(await askedBySecond()).toMatchObject({ approval_state: 'pending', approval_id: theirs });
  });

  it('stays however many another token asks for', async () => {
    const second = await seedToken(web.db, guild);
    await web.db.pool.query(
      `INSERT INTO approval_requests (token_id, guild_id, operation, input, digest, request_id, address, expires_at)
       SELECT $1, $2, 'bans.add', '{}', 'digest ' || n, 'req_' || n, '203.0.113.9', now() + interval '1 hour'
       FROM generate_series(1, 100) AS n`,
      [second.id, guild.id],
    );
    await ask();
    const { rows } = await web.db.pool.query(
      'SELECT FROM approval_requests WHERE token_id = $1 AND expires_at > now()',
      [second.id],
    );
    expect(rows).toHaveLength(100);
  });

  it('is the owner’s: others get 404, and a token 401', async () => {
    const id = await ask();
    const other = await signedIn(web, (await seedGuild(web.db)).ownerId);
    const answerTo = async (asked: string) => {
      const { status, body } = await other.call('POST', `/api/approvals/${asked}`, { decision: 'call' });
      return [status, body.error.message];
    };
    const refused = await answerTo(id);
    expect(refused[0]).toBe(404);
    // It does not say that there is one.
    expect(refused).toEqual(await answerTo(`apr_${'0'.repeat(32)}`));
    expect((await other.call('GET', `/api/approvals?guild_id=${guild.id}`)).status).toBe(404);
    const over = await call(
      web.runtime,
      'POST',
      `/api/approvals/${id}`,
      { decision: 'call' },
      {
        Authorization: `Bearer ${token.secret}`,
        Origin: 'http://bailiff.test',
      },
    );
    expect(over.status).toBe(401);
    expect(await openWindows()).toEqual([]);
  });
});

it('lasts as many minutes as REAUTH_WINDOW_MINUTES says', async () => {
  verifies('window.configurable');
  const short = await startTestWeb({ REAUTH_WINDOW_MINUTES: '1' });
  try {
    const own = await seedGuild(short.db);
    const { id } = await seedToken(short.db, own);
    await (await signedIn(short, own.ownerId)).call('POST', `/api/api-tokens/${id}/reauth-window`);
    const { rows } = await short.db.pool.query('SELECT expires_at - opened_at AS life FROM windows');
    expect(rows[0].life).toMatchObject({ minutes: 1 });
  } finally {
    await short.close();
  }
});
