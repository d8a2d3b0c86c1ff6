import { actionIdInReason, readBody } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { authorize } from '@bailiff/engine/calls/authorize';
import { isWrite } from '@bailiff/engine/calls/store-performers';
import { performWrite } from '@bailiff/engine/calls/write-call';
import { openWindow } from '@bailiff/engine/tokens/windows';
import { expect, test } from 'vitest';
import { guildForEachTest } from './each-test.ts';
import {
  acquaint,
  grant,
  mint,
  overToken,
  ownerOf,
  personOf,
  refusalOf,
  type Stage,
  TOKEN_ADDRESS,
} from './harness.ts';

let stage: Stage;
guildForEachTest((next) => {
  stage = next;
});

const MEMBER_ROUTE = '/guilds/*/members/*';

const kick = (name: string, by = 'owner') =>
  stage.act('members.kick', by, { user_id: personOf(stage.sandbox, name), reason: 'Spam' });
const guild = () => {
  const [only] = stage.sandbox.getState(200).guilds;
  if (only === undefined) throw new Error('The sandbox has no guild');
  return only;
};
const isMember = (name: string) =>
  guild().members.some(({ user_id }) => user_id === personOf(stage.sandbox, name));
const sent = () =>
  stage.sandbox.requests.filter(
    ({ method, route }) => method === 'DELETE' && route === '/guilds/{guild_id}/members/{user_id}',
  );
const told = () =>
  stage.sandbox
    .getState()
    .dms.filter(({ user_id }) => user_id === stage.people.troll)
    .flatMap(({ messages }) => messages.map(({ content }) => content));

/** Looks again at what ended unknown, after no request of it can be under way any more. */
async function recover(after = '2 minutes'): Promise<void> {
  const { pool } = stage.test.database;
  await pool.query('UPDATE actions SET created_at = now() - $1::interval, looked_at = NULL', [after]);
  await pool.query("SELECT graphile_worker.add_job('recover', '{}')");
}

test('over a token, a member is removed once, and told before; case, log and audit say so', async () => {
  verifies('kicks.add');
  const channel = stage.sandbox.channels.mod_log;
  await stage.test.database.pool.query('UPDATE guilds SET log_channel_id = $1', [channel]);
  const owner = ownerOf(stage.sandbox);
  // A kick waits two seconds for the message, in which a busy machine may open no conversation. This one is open.
  await stage.act('warnings.add', 'owner', { user_id: stage.people.troll, reason: 'Noise' });
  await stage.row('SELECT FROM direct_channels WHERE user_id = $1', [stage.people.troll]);
  await stage.sandbox.until(() => told().length === 1);
  const { id: tokenId, secret } = await mint(stage, 'night watch');
  await openWindow(stage.engine.db, owner, tokenId, 15);

  const call = {
    operation: 'members.kick',
    body: { user_id: stage.people.troll, reason: 'Spam' },
  } as const;
  const { status, body, requestId } = await overToken(stage, secret, call);
  const { kick: made } = body as { kick: { id: string } };
  expect([status, made]).toEqual([
    201,
    {
      id: expect.stringMatching(/^kck_[0-9a-f]{32}$/),
      case_number: 2,
      user_id: stage.people.troll,
      reason: 'Spam',
      issued_by: owner.userId,
      issued_at: expect.any(String),
    },
  ]);
  expect(isMember('troll')).toBe(false);
  expect(sent()).toHaveLength(1);
  const action = await stage.row<{ id: string }>("SELECT id FROM actions WHERE operation = 'members.kick'");
  const reason = sent()[0]?.reason;
  expect([actionIdInReason(reason ?? ''), reason]).toEqual([action.id, expect.stringContaining('Spam')]);
  const message = 'You were kicked from **Harbourlight**.\nReason: Spam\nYou may join again.';
  expect(told()).toEqual([expect.stringContaining('Noise'), message]);
  const { requests } = stage.sandbox;
  const toldAt = requests.findIndex(({ body }) => (body as { content?: string } | null)?.content === message);
  expect(toldAt).toBeGreaterThanOrEqual(0);
  expect(toldAt).toBeLessThan(requests.findIndex(({ id }) => id === sent()[0]?.id));
  const post = await stage.sandbox.until(() =>
    guild()
      .channels.find(({ id }) => id === channel)
      ?.messages.find(({ embeds }) => embeds[0]?.footer?.text === made.id),
  );
  expect(post.embeds[0]?.title).toBe('Case #2: kick');
  const audit = await stage.test.database.pool.query(
    'SELECT outcome, operation, token_name FROM audit WHERE request_id = $1 ORDER BY id',
    [requestId],
  );
  const row = { operation: 'members.kick', token_name: 'night watch' };
  expect(audit.rows).toEqual([
    { outcome: 'requested', ...row },
    { outcome: 'performed', ...row },
  ]);
});

