import type { Translator } from '@bailiff/messages';

/** What tables of the audit log say in the browser. */
export const AUDIT_NAMESPACES = ['audit', 'operations', 'events'] as const;

/** What says how operations and other events of the audit log are called. */
export interface AuditSpeech {
  readonly operations: Translator<'operations'>;
  readonly events: Translator<'events'>;
}

/** What an operation or event of an audit row is called; its name where a version of Bailiff wrote it that had others. */
export function wordsOfOperation({ operations, events }: AuditSpeech, operation: string): string {
  // One of many keys, all of whose messages take nothing.
  const [name, event] = [`${operation}.name` as 'bans.add.name', operation as 'tokens.create'];
  if (operations.has(name)) return operations(name);
  return events.has(event) ? events(event) : operation;
}
