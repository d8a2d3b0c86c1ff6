import { replacedCase } from '@bailiff/engine/cases/case-list';
import type { Engine } from '@bailiff/engine/engine';
import { type Locale, translator } from '@bailiff/messages';
import { caseIdIn } from './undelivered-notice.ts';

/** A text that says which case was replaced, because the person was banned or muted before. Null if none was. */
export async function replacementNotice(
  { db }: Pick<Engine, 'db'>,
  body: object,
  locale: Locale,
): Promise<string | null> {
  const caseId = caseIdIn(body);
  const number = caseId === null ? null : await replacedCase(db, caseId);
  return number === null ? null : translator(locale, 'chat')('replaced', { number: String(number) });
}
