import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';

let stage: ChatStage;
chatGuildForEachTest(
  { Moderator: ['strikes.read', 'strikes.write', 'bans.write', 'tickets.write'] },
  (made) => {
    stage = made;
  },
);

test('/modstats lists what each moderator did, or only one of them, in the reader’s language', async () => {
  verifies('moderators.chat', 'moderators.counted');
  const { moderator, owner, troll } = stage.people;
  expect(await stage.says('owner', 'modstats')).toBe('No moderator did anything in this time.');
  await stage.says('moderator', 'warn', { user: 'member', reason: 'Spam' });
  await stage.says('moderator', 'strike add', { user: 'member', reason: 'Spam', severity: 'minor' });
  await stage.says('moderator', 'strike remove', { case: 2, reason: 'A mistake' });
  await stage.says('owner', 'warn', { user: 'member', reason: 'Spam' });

  const all = await stage.says('owner', 'modstats');
  expect(all.split('\n')).toEqual([
    '**Moderators in the last 30 days**',
    `<@${moderator}>: 2 cases (Strike 1, Warning 1), 1 lifted early (0 on appeal)`,
    `<@${owner}>: 1 case (Warning 1)`,
    'Not in the table: 0 cases from tokens, 0 cases that Bailiff opened by itself, and every imported case.',
  ]);
  expect(await stage.says('owner', 'modstats', { moderator: 'owner', days: 7 })).toBe(
    `**Moderators in the last 7 days**\n<@${owner}>: 1 case (Warning 1)`,
  );
  expect(await stage.says('owner', 'modstats', { moderator: 'troll', days: 1 })).toBe(
    `<@${troll}> did nothing in the last day.`,
  );
  const german = await stage.does({ type: 'command', user: 'owner', command: 'modstats', locale: 'de' });
  expect(german.message?.content).toContain('**Moderatoren in den letzten 30 Tagen**');
  expect(await stage.says('moderator', 'modstats')).toContain('audit.read');
});
