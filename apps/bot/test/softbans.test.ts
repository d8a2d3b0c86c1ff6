import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';
import { acquaint, bot, refusalOf } from './harness.ts';

let stage: ChatStage;
chatGuildForEachTest({ Moderator: ['bans.read', 'bans.write'] }, (next) => {
  stage = next;
});

const BAN = '/guilds/*/bans/*';

const guild = () => {
  const found = stage.sandbox.getState(200).guilds.find(({ id }) => id === stage.guildId);
  if (found === undefined) throw new Error('The sandbox has no such guild');
  return found;
};
const troll = () => stage.people.troll ?? '';
const bansOf = () => guild().bans.filter(({ user_id }) => user_id === troll());
const messagesOf = () =>
  guild().channels.flatMap(({ messages }) => messages.filter(({ author }) => author.id === troll()));
const told = () =>
  stage.sandbox
    .getState()
    .dms.filter(({ user_id }) => user_id === troll())
    .flatMap(({ messages }) => messages.map(({ content }) => content));
const isMember = () => guild().members.some(({ user_id }) => user_id === troll());
const softban = (userId = troll()) =>
  stage.act('bans.soft', 'owner', {
    user_id: userId,
    reason: 'Hacked account',
    delete_message_seconds: 3600,
  });
const requests = (method: string) =>
  stage.sandbox.requests.filter(
    (each) => each.method === method && each.path === `/guilds/${stage.guildId}/bans/${troll()}`,
  );
interface Row {
  kind: string;
  ended_by: string | null;
  end_reason: string | null;
}
const cases = async (): Promise<Row[]> =>
  (await stage.test.database.pool.query('SELECT kind, ended_by, end_reason FROM cases ORDER BY case_number'))
    .rows;
const lifted = () => stage.row<Row>("SELECT * FROM cases WHERE kind = 'softban' AND ended_at IS NOT NULL");
const look = () => stage.test.database.pool.query("SELECT graphile_worker.add_job('overdue_bans', '{}')");

test('whose ban stands is not softbanned, whoever banned them', async () => {
  verifies('softbans.others');
  stage.sandbox.control.bans({ user: 'troll', by: 'owner', reason: 'Enough' });
  expect(await refusalOf(softban())).toMatchObject({
    code: 'FORBIDDEN',
    details: { reason: 'ALREADY_BANNED' },
  });
  expect(bansOf()).toMatchObject([{ reason: 'Enough' }]);
});

test('who is banned by hand without a reason is not softbanned either: the ban would be lifted', async () => {
  verifies('softbans.others');
  stage.sandbox.control.bans({ user: 'troll', by: 'owner' });
  expect(await refusalOf(softban())).toMatchObject({ details: { reason: 'ALREADY_BANNED' } });
  expect(bansOf()).toHaveLength(1);
});

test('/softban removes a member and what they wrote lately, tells them, and lifts the ban at once: one case', async () => {
  verifies('softbans.add');
  await acquaint(stage, troll());
  stage.sandbox.control.messages({ user: 'troll', channel: 'general', content: 'Cheap coins' });
  const answer = await stage.says('moderator', 'softban', { user: 'troll', reason: 'Hacked account' });
  expect(answer).toMatch(
    /^Done\. Softban .* delete their messages of the last 1 day.*"Hacked account" \(case #1\)$/,
  );
  await lifted();
  expect([isMember(), bansOf(), messagesOf()]).toEqual([false, [], []]);
  expect(await cases()).toEqual([
    { kind: 'softban', ended_by: expect.any(String), end_reason: 'A softban is lifted at once' },
  ]);
  expect([requests('PUT').length, requests('DELETE').length]).toEqual([1, 1]);
  await stage.row("SELECT FROM target_notices WHERE state = 'told'");
  expect(told()).toEqual([expect.stringMatching(/^You were removed from .*Reason: Hacked account/s)]);
  expect(await stage.says('moderator', 'case show', { number: 1 })).not.toMatch(/Until|in force|lifted/i);
});

test('the ban of a softban is lifted as soon as Discord lets the bot, also after its process died in between', async () => {
  verifies('softbans.crash');
  stage.sandbox.control.addFault({ route: BAN, method: 'DELETE', status: 503, times: null });
  await softban();
  await stage.sandbox.until(() => requests('DELETE').length > 0);
  expect(bansOf()).toHaveLength(1);
  await stage.bot.stop();
  stage.sandbox.control.clearFaults();
  const again = await bot(stage.config);
  try {
    await lifted();
    expect(bansOf()).toEqual([]);
  } finally {
    await again.stop();
  }
});

test('a ban that replaces a softban before it was lifted stays', async () => {
  verifies('softbans.others');
  stage.sandbox.control.addFault({ route: BAN, method: 'DELETE', status: 503, times: null });
  await softban();
  await stage.sandbox.until(() => requests('DELETE').length > 0);
  await stage.row(
    "SELECT FROM actions WHERE operation = 'bans.lift' AND state NOT IN ('pending', 'running')",
  );
  await stage.act('bans.add', 'owner', { user_id: troll(), reason: 'Came back' });
  stage.sandbox.control.clearFaults();
  expect((await cases()).map(({ kind, end_reason }) => [kind, end_reason])).toEqual([
    ['softban', 'Replaced by a later ban'],
    ['ban', null],
  ]);
  await look();
  await stage.row(
    "SELECT FROM (VALUES (1)) AS one WHERE NOT EXISTS (SELECT FROM graphile_worker.jobs WHERE task_identifier = 'overdue_bans')",
  );
  expect(bansOf()).toHaveLength(1);
});

test('a refused softban leaves no ban and no case, and nobody is told of it in the end', async () => {
  verifies('softbans.add');
  await acquaint(stage, troll());
  stage.sandbox.control.addFault({ route: BAN, method: 'PUT', status: 500 });
  expect(await refusalOf(softban())).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  await stage.row("SELECT FROM target_notices WHERE state = 'withdrawn'");
  expect(told()).toEqual([]);
  expect([isMember(), bansOf(), await cases()]).toEqual([true, [], []]);
  expect(await refusalOf(softban(stage.people.owner))).toMatchObject({
    details: { reason: 'TARGET_IS_OWNER' },
  });
});
