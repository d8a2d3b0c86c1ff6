import { verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChatStage, endChatStage, setChatStage } from './chat-harness.ts';

let stage: ChatStage;
beforeAll(async () => {
  stage = await setChatStage({ Moderator: ['strikes.write'] });
});
afterAll(() => endChatStage(stage));

const NOT_COMPARED = 'UPDATE guilds SET mirrored_at = NULL';

test.each([
  ['comparing', NOT_COMPARED, /reading this server from Discord.*try again in a few seconds/],
  ['waiting', `${NOT_COMPARED}, mirror_problem = 'outage'`, /does not answer.*try again in a few minutes/],
  ['refused', `${NOT_COMPARED}, mirror_problem = 'no_access'`, /does not let the bot read.*Ask an admin to/],
])('a command in a guild that is %s is answered with that and what to do', async (_state, change, words) => {
  verifies('bot.chat.guild-state');
  await stage.test.database.pool.query(change);
  const strike = { user: 'troll', severity: 'minor', reason: 'Spam' };
  const answer = await stage.says('moderator', 'strike add', strike);
  expect(answer).toMatch(/^Not done\. /);
  expect(answer).toMatch(words);
  const { rows } = await stage.test.database.pool.query('SELECT FROM cases');
  expect(rows).toEqual([]);
});
