import { type InputOf, type OperationName, parseInput } from '@bailiff/core';
import { type Locale, sayIssue, translator } from '@bailiff/messages';

/** An error about what a person typed. The message is for them, in their language. */
export class InputProblem extends Error {}

/** The seconds of the unit that a length without one has, by the name of its option. */
export type Units = ReadonlyMap<string, number>;

/** A length without a unit, which could be several. People who can be asked are asked. */
export class BareLength extends InputProblem {
  readonly option: string;
  readonly amount: number;
  readonly secondsPerUnit: number;

  constructor(message: string, bare: Pick<BareLength, 'option' | 'amount' | 'secondsPerUnit'>) {
    super(message);
    this.option = bare.option;
    this.amount = bare.amount;
    this.secondsPerUnit = bare.secondsPerUnit;
  }
}

/**
 * An operation's input from what was typed, by field. Fields that were left out are undefined.
 *
 * @param named the name of a field as the person knows it
 * @throws InputProblem that names the first wrong field
 */
export function inputFrom<N extends OperationName>(
  operation: N,
  typed: Readonly<Record<string, unknown>>,
  locale: Locale,
  named: (field: string) => string = (field) => field,
): InputOf<N> {
  const t = translator(locale, 'errors');
  const given = Object.entries(typed).filter(([, value]) => value !== undefined);
  const parsed = parseInput(operation, Object.fromEntries(given), (issue) => sayIssue(t, issue));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const option = named(String(issue?.path[0] ?? 'input'));
  throw new InputProblem(t('issues.at', { option, problem: issue?.message ?? t('issues.invalid') }));
}
