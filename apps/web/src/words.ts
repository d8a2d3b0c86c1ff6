import { entryOf, isOperationName } from '@bailiff/core';
import type { DashboardOperation } from '@bailiff/engine';

const DASHBOARD_WORDS: Readonly<Record<DashboardOperation, string>> = {
  'tokens.create': 'Create a token',
  'tokens.renew': 'Renew a token',
  'tokens.rotate': 'Rotate a token',
  'tokens.revoke': 'Revoke a token',
  'tokens.update': 'Change a token',
  'tokens.snooze': 'Snooze a rotation warning',
  'windows.open': 'Open a window',
  'windows.close': 'Close a window',
  'approvals.decide': 'Decide an approval request',
  'device.authorize': 'Authorise a device code',
  'grants.update': 'Change what roles may do',
  'servers.create': 'Add a game server',
  'servers.update': 'Change a game server',
  'servers.delete': 'Remove a game server',
};

/** What an operation of an audit row does, in words; its name where no words are known. */
export function wordsOf(operation: string): string {
  if (isOperationName(operation)) return entryOf(operation).summary;
  return Object.hasOwn(DASHBOARD_WORDS, operation)
    ? DASHBOARD_WORDS[operation as DashboardOperation]
    : operation;
}
