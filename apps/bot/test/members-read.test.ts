// What GET /members/{userId} says of people whom the mirror does not hold: what Discord says, through the bot.
import { verifies } from '@bailiff/core/testing';
import { authorize } from '@bailiff/engine/calls/authorize';
import { isRead, performRead } from '@bailiff/engine/calls/read-call';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mint, newMember, personOf, refusalOf, type Stage, setStage, TOKEN_ADDRESS } from './harness.ts';

let stage: Stage;
let secret: string;
beforeAll(async () => {
  stage = await setStage();
  ({ secret } = await mint(stage, 'reader'));
});
afterAll(() => stage.close());

let count = 0;

/** The answer to GET /members/{userId} over a token. */
async function read(userId: string): Promise<object> {
  count += 1;
  const { token, call } = await authorize(
    stage.engine,
    {
      operation: 'members.get',
      params: { guildId: stage.guildId, userId },
      guildId: stage.guildId,
      authorization: `Bearer ${secret}`,
      address: TOKEN_ADDRESS,
      requestId: `req_${count}`,
      readInput: async () => ({ ok: true, input: { userId } }),
    },
    () => {},
  );
  if (!isRead(call)) throw new Error('This is a read.');
  return performRead(
    stage.engine,
    { ...call, token, requestId: `req_${count}`, address: TOKEN_ADDRESS },
    () => {},
  );
}

const recorded = async () => {
  const { rows } = await stage.test.database.pool.query(
    'SELECT outcome, code FROM audit WHERE is_read AND request_id = $1',
    [`req_${count}`],
  );
  return rows;
};

test('an ordinary member without a record is in the guild, with the name, roles and time that Discord says', async () => {
  verifies('members.in-guild');
  const user = newMember(stage.sandbox, 'Ordinary');
  const answer = await read(user);
  expect(answer).toMatchObject({
    user_id: user,
    display_name: 'Ordinary',
    in_guild: true,
    role_ids: [],
    counts: { strikes: 0, bans: 0, mutes: 0, tickets: 0 },
  });
  const { joined_at } = answer as { joined_at: string };
  expect(Math.abs(Date.parse(joined_at) - Date.now())).toBeLessThan(60_000);
  expect(await recorded()).toEqual([{ outcome: 'performed', code: null }]);
});

test('who left is not in the guild, and who has no record either is NOT_FOUND', async () => {
  verifies('members.in-guild', 'audit.read-404');
  const user = newMember(stage.sandbox);
  await stage.act('bans.add', 'owner', { user_id: user, reason: 'Spam' });
  expect(await read(user)).toMatchObject({ in_guild: false, joined_at: null, counts: { bans: 1 } });
  expect(await recorded()).toEqual([{ outcome: 'performed', code: null }]);
  expect(await refusalOf(read(personOf(stage.sandbox, 'outsider')))).toMatchObject({ code: 'NOT_FOUND' });
  expect(await recorded()).toEqual([{ outcome: 'refused', code: 'NOT_FOUND' }]);
});

test('a member of the mirror joined when Discord says, and Discord is not asked', async () => {
  verifies('members.in-guild');
  const before = stage.sandbox.requests.length;
  const answer = await read(personOf(stage.sandbox, 'moderator'));
  expect(answer).toMatchObject({ in_guild: true, joined_at: expect.stringMatching(/^\d{4}-/) });
  expect(stage.sandbox.requests.slice(before)).toEqual([]);
});

test('while Discord does not answer, nobody knows, and the answer says so in time', async () => {
  verifies('members.in-guild');
  const user = newMember(stage.sandbox);
  await stage.act('bans.add', 'owner', { user_id: user, reason: 'Spam' });
  stage.sandbox.control.addFault({
    route: '/guilds/*/members/*',
    method: 'GET',
    times: null,
    socket: 'hang',
  });
  expect(await read(user)).toMatchObject({ in_guild: null, joined_at: null, counts: { bans: 1 } });
  stage.sandbox.control.clearFaults();
});
