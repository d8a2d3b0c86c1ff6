import { forgetGuild } from '@bailiff/engine/guilds/forget';
import { expect, test } from 'vitest';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';
import { personOf } from './harness.ts';

let stage: ChatStage;
chatGuildForEachTest({}, (next) => {
  stage = next;
});

/** A guild whose admin has added the commands alone. The bot has never been there. */
async function withoutBot(): Promise<void> {
  stage.sandbox.control.guilds({ action: 'remove_bot' });
  await stage.row('SELECT FROM guilds WHERE id = $1 AND left_at IS NOT NULL', [stage.guildId]);
  await forgetGuild(stage.test.database, stage.guildId);
}

test('where only the commands were added, every answer says that the bot is missing, and nothing else', async () => {
  await withoutBot();
  const user = personOf(stage.sandbox, 'member');
  const asked = [
    ['ban', { user, reason: 'Spam' }],
    ['unban', { user }],
    ['purge', { count: 3 }],
    ['case show', { number: 1 }],
    ['ticket open', { subject: 'Help' }],
    ['ticket close', {}],
    ['whoami', {}],
  ] as const;
  for (const [command, options] of asked) {
    const said = await stage.says('owner', command, options);
    expect(said, command).toMatch(
      /^Not done\. Bailiff's commands were added .*its bot was not\. .*http:\S+$/,
    );
  }
  const { message } = await stage.picks('owner', 'Ban', user);
  expect(message?.content).toMatch(/its bot was not/);
});
