import { replacedCase } from '@bailiff/engine/cases/case-list';
import type { Engine } from '@bailiff/engine/engine';
import { type Locale, translator } from '@bailiff/messages';
import { caseIn } from './case-in.ts';

/** A text that says which case was replaced, because the person was banned or muted before. Null if none was. */
export async function replacementNotice(
  { db }: Pick<Engine, 'db'>,
  body: object,
  locale: Locale,
): Promise<string | null> {
  const told = caseIn(body);
  const number = told === null ? null : await replacedCase(db, told.caseId);
  return number === null ? null : translator(locale, 'chat')('replaced', { number: String(number) });
}
