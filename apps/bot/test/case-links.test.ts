import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';

const DASHBOARD = 'https://bailiff.example';

let stage: ChatStage;
chatGuildForEachTest(
  { Moderator: ['strikes.read', 'strikes.write', 'bans.read', 'bans.write'] },
  (made) => {
    stage = made;
  },
  { DASHBOARD_URL: DASHBOARD },
);

/** The addresses that the buttons of a message open. */
const linksOf = (message: { components?: readonly object[] } | null | undefined) =>
  (message?.components ?? []).flatMap((row) =>
    'components' in row && Array.isArray(row.components)
      ? row.components.flatMap(({ url }) => url ?? [])
      : [],
  );
const pageOf = (number: number) => `${DASHBOARD}/guilds/${stage.guildId}/cases/${number}`;

test('the answers about a case and its post in the log channel open it, and what the person gets does not', async () => {
  verifies('cases.link-in-chat');
  const channels = () =>
    stage.sandbox.getState(200).guilds.find(({ id }) => id === stage.guildId)?.channels ?? [];
  const log = channels().find(({ name }) => name === 'mod-log');
  await stage.test.database.pool.query('UPDATE guilds SET log_channel_id = $2 WHERE id = $1', [
    stage.guildId,
    log?.id,
  ]);
  const answerTo = async (command: string, options: Record<string, string>) =>
    (await stage.does({ type: 'command', user: 'moderator', command, options, channel: 'general' })).message;
  const struck = { user: 'troll', severity: 'minor', reason: 'rude' };
  expect(linksOf(await answerTo('strike add', struck))).toEqual([pageOf(1)]);
  const told = () =>
    stage.sandbox.getState().dms.find(({ user_id }) => user_id === stage.people.troll)?.messages ?? [];
  // Once the strike is removed, nobody is told of it any more.
  await stage.sandbox.until(() => told().length === 1);
  expect(linksOf(await answerTo('case show', { number: '1' }))).toEqual([pageOf(1)]);
  expect(linksOf(await answerTo('strike remove', { case: '1' }))).toEqual([pageOf(1)]);
  expect(linksOf(await answerTo('case show', { number: '999' }))).toEqual([]);
  expect(linksOf(await answerTo('ban', { user: 'troll', reason: 'worse' }))).toEqual([pageOf(2)]);
  const posts = () => channels().find(({ id }) => id === log?.id)?.messages ?? [];
  const linked = () => posts().flatMap(linksOf);
  await stage.sandbox.until(
    () => linked().includes(pageOf(1)) && linked().includes(pageOf(2)),
    60_000,
    'posts',
  );
  // A ban waits two seconds for its message, which a busy machine may take longer to send.
  await stage.row(
    `SELECT FROM target_notices JOIN actions ON actions.id = action_id WHERE guild_id = $1
     HAVING count(*) = 2 AND bool_and(target_notices.state <> 'sending')`,
    [stage.guildId],
  );
  expect(JSON.stringify(told())).not.toContain('/cases/');
});
