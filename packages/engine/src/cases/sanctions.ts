import { caseKind } from '@bailiff/core';
import { CaseKind, sql } from '@bailiff/prisma';
import type { Transaction } from '#src/database/transaction.ts';
import type { SanctionRow } from './cases.ts';

/** A sanction that an action has given to its target. */
export interface GivenSanction {
  readonly actionId: string;
  readonly kind: CaseKind;
  readonly reason: string;
  /** Null: it does not end by itself. */
  readonly durationMinutes: number | null;
  /** Nobody was told, because the target is not a member of the guild. */
  readonly isAbsent: boolean;
}

/** Why earlier cases of a kind end when a new one begins. */
export function replacedBy(kind: CaseKind): string {
  return `Replaced by a later ${kind}`;
}

const settleSanctionOf = sql.command({
  parameters: [
    sql.text,
    sql.oneOf({ CaseKind }),
    sql.text,
    sql.text,
    sql.int.orNull,
    sql.bool,
    sql.bool,
    sql.text,
    sql.bool,
    sql.jsonb<object>(),
  ],
  text: 'SELECT settle_sanction($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
});

/**
 * Opens the case of a sanction, ends the cases that it replaces and settles its action, in one statement.
 *
 * @param answer the body of the operation's answer, with the case that {@link unopened} returns
 */
export function settleSanction(tx: Transaction, given: GivenSanction, answer: object): Promise<number> {
  const { idPrefix, end, endedInTimeBy } = caseKind(given.kind);
  return settleSanctionOf.run(tx, [
    given.actionId,
    given.kind,
    idPrefix,
    given.reason,
    given.durationMinutes,
    end !== null,
    endedInTimeBy === 'bot',
    replacedBy(given.kind),
    given.isAbsent,
    answer,
  ]);
}

/** A case that is about to be opened, as far as its action tells. The statement puts in what it knows itself. */
export function unopened(
  { reason, durationMinutes }: Pick<GivenSanction, 'reason' | 'durationMinutes'>,
  of: { readonly userId: string; readonly issuedBy: string },
): SanctionRow {
  const unknown = new Date(0);
  return {
    id: '',
    case_number: 0,
    user_id: of.userId,
    reason,
    issued_by: of.issuedBy,
    issued_at: unknown,
    duration_minutes: durationMinutes,
    expires_at: durationMinutes === null ? null : unknown,
    ended_by: null,
    ended_at: null,
    active: true,
  };
}
