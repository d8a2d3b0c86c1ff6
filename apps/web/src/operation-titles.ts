import type { Translator } from '@bailiff/messages';

/** The message namespaces that tables of the audit log need in the browser. */
export const AUDIT_NAMESPACES = ['audit', 'operations', 'events'] as const;

/** The messages that name the operations and events of the audit log. */
export interface AuditTexts {
  readonly operations: Translator<'operations'>;
  readonly events: Translator<'events'>;
}

/** The title of an operation or event of an audit row. Without one, as in rows of older versions, it is the name itself. */
export function operationTitle({ operations, events }: AuditTexts, operation: string): string {
  // The types stand for many keys, all of whose messages take no arguments.
  const [name, event] = [`${operation}.name` as 'bans.add.name', operation as 'tokens.create'];
  if (operations.has(name)) return operations(name);
  return events.has(event) ? events(event) : operation;
}
