import { z } from 'zod';
import { MOST_NOTICE_WORDS, NOTICE_PLACEHOLDERS, unknownPlaceholder } from './notice-words.ts';
import { text } from './operations/shapes.ts';

/** Schema of a guild's own words in notices; empty for none. */
export const NoticeWords = z
  .string()
  .trim()
  .pipe(z.union([z.literal(''), text(MOST_NOTICE_WORDS)]))
  .refine((words) => unknownPlaceholder(words) === null, {
    message: `may have no placeholders but ${NOTICE_PLACEHOLDERS.map((name) => `{${name}}`).join(', ')}`,
  });

/** Schema of the colour beside these words. */
export const NoticeColour = z.string().regex(/^#[0-9a-f]{6}$/, 'must be a colour such as #4f8fd6');
