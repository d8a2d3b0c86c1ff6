import { verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChatStage, endChatStage, setChatStage } from './chat-harness.ts';

// One stage for all tests: each warns or bans somebody else.

let stage: ChatStage;
beforeAll(async () => {
  stage = await setChatStage({
    Moderator: ['strikes.read', 'strikes.write', 'mutes.read', 'mutes.write', 'bans.read', 'bans.write'],
  });
});
afterAll(() => endChatStage(stage));

const guild = () => stage.sandbox.getState().guilds[0];
const channel = (name: string) => guild()?.channels.find((each) => each.name === name);
const directMessagesTo = (userId: string | undefined) =>
  (stage.sandbox.getState().dms.find(({ user_id }) => user_id === userId)?.messages ?? []).map(
    ({ content }) => content,
  );

const caseOf = (userId: string | undefined) =>
  stage.row<{
    number: number;
    kind: string;
    reason: string;
    ended_by: string | null;
    end_reason: string | null;
  }>('SELECT case_number AS number, kind, reason, ended_by, end_reason FROM cases WHERE user_id = $1', [
    userId,
  ]);

function written(user: string, files: { filename: string; base64: string }[] = []): string {
  const { messages } = stage.sandbox.control.messages({
    user,
    channel: 'general',
    content: 'Cheap coins here',
    files,
  });
  return messages[0]?.id ?? '';
}

test('/warn opens a case without points and tells the member; /unwarn removes it and keeps it on record', async () => {
  verifies('warnings.chat', 'warnings.no-points');
  const { troll, moderator } = stage.people;
  const answer = await stage.says('moderator', 'warn', { user: 'troll', reason: 'Mind your language' });
  expect(answer).toMatch(/^Done\. Warn xx\\_grief\\_xx .*: "Mind your language" \(case #\d+\)$/);
  const { number } = await caseOf(troll);
  await stage.sandbox.until(() => directMessagesTo(troll).length > 0);
  expect(directMessagesTo(troll).join()).toMatch(/You were warned on \*\*Harbourlight.*It counts no points/s);
  const { rows } = await stage.test.database.pool.query('SELECT FROM escalations');
  expect(rows).toEqual([]);

  expect(await stage.says('moderator', 'strike remove', { case: number })).toBe(
    `Not done. case: #${number} is a warning, not a strike.`,
  );
  expect(await stage.says('moderator', 'unwarn', { case: number, reason: 'A mistake' })).toMatch(/^Done\./);
  expect(await caseOf(troll)).toMatchObject({
    kind: 'warning',
    ended_by: moderator,
    end_reason: 'A mistake',
  });
  expect(await stage.says('moderator', 'unwarn', { case: number })).toMatch(
    /^Not done\. This warning is not in force/,
  );
});

test('nobody warns somebody above them', async () => {
  verifies('warnings.chat');
  expect(await stage.says('moderator', 'warn', { user: 'owner', reason: 'Coup' })).toMatch(
    /^Not done\. The guild owner cannot be the target/,
  );
});

test('"Warn for this message" keeps what it said', async () => {
  verifies('menus.message');
  const opened = await stage.picks('moderator', 'Warn for this message', written('member'));
  expect(await stage.fills('moderator', opened, { reason: 'Advertising' })).toMatch(/^Done\. Warn/);
  expect(await caseOf(stage.people.member)).toMatchObject({
    kind: 'warning',
    reason: expect.stringMatching(/^Advertising: “Cheap coins here” https:\/\/discord\.com\/channels\//),
  });
});

test('"Ban for this message" keeps its text and files, though the ban deletes the message', async () => {
  verifies('menus.message', 'menus.ban-deletes');
  const { newcomer } = stage.people;
  const id = written('newcomer', [{ filename: 'proof.png', base64: Buffer.from('seen').toString('base64') }]);
  const opened = await stage.picks('moderator', 'Ban for this message', id);
  const answer = await stage.fills('moderator', opened, { reason: 'Scam', delete_messages: ['86400'] });
  expect(answer).toMatch(/^Done\. Ban .* permanently and delete the messages of the last 1 day/);
  expect(channel('general')?.messages.some((message) => message.id === id)).toBe(false);
  expect(await caseOf(newcomer)).toMatchObject({
    kind: 'ban',
    reason: expect.stringMatching(/^Scam: “Cheap coins here” \[1 attached\] https:/),
  });
  const { id: caseId } = await stage.row<{ id: string }>('SELECT id FROM cases WHERE user_id = $1', [
    newcomer,
  ]);
  const { content } = await stage.row<{ content: Buffer }>(
    'SELECT content FROM evidence WHERE case_id = $1',
    [caseId],
  );
  expect(String(content)).toBe('seen');
});
