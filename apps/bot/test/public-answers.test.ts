import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';

let stage: ChatStage;
chatGuildForEachTest(
  { Moderator: ['strikes.read', 'strikes.write', 'bans.write', 'mutes.write'] },
  (made) => {
    stage = made;
  },
);

const choose = (answers: string[], language = 'en') =>
  stage.test.database.pool.query('UPDATE guilds SET public_answers = $2, language = $3 WHERE id = $1', [
    stage.guildId,
    answers,
    language,
  ]);
/** What everybody reads of Bailiff in #general. */
const read = () => {
  const { channels = [] } = stage.sandbox.getState(200).guilds.find(({ id }) => id === stage.guildId) ?? {};
  const { messages = [] } = channels.find(({ id }) => id === stage.sandbox.channels.general) ?? {};
  return messages.filter(({ interaction_metadata }) => interaction_metadata !== undefined);
};
const types = (command: string, options: Record<string, string>) =>
  stage.sandbox.control.interact({
    type: 'command',
    user: 'moderator',
    command,
    options,
    channel: 'general',
  });
const privately = ({ responses }: Awaited<ReturnType<typeof types>>) =>
  responses.every(({ kind, ephemeral }) => ephemeral || kind === 'followup');

test('what a guild chose is also told to everybody in the channel, without the reason, and nothing else is', async () => {
  verifies('chat.public-answers');
  await choose(['mutes.add', 'bans.add', 'strikes.add'], 'de');
  const { troll = '', quiet = '', moderator = '' } = stage.people;
  const reason = `@everyone <@${moderator}> secret`;
  const muted = await types('mute', { user: 'quiet', duration: '2h', reason });
  expect(muted.message?.content).toContain('secret');
  expect(privately(muted)).toBe(true);
  await stage.sandbox.until(() => read().length === 1, 60_000, 'a public answer');
  // It is for the moderator alone: what was not chosen, what is refused, what asks first, and what only reads.
  for (const [command, options] of [
    ['unmute', { user: quiet, reason: 'enough' }],
    ['mute', { user: 'owner', duration: '2h', reason: 'no' }],
    ['mute', { user: 'quiet', duration: '2', reason: 'which unit' }],
    ['kick', { user: 'troll', reason: 'not granted' }],
    ['strike list', {}],
  ] as const) {
    expect(privately(await types(command, options))).toBe(true);
  }
  await types('ban', { user: 'troll', reason });
  await stage.sandbox.until(() => read().length > 1, 60_000, 'another public answer');
  await types('strike add', { user: 'member', severity: 'minor', reason });
  await stage.sandbox.until(() => read().length > 2, 60_000, 'a third public answer');
  expect(read().map(({ content }) => content)).toEqual([
    `<@${quiet}> wurde für 2 Stunden stummgeschaltet.`,
    `<@${troll}> wurde dauerhaft gebannt.`,
    `<@${stage.people.member}> hat eine Verwarnung erhalten.`,
  ]);
  for (const message of read()) {
    expect(message).toMatchObject({
      mentions: [],
      mention_everyone: false,
      mention_roles: [],
      components: [],
    });
  }
});

test('an answer that everybody may read is sent once, also if Discord’s answer to it is lost', async () => {
  verifies('chat.public-answers');
  await choose(['bans.lift']);
  await stage.says('moderator', 'ban', { user: 'troll', reason: 'raid' });
  stage.sandbox.control.addFault({
    method: 'POST',
    route: '/webhooks/*/*',
    when: 'after',
    socket: 'reset',
  });
  const followUps = () =>
    stage.sandbox.requests.filter(({ method, path }) => method === 'POST' && /^\/webhooks\//.test(path))
      .length;
  const lifted = await types('unban', { user: String(stage.people.troll) });
  expect(lifted.message?.content).toMatch(/^Done/);
  await stage.sandbox.until(() => followUps() > 0, 60_000, 'a public answer');
  // What comes later is later than a second attempt would be.
  await stage.says('moderator', 'whoami');
  expect(followUps()).toBe(1);
  expect(read().map(({ content }) => content)).toEqual([
    `<@${stage.people.troll}> may join again: the ban is lifted.`,
  ]);
});
