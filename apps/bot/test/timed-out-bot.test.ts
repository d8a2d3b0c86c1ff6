import { expect, test } from 'vitest';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';
import { newMember } from './harness.ts';

let stage: ChatStage;
chatGuildForEachTest({}, (next) => {
  stage = next;
});

test('while the bot itself is timed out, answers say so instead of asking for permissions that it has', async () => {
  const { control } = stage.sandbox;
  control.members({ action: 'timeout', user: 'bot', minutes: 60, by: 'owner' });
  const user = newMember(stage.sandbox);
  const asked = [
    ['ban', { user, reason: 'Spam' }],
    ['mute', { user, reason: 'Spam', duration: '1h' }],
    ['kick', { user, reason: 'Spam' }],
    ['lock', {}],
    ['ticket open', { subject: 'Help' }],
  ] as const;
  for (const [command, options] of asked) {
    const said = await stage.says('owner', command, options);
    expect(said, command).toMatch(/^Not done\. The bot itself is timed out in this server/);
  }
  control.members({ action: 'lift_timeout', user: 'bot', by: 'owner' });
  expect(await stage.says('owner', 'ban', { user, reason: 'Spam' })).not.toMatch(/Not done/);
});

test('a purge that needs a permission says so too', async () => {
  const { control } = stage.sandbox;
  control.members({ action: 'timeout', user: 'bot', minutes: 60, by: 'owner' });
  const { message } = await stage.does({
    type: 'command',
    user: 'owner',
    command: 'purge',
    options: { count: 2 },
  });
  const [row] = (message?.components ?? []) as { components: { custom_id: string }[] }[];
  const custom_id = row?.components[0]?.custom_id ?? '';
  const pressed = await stage.does({
    type: 'button',
    user: 'owner',
    message_id: message?.id ?? '',
    custom_id,
  });
  expect(pressed.message?.content).toMatch(/The bot itself is timed out/);
});