test('over a token, a kick without its sentinel is refused, and nothing is sent', async () => {
  verifies('kicks.add');
  const { id, secret } = await mint(stage, 'careless');
  await openWindow(stage.engine.db, ownerOf(stage.sandbox), id, 15);
  const { engine, guildId } = stage;
  const request = { guildId, address: TOKEN_ADDRESS, requestId: 'req_careless' };
  const { token, call, confirmation } = await authorize(
    engine,
    {
      operation: 'members.kick',
      params: {},
      authorization: `Bearer ${secret}`,
      readInput: async () => readBody('members.kick', {}, { user_id: stage.people.troll, reason: 'Spam' }),
      ...request,
    },
    () => {},
  );
  if (!isWrite(call)) throw new Error('A kick changes something');
  const actor = { source: 'token', token } as const;
  const refused = await refusalOf(performWrite(engine, { ...call, ...request, confirmation, actor }));
  expect(refused).toMatchObject({
    code: 'INVALID_CONFIRMATION',
    details: { expected_concrete: `KICK USER ${stage.people.troll} FROM GUILD ${guildId}` },
  });
  expect(sent()).toEqual([]);
});

test('a second kick, after the person joined again, leaves the first case as it is', async () => {
  await kick('troll');
  stage.sandbox.control.members({ action: 'join', user: 'troll' });
  await kick('troll');
  const { rows } = await stage.test.database.pool.query(
    'SELECT case_number, ended_at FROM cases ORDER BY case_number',
  );
  expect(rows).toEqual([
    { case_number: 1, ended_at: null },
    { case_number: 2, ended_at: null },
  ]);
});

test('whoever is not a member is NOT_FOUND, and nothing is sent', async () => {
  expect(await refusalOf(kick('outsider'))).toMatchObject({ code: 'NOT_FOUND', status: 404 });
  expect(sent()).toEqual([]);
});

test('a target out of reach is refused, in the order of the reasons, and nothing is sent', async () => {
  await grant(stage, 'Moderator', ['bans.write']);
  await stage.row('SELECT FROM members WHERE user_id = $1', [stage.people.moderator]);
  const reasonOf = async (by: string, user_id: string | undefined) => {
    const refusal = await refusalOf(stage.act('members.kick', by, { user_id, reason: 'x' }));
    expect(refusal).toMatchObject({ code: 'FORBIDDEN', status: 403 });
    return (refusal.details as { reason: string }).reason;
  };
  expect(await reasonOf('moderator', stage.people.owner)).toBe('TARGET_IS_OWNER');
  expect(await reasonOf('moderator', stage.people.moderator)).toBe('TARGET_IS_SELF');
  expect(await reasonOf('moderator', stage.people.admin)).toBe('ROLE_HIERARCHY');
  // The owner is above everyone, the bot is not.
  expect(await reasonOf('owner', stage.people.admin)).toBe('ROLE_HIERARCHY');
  expect(sent()).toEqual([]);
  expect(told()).toEqual([]);
});

test('without its Discord permission the bot says so', async () => {
  stage.sandbox.control.roles({ action: 'update', role: 'Bailiff', permissions: ['ViewChannel'] });
  await stage.row("SELECT FROM roles WHERE name = 'Bailiff' AND permissions = 1024");
  expect(await refusalOf(kick('troll'))).toMatchObject({
    code: 'FORBIDDEN',
    details: { reason: 'BOT_MISSING_PERMISSION', permissions: ['Kick Members'] },
  });
  expect(sent()).toEqual([]);
});

test('a kick whose answer is lost is found done, and was sent once', async () => {
  stage.sandbox.control.addFault({ route: MEMBER_ROUTE, method: 'DELETE', when: 'after', status: 502 });
  expect((await kick('troll')).status).toBe(201);
  expect(sent()).toHaveLength(1);
});

