import { expect, test } from 'vitest';
import { hasTexts } from '#src/transcript-people.ts';

const written = (text: string, attachments: string[] = [], author_is_bot = false) => ({
  ...{ id: '1', author_id: '2', author_name: 'Alex', sent_at: '2026-11-01T00:00:00.000Z' },
  ...{ text, attachments, author_is_bot },
});

test.each([
  ['nothing was written', true, []],
  ['only the bot wrote', true, [written('', [], true)]],
  ['somebody wrote', true, [written(''), written('Hi')]],
  ['somebody sent a file without a word', true, [written('', ['a.png'])]],
  ['none of what people wrote holds anything', false, [written(''), written('Welcome', [], true)]],
])('where %s, what people wrote is there: %s', (_what, isThere, messages) => {
  expect(hasTexts(messages)).toBe(isThere);
});
