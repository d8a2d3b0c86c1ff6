import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';

let stage: ChatStage;
chatGuildForEachTest({ Moderator: ['mutes.read', 'mutes.write'] }, (next) => {
  stage = next;
});

const mutes = async () =>
  (
    await stage.test.database.pool.query(
      "SELECT duration_minutes AS minutes FROM cases WHERE guild_id = $1 AND kind = 'mute' ORDER BY id",
      [stage.guildId],
    )
  ).rows.map(({ minutes }) => minutes);

type Answered = Awaited<ReturnType<ChatStage['does']>>;

function buttonsOf({ message }: Answered): { label: string; custom_id: string }[] {
  const rows = (message?.components ?? []) as { components: { label: string; custom_id: string }[] }[];
  return rows.flatMap(({ components }) => components);
}

const press = (asked: Answered, label: string, user = 'moderator') =>
  stage.does({
    type: 'button',
    user,
    message_id: asked.message?.id ?? '',
    custom_id: buttonsOf(asked).find((each) => each.label === label)?.custom_id ?? '',
  });

test('a number without a unit is asked about with buttons, which work once and only for who typed it', async () => {
  verifies('chat.bare-length');
  const options = { user: 'troll', duration: '30', reason: 'Spam' };
  const asked = await stage.does({ type: 'command', user: 'moderator', command: 'mute', options });
  expect(asked.message?.content).toMatch(/^duration: what is 30\? Nothing is done before you press a button/);
  expect(buttonsOf(asked).map(({ label }) => label)).toEqual(['30 minutes', '30 hours', '30 days']);
  expect(await mutes()).toEqual([]);
  // Nobody else sees the question.
  await expect(press(asked, '30 days', 'owner')).rejects.toThrow('does not see');
  const done = await press(asked, '30 hours');
  expect(done.message?.content).toMatch(/^Done\. Mute .* for 30 hours/);
  expect(await mutes()).toEqual([1800]);
  // The answer has taken the place of the buttons.
  await expect(press(asked, '30 days')).rejects.toThrow('usable are: none');
  expect(await mutes()).toEqual([1800]);
});

test('a form asks too, and a number that cannot be a length is refused at once', async () => {
  verifies('chat.bare-length');
  const formOf = async (duration: string) => {
    const opened = await stage.picks('moderator', 'Mute', stage.people.troll ?? '');
    return stage.does({
      type: 'modal',
      user: 'moderator',
      interaction_id: opened.id,
      fields: { duration, reason: 'Spam' },
    });
  };
  const refused = await formOf('9999999');
  expect(refused.message?.content).toMatch(/^Not done\. .*"9999999" could be minutes, hours or days/);
  const asked = await formOf(' 45 ');
  expect(buttonsOf(asked)).toHaveLength(3);
  expect((await press(asked, '45 minutes')).message?.content).toMatch(/^Done\. Mute .* for 45 minutes/);
  // Longer than a mute can be: refused as if it had been written out.
  const tooLong = await formOf('4000');
  expect((await press(tooLong, '4,000 days')).message?.content).toMatch(/^Not done\./);
  expect(await mutes()).toEqual([45]);
});
