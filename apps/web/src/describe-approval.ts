import { describeCall, entryOf, isOperationName } from '@bailiff/core';
import { type ApprovalView, memberNames } from '@bailiff/engine';
import type { Database } from '@bailiff/prisma';

export interface DescribedApproval extends ApprovalView {
  /** The exact call in words. */
  readonly sentence: string;
}

/** Approval requests with the call each asks for in words, people and guild by their names where those are known. */
export async function describeApprovals(
  db: Database,
  guild: { id: string; name: string },
  approvals: readonly ApprovalView[],
): Promise<DescribedApproval[]> {
  const ids = approvals.flatMap(({ input }) => idsIn(input));
  const names = { ...(await memberNames(db, guild.id, ids)), [guild.id]: guild.name };
  return approvals.map((approval) => ({ ...approval, sentence: sentenceOf(approval, guild.id, names) }));
}

function sentenceOf(
  { operation, input }: ApprovalView,
  guildId: string,
  names: Record<string, string>,
): string {
  if (!isOperationName(operation)) return operation;
  // A request recorded by an older version may not fit today's schema; the call as JSON stands beside it either way.
  const parsed = entryOf(operation).input.safeParse(input);
  return parsed.success
    ? describeCall(operation, guildId, parsed.data as never, names)
    : entryOf(operation).summary;
}

function idsIn(input: unknown): string[] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.values(input).filter((value) => typeof value === 'string' && /^\d{17,20}$/.test(value));
}
