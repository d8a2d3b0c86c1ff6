import type { OperationName } from './index.ts';

/**
 * Operations that can take longer than a caller waits for an answer. Their answer is then 202 with the action, which
 * goes on and shows its progress (decisions: Long actions).
 */
export const LONG_OPERATIONS = [
  'messages.purge',
  'tickets.close',
  'bans.preview',
  'bans.many',
  'bans.undo',
  'mutes.preview',
  'mutes.many',
  'mutes.undo',
] as const satisfies OperationName[];

export type LongOperation = (typeof LONG_OPERATIONS)[number];

export function isLongOperation(name: string): name is LongOperation {
  return LONG_OPERATIONS.some((long) => long === name);
}