test('a kick that Discord failed to make is told as not performed, and its message is taken back', async () => {
  await acquaint(stage, stage.people.troll ?? '');
  stage.sandbox.control.addFault({ route: MEMBER_ROUTE, method: 'DELETE', status: 500 });
  expect(await refusalOf(kick('troll'))).toMatchObject({
    status: 502,
    details: { upstream: 'discord', outcome: 'not_performed' },
  });
  expect(isMember('troll')).toBe(true);
  await stage.row("SELECT FROM target_notices WHERE state = 'withdrawn'");
  expect(told()).toEqual([]);
});

test('a kick whose person joined again before it was looked for did happen', async () => {
  verifies('bot.outcome-evidence');
  stage.sandbox.control.addFault({ route: MEMBER_ROUTE, method: 'DELETE', when: 'after', status: 502 });
  stage.sandbox.control.addFault({ route: '/guilds/*/audit-logs', method: 'GET', status: 502 });
  expect(await refusalOf(kick('troll'))).toMatchObject({ details: { outcome: 'unknown' } });
  stage.sandbox.control.clearFaults();
  stage.sandbox.control.members({ action: 'join', user: 'troll' });
  await recover();
  await stage.row("SELECT FROM actions WHERE state = 'done'");
  await stage.row("SELECT FROM cases WHERE kind = 'kick'");
  expect(sent()).toHaveLength(1);
});

test.each([
  ['who is gone', false],
  ['who has joined again', true],
])(
  'where nobody can know whether %s was kicked, it is not said, and moderators are told',
  async (_who, joinsAgain) => {
    verifies('bot.outcome-evidence');
    await stage.test.database.pool.query('UPDATE guilds SET log_channel_id = $1', [
      stage.sandbox.channels.mod_log,
    ]);
    stage.sandbox.control.roles({
      action: 'update',
      role: 'Bailiff',
      permissions: ['ViewChannel', 'SendMessages', 'EmbedLinks', 'ReadMessageHistory', 'KickMembers'],
    });
    stage.sandbox.control.addFault({ route: MEMBER_ROUTE, method: 'DELETE', status: 502 });
    expect(await refusalOf(kick('troll'))).toMatchObject({ details: { outcome: 'unknown' } });
    stage.sandbox.control.members({ action: 'leave', user: 'troll' });
    if (joinsAgain) stage.sandbox.control.members({ action: 'join', user: 'troll' });
    await recover('2 hours');
    await stage.row("SELECT FROM actions WHERE state = 'unknown' AND looked_at = 'infinity'");
    const inLog = () =>
      guild()
        .channels.find(({ id }) => id === stage.sandbox.channels.mod_log)
        ?.messages.filter(({ content }) => /It is not known whether Bailiff kicked/.test(content));
    await stage.sandbox.until(() => inLog()?.length === 1);
    const { rows } = await stage.test.database.pool.query("SELECT FROM cases WHERE kind = 'kick'");
    expect(rows).toEqual([]);
  },
);

test('who is still there after a kick without an answer was not kicked, also where nobody can read the audit log', async () => {
  verifies('bot.outcome-evidence');
  stage.sandbox.control.roles({
    action: 'update',
    role: 'Bailiff',
    permissions: ['ViewChannel', 'SendMessages', 'EmbedLinks', 'ReadMessageHistory', 'KickMembers'],
  });
  stage.sandbox.control.addFault({ route: MEMBER_ROUTE, method: 'DELETE', status: 502 });
  await refusalOf(kick('troll'));
  await recover();
  await stage.row("SELECT FROM actions WHERE state = 'failed'");
  expect([isMember('troll'), sent().length]).toEqual([true, 1]);
});

test('whoever leaves after a kick that did not arrive was not kicked by it', async () => {
  stage.sandbox.control.addFault({ route: MEMBER_ROUTE, method: 'DELETE', status: 502 });
  expect(await refusalOf(kick('troll'))).toMatchObject({ details: { outcome: 'unknown' } });
  stage.sandbox.control.members({ action: 'leave', user: 'troll' });
  await recover();
  await stage.row("SELECT FROM actions WHERE state = 'failed'");
  expect(sent()).toHaveLength(1);
});
