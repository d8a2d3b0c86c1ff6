import { wordsOf } from '@bailiff/core';
import type { IssueWords } from '@bailiff/core/issue-words';
import type { z } from 'zod';
import { byKey, type Translator } from './make.ts';

/**
 * What is wrong with a field, to follow its name; the schema's own message if it has one. For `safeParse`'s `error`.
 */
export function sayIssue(t: Translator<'errors'>, issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return t('issues.required');
      return issue.expected === 'int' ? t('issues.wholeNumber') : t('issues.invalid');
    case 'invalid_value':
      return t('issues.oneOf', { values: issue.values.join(', ') });
    case 'too_small':
      return issue.origin === 'string'
        ? t('issues.leastCharacters', { count: Number(issue.minimum) })
        : t('issues.least', { bound: String(issue.minimum) });
    case 'too_big':
      return issue.origin === 'string'
        ? t('issues.mostCharacters', { count: Number(issue.maximum) })
        : t('issues.most', { bound: String(issue.maximum) });
    case 'custom': {
      const words = wordsOf(issue.params);
      return words === null ? t('issues.invalid') : sayIssueWords(t, words.say);
    }
    default:
      return t('issues.invalid');
  }
}

/** What a check of ours says of a value. */
export function sayIssueWords(t: Translator<'errors'>, { key, values = {} }: IssueWords): string {
  return byKey(t)(`issues.own.${key}`, values);
}
