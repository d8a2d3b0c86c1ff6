import { entryOf, type InputOf, type OperationName, plainMessage } from '@bailiff/core';

/** What somebody typed does not fit; the message is for them. */
export class InputProblem extends Error {}

/**
 * An operation's input from what was typed, by field; what was left out is undefined.
 *
 * @param named what the person knows a field as
 * @throws InputProblem that names the first field at fault
 */
export function inputFrom<N extends OperationName>(
  operation: N,
  typed: Readonly<Record<string, unknown>>,
  named: (field: string) => string = (field) => field,
): InputOf<N> {
  const given = Object.entries(typed).filter(([, value]) => value !== undefined);
  const parsed = entryOf(operation).input.safeParse(Object.fromEntries(given), { error: plainMessage });
  if (parsed.success) return parsed.data as InputOf<N>;
  const [issue] = parsed.error.issues;
  throw new InputProblem(`${named(String(issue?.path[0] ?? 'input'))}: ${issue?.message ?? 'does not fit'}`);
}
