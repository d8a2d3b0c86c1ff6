import { verifies } from '@bailiff/core/testing';
import { Client, GatewayDispatchEvents as Event } from 'discord.js';
import { expect, test, vi } from 'vitest';
import { createLog } from '#src/log.ts';
import { followMemberEvents } from '#src/member-events.ts';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';
import { newMember } from './harness.ts';

let stage: ChatStage;
chatGuildForEachTest({ Moderator: ['strikes.read', 'members.read'], Helper: ['strikes.read'] }, (made) => {
  stage = made;
});

const events = (userId: string, count: number) =>
  stage.row('SELECT FROM member_events WHERE guild_id = $1 AND user_id = $2 HAVING count(*) = $3', [
    stage.guildId,
    userId,
    count,
  ]);
/** The whole answer, once nothing more is added to it. */
const history = async (asker: string, user: string, end: RegExp) => {
  const answered = await stage.does({ type: 'command', user: asker, command: 'history', options: { user } });
  const content = () =>
    stage.sandbox.getState().interactions.find(({ id }) => id === answered.id)?.message?.content ?? '';
  await stage.sandbox.until(() => end.test(content()), 60_000, String(end));
  return content();
};

test('/history ends with when somebody joined and left and under which names, and pings nobody', async () => {
  verifies('member-events.shown');
  const { member } = stage.sandbox.control.members({ action: 'join', name: '@everyone Otto' }) as {
    member: { user: { id: string } };
  };
  const { id } = member.user;
  await events(id, 1);
  stage.sandbox.control.members({ action: 'nick', user: id, nick: '<@&1> `Otto`' });
  await events(id, 2);
  stage.sandbox.control.members({ action: 'leave', user: id });
  await events(id, 3);
  stage.sandbox.control.members({ action: 'join', user: id });
  await events(id, 4);
  const told = await history('moderator', id, /Joins, leaves/);
  const [none, head, ...lines] = told.split('\n');
  expect(none).toMatch(/^There is no case/);
  expect(head).toBe(`Joins, leaves and earlier names of <@${id}>, newest first`);
  expect(lines.map((line) => line.replace(/<t:\d+:f>/, 'T'))).toEqual([
    'T joined as "@everyone Otto (@.everyone.otto)"',
    'T left',
    'T "@everyone Otto (@.everyone.otto)" became "<@&1> \\`Otto\\` (@.everyone.otto)"',
    'T joined as "@everyone Otto (@.everyone.otto)"',
  ]);
});

test('/history shows the latest four, says how many came before, and that nobody saw somebody leave', async () => {
  verifies('member-events.shown');
  const id = newMember(stage.sandbox, 'Otto');
  await events(id, 1);
  // They were here before, and no bot saw them leave.
  await stage.test.database.pool.query(
    `INSERT INTO member_events (guild_id, user_id, at, kind, username, display_name)
     SELECT guild_id, user_id, at - interval '1 day', kind, username, display_name FROM member_events
     WHERE guild_id = $1 AND user_id = $2`,
    [stage.guildId, id],
  );
  expect(await history('moderator', id, /Joins, leaves/)).toMatch(
    /"; had left before, nobody saw when\n.*"$/,
  );
  for (const [index, nick] of ['Ann', 'Ben', 'Cat', 'Dan'].entries()) {
    stage.sandbox.control.members({ action: 'nick', user: id, nick });
    await events(id, index + 3);
  }
  const [, , ...lines] = (await history('moderator', id, /Joins, leaves/)).split('\n');
  expect(lines.slice(0, 4).map((line) => /became "(\w+)/.exec(line)?.[1])).toEqual([
    'Dan',
    'Cat',
    'Ben',
    'Ann',
  ]);
  expect(lines.slice(4)).toEqual(['2 earlier events are in the dashboard.']);
});

test('who may not read members sees the cases only', async () => {
  verifies('member-events.shown');
  const { member } = stage.sandbox.control.members({ action: 'join', name: 'Otto' }) as {
    member: { user: { id: string } };
  };
  await events(member.user.id, 1);
  expect(await stage.says('helper', 'history', { user: member.user.id })).toMatch(/^There is no case[^\n]*$/);
});

test('members who were there before the bot add no row', async () => {
  verifies('member-events.bounded');
  const { rows } = await stage.test.database.pool.query('SELECT FROM member_events WHERE guild_id = $1', [
    stage.guildId,
  ]);
  expect(rows).toEqual([]);
});

test('the log says of which guild an event of a member could not be kept', () => {
  const lines: object[] = [];
  const log = createLog('warn', [], (line) => lines.push(JSON.parse(line)));
  const client = new Client({ intents: [] });
  followMemberEvents({ client, db: stage.test.database, log });
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  // They name nobody.
  client.ws.emit(Event.GuildMemberRemove, { guild_id: '1' });
  client.ws.emit(Event.GuildMemberAdd, { guild_id: '2' });
  vi.runAllTimers();
  // The bot of the stage needs them.
  vi.useRealTimers();
  const lost = (guild_id: string, msg: string) => expect.objectContaining({ guild_id, msg, events: 1 });
  expect(lines).toEqual([
    lost('1', 'events of members are not kept'),
    lost('2', 'moderators are not told of people who joined'),
    lost('2', 'events of members are not kept'),
  ]);
});
