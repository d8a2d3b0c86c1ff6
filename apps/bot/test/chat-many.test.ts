import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';

let stage: ChatStage;
chatGuildForEachTest({ Moderator: ['bans.write', 'mutes.write'] }, (next) => {
  stage = next;
});

const guild = () => {
  const found = stage.sandbox.getState(200).guilds.find(({ id }) => id === stage.guildId);
  if (found === undefined) throw new Error('The sandbox has no such guild');
  return found;
};
const bans = () => guild().bans.map(({ user_id }) => user_id);

function join(count: number): string[] {
  return Array.from({ length: count }, (_, n) => {
    const { member } = stage.sandbox.control.members({ action: 'join', name: `raider${n}` });
    return member?.user?.id ?? '';
  });
}

type Answer = Awaited<ReturnType<ChatStage['does']>>;

const buttonOf = ({ message }: Answer): string | undefined =>
  ((message?.components ?? []) as { components?: { custom_id?: string }[] }[])[0]?.components?.[0]?.custom_id;

const give = (command: string, options: Record<string, string | boolean>) =>
  stage.does({ type: 'command', user: 'moderator', command, options });
const press = (asked: Answer) =>
  stage.does({
    type: 'button',
    user: 'moderator',
    message_id: asked.message?.id ?? '',
    custom_id: buttonOf(asked) ?? '',
  });

test('/massban asks for the number again, bans exactly those, and /massunban undoes that', async () => {
  verifies('mass.chat');
  const [first = '', second = ''] = join(2);
  const owner = stage.people.owner ?? '';
  const asked = await give('massban', { users: `${first} <@${second}> ${owner} 12345` });
  expect(asked.message?.content).toBe(
    '2 people would be banned. Spared: names nobody (1), not below you and Bailiff (1). The file says it of each line. ' +
      'Nobody is touched before you press the button and repeat the number. It works for an hour, and means exactly these people.',
  );
  expect(asked.message?.attachments).toMatchObject([{ filename: 'people.txt' }]);
  expect(bans()).toEqual([]);

  const wrong = await stage.fills('moderator', await press(asked), { count: '3', reason: 'Raid' });
  expect(wrong).toMatch(/^Not done\. That is not the number of people\..* repeat 2\./);
  expect(bans()).toEqual([]);
  const done = await stage.fills('moderator', await press(asked), {
    ...{ count: '2', reason: 'Raid', duration: '1d', delete_messages: '3600' },
  });
  expect(done).toBe('2 people done. To undo exactly this: `/massunban`.');
  expect(bans().toSorted()).toEqual([first, second].toSorted());
  const again = await stage.fills('moderator', await press(asked), { count: '2', reason: 'Raid' });
  expect(again).toMatch(/^Not done\. This preview was used already/);

  const [action] = await suggested('massunban');
  expect(action?.name).toMatch(/^2 · .* UTC · Raid$/);
  expect(await suggested('massunban', ' RAID')).toEqual([action]);
  expect(await suggested('massunban', 'other')).toEqual([]);
  expect(await suggested('massunmute')).toEqual([]);
  // Whom Discord shows the command, without the capability.
  expect(await suggested('massunban', '', 'admin')).toEqual([]);
  const undone = await give('massunban', { action: action?.value ?? '', reason: 'The wrong ones' });
  expect(undone.message?.content).toBe('2 people done.');
  expect(bans()).toEqual([]);
});

test('who has lost the capability is told so before they fill in a form', async () => {
  verifies('mass.chat', 'bot.chat.same-capability');
  const [first = ''] = join(1);
  const asked = await give('massban', { users: first });
  await stage.test.database.pool.query('DELETE FROM role_grants');
  const pressed = await press(asked);
  expect(pressed.modal).toBeNull();
  expect(pressed.responses.at(-1)?.message?.content).toMatch(/^Not done\. .*bans\.write/);
});

test('the file says in the reader’s language why somebody was not banned', async () => {
  verifies('mass.chat');
  const [first = '', second = ''] = join(2);
  const asked = await give('massban', { users: `${first} ${second}` });
  // One of them rises above the bot meanwhile.
  stage.sandbox.control.members({ action: 'add_role', user: first, role: 'Admin', by: 'owner' });
  const form = await press(asked);
  const { message } = await stage.does({
    ...{ type: 'modal', user: 'moderator', interaction_id: form.id, locale: 'de' },
    fields: { count: '2', reason: 'Raid' },
  });
  expect(message?.content).toMatch(/^1 Person erledigt/);
  const text = await (await fetch(message?.attachments[0]?.url ?? '')).text();
  expect(text.split('\n').map((line) => line.split('\t'))).toEqual([
    ['1', first, 'abgelehnt', expect.stringMatching(/Rolle/)],
    ['1', second, 'getan', expect.stringMatching(/^#\d+$/)],
  ]);
});

test('/massmute takes who joined lately and says so if there is nobody, and /massunmute undoes that', async () => {
  verifies('mass.chat');
  const none = await give('massmute', { users: 'nobody' });
  expect(none.message?.content).toBe(
    'Nobody would be muted. Spared: names nobody (1). The file says it of each line.',
  );
  expect(buttonOf(none)).toBeUndefined();
  const [first = ''] = join(1);
  const asked = await give('massmute', { users: first, joined_since: '2h' });
  const done = await stage.fills('moderator', await press(asked), {
    count: '1',
    duration: '30m',
    reason: 'Raid',
  });
  expect(done).toBe('1 person done. To undo exactly this: `/massunmute`.');
  const muted = () =>
    guild()
      .members.filter(({ communication_disabled_until: until }) => until !== null)
      .map(({ user_id }) => user_id);
  expect(muted()).toEqual([first]);
  const [action] = await suggested('massunmute');
  const undone = await give('massunmute', { action: action?.value ?? '' });
  expect([undone.message?.content, muted()]).toEqual(['1 person done.', []]);
  expect((await give('massmute', { joined_since: 'lately' })).message?.content).toMatch(/joined_since/);
  for (const tooLong of ['50y', '300000y'])
    expect((await give('massmute', { joined_since: tooLong })).message?.content).toMatch(
      /^Not done\. joined_since: must be a time between 2015 and 2099/,
    );
});

test('a role with Ban Members alone is shown all commands about bans, and none about mutes', async () => {
  verifies('bot.shown.one-permission');
  stage.sandbox.control.roles({
    ...{ action: 'update', role: 'Moderator', guild_id: stage.guildId },
    permissions: ['BanMembers', 'ViewChannel'],
  });
  const [raider = ''] = join(1);
  expect(buttonOf(await give('massban', { users: raider }))).toMatch(/^many:bans\.many:/);
  await give('ban', { user: raider, reason: 'Raid' });
  expect((await give('banlength', { user: raider, duration: '2d' })).message?.content).toMatch(/^Done\./);
  for (const [command, options] of [
    ['massmute', { users: raider }],
    ['mutelength', { user: raider, duration: '2d' }],
  ] as const) {
    await expect(give(command, options)).rejects.toThrow(`cannot see /${command} (missing permission)`);
  }
});

async function suggested(
  command: string,
  action = '',
  user = 'moderator',
): Promise<{ name: string; value: string }[]> {
  const answer = await stage.sandbox.control.interact({
    ...{ type: 'autocomplete', user, command, focused: 'action' },
    options: { action },
  });
  return (answer.choices ?? []) as { name: string; value: string }[];
}
