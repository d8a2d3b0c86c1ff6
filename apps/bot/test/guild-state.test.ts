import { verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChatStage, endChatStage, setChatStage } from './chat-harness.ts';

let stage: ChatStage;
beforeAll(async () => {
  stage = await setChatStage({ Moderator: ['strikes.write'] });
});
afterAll(() => endChatStage(stage));

/** Leaves the guild untrusted for this reason, whatever the bot finds when it compares it meanwhile. */
const untrusted = (problem: string) => `
  CREATE OR REPLACE FUNCTION untrusted() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN NEW.mirrored_at := NULL; NEW.mirror_problem := ${problem}; RETURN NEW; END $$;
  CREATE OR REPLACE TRIGGER untrusted BEFORE UPDATE ON guilds FOR EACH ROW EXECUTE FUNCTION untrusted();
  UPDATE guilds SET mirrored_at = NULL`;

test.each([
  ['comparing', 'NULL', /reading this server from Discord.*try again in a few seconds/],
  ['waiting', "'outage'", /does not answer.*try again in a few minutes/],
  ['refused', "'no_access'", /does not let the bot read.*Ask an admin to/],
])('a command in a guild that is %s is answered with that and what to do', async (_state, problem, words) => {
  verifies('bot.chat.guild-state');
  await stage.test.database.pool.query(untrusted(problem));
  const strike = { user: 'troll', severity: 'minor', reason: 'Spam' };
  const answer = await stage.says('moderator', 'strike add', strike);
  expect(answer).toMatch(/^Not done\. /);
  expect(answer).toMatch(words);
  const { rows } = await stage.test.database.pool.query('SELECT FROM cases');
  expect(rows).toEqual([]);
});
