import type { OutputOf } from '@bailiff/core';
import { type Locale, translator } from '@bailiff/messages';

/** How a mass action or its undoing ended, in numbers. */
export function manyEnded(
  locale: Locale,
  { done, failed, unknown, not_tried }: OutputOf<'bans.many'>['many'],
): string {
  return translator(locale, 'chat')('many.ended', { done, failed, unknown, left: not_tried });
}
