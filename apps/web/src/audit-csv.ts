import type { AuditEntry } from '@bailiff/engine/audit/audit-log';

/** The columns of an export in order. They have the names of the public API's audit rows. */
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
  count: (entry) => entry.count,
  last_at: (entry) => entry.lastAt.toISOString(),
} satisfies Record<string, (entry: AuditEntry) => unknown>;

const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

/** Spreadsheets read a file as UTF-8 only if it begins with this mark. */
const BYTE_ORDER_MARK = '\uFEFF';

export const CSV_HEAD = `${BYTE_ORDER_MARK}${NAMES.join(',')}\r\n`;

/** A CSV row (RFC 4180). */
export function csvLine(entry: AuditEntry): string {
  return `${NAMES.map((name) => cell(COLUMNS[name](entry))).join(',')}\r\n`;
}

/** A row as JSON on one line. */
export function jsonLine(entry: AuditEntry): string {
  return `${JSON.stringify(Object.fromEntries(NAMES.map((name) => [name, COLUMNS[name](entry) ?? null])))}\n`;
}

/**
 * Where a spreadsheet would begin a formula. Strangers write names, reasons and commands. Where numbers have a decimal
 * comma, Excel separates the cells of a file by semicolons, whatever quotes stand around them: a formula can then begin
 * within a text, also behind quotes of its own.
 */
const FORMULA = /(^|[;\t\r\n])([\s"]*)(?=[=+\-@\t\r＝＋－＠])/g;

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const harmless = text.replace(FORMULA, "$1'$2");
  return /[",;\r\n']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
