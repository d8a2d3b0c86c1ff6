import type { z } from 'zod';
import type { Issue } from '#src/errors.ts';
import type { WordedIssue } from '#src/issue-words.ts';
import { count } from './phrases.ts';

const MOST_ISSUES = 20;

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

/** The message of a schema's issue in plain English, to follow the name of the field; for `safeParse`'s `error`. */
export function plainMessage(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    case 'too_small':
      return `must ${boundOf(issue.origin)} at least ${amount(issue.minimum, issue.origin)}`;
    case 'too_big':
      return `must ${boundOf(issue.origin)} at most ${amount(issue.maximum, issue.origin)}`;
    case 'unrecognized_keys':
      return 'is not a field of this operation';
    case 'custom':
      return wordsOf(issue.params)?.message ?? 'is not valid';
    default:
      return 'is not valid';
  }
}

/** The `params` of a schema's own issue: without a `message` there, `safeParse`'s `error` is asked for the text. */
export function wordedParams({ message, say }: WordedIssue): { params: Record<string, unknown> } {
  return { params: { message, say } };
}

/** What these params say, if they are from {@link wordedParams}. */
export function wordsOf(params: Readonly<Record<string, unknown>> | undefined): WordedIssue | null {
  return params !== undefined && 'say' in params ? (params as unknown as WordedIssue) : null;
}

/** The first issues of a failed parse: one per wrong field, with dotted paths. */
export function issuesOf(error: z.core.$ZodError): readonly Issue[] {
  const issues: Issue[] = [];
  for (const issue of error.issues) {
    const paths =
      issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    for (const path of paths) {
      if (issues.length === MOST_ISSUES) return issues;
      issues.push({ path: path.map(String).join('.').slice(0, 100), message: issue.message });
    }
  }
  return issues;
}

function boundOf(origin: string): string {
  return origin === 'string' || origin === 'array' ? 'have' : 'be';
}

function amount(bound: number | bigint, origin: string): string {
  if (origin === 'string') return count(Number(bound), 'character');
  return origin === 'array' ? count(Number(bound), 'item') : String(bound);
}
