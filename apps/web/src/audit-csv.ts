import type { AuditEntry } from '@bailiff/engine/audit/audit-log';

/** Columns of an export, in their order. Names are those of the public API's audit rows. */
const COLUMNS = {
  id: (entry) => entry.id,
  at: (entry) => entry.at.toISOString(),
  actor_source: (entry) => entry.actorSource,
  actor_user_id: (entry) => entry.actorUserId,
  actor_name: (entry) => entry.actorName,
  token_id: (entry) => entry.tokenId,
  token_name: (entry) => entry.tokenName,
  operation: (entry) => entry.operation,
  target_type: (entry) => entry.targetType,
  target_id: (entry) => entry.targetId,
  target_name: (entry) => entry.targetName,
  outcome: (entry) => entry.outcome,
  code: (entry) => entry.code,
  request_id: (entry) => entry.requestId,
  address: (entry) => entry.address,
  digest: (entry) => entry.digest,
  action_id: (entry) => entry.actionId,
  details: (entry) => entry.details,
} satisfies Record<string, (entry: AuditEntry) => unknown>;

const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

/** Spreadsheets take a file for UTF-8 only when it begins with this. */
const BYTE_ORDER_MARK = '\uFEFF';

export const CSV_HEAD = `${BYTE_ORDER_MARK}${NAMES.join(',')}\r\n`;

/** A row of RFC 4180. */
export function csvLine(entry: AuditEntry): string {
  return `${NAMES.map((name) => cell(COLUMNS[name](entry))).join(',')}\r\n`;
}

/** A row as JSON on a line of its own. */
export function jsonLine(entry: AuditEntry): string {
  return `${JSON.stringify(Object.fromEntries(NAMES.map((name) => [name, COLUMNS[name](entry) ?? null])))}\n`;
}

/** What a spreadsheet would take for a formula: names, reasons and commands are written by strangers. */
const FORMULA = /^\s*[=+\-@\t\r＝＋－＠]/;

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
