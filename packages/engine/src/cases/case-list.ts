import { Bindings, type Database, sql, TargetNoticeState } from '@bailiff/prisma';
import { AUDIT_COLUMNS, AUDIT_RECORD, type AuditRecord } from '#src/audit/audit-log.ts';
import { paceOfPage, TooManyRows } from '#src/audit/audit-looks.ts';
import { capabilityDenied } from '#src/calls/authorize.ts';
import { type Page, type PageStart, pageOf } from '#src/desk/paging.ts';
import type { Viewer } from '#src/guilds/guilds.ts';
import {
  type CaseFilters,
  type CasePlace,
  type CaseSearch,
  caseSearchText,
  type SearchBounds,
} from './case-search.ts';
import { CASE, CASE_COLUMNS, type CaseRow, isReplaced, readableKinds, replaces } from './cases.ts';
import { type CaseChange, changesOf } from './changes.ts';

/**
 * Cases of the kinds that the viewer may read, newest first. Those with some words are looked for part by part: a filter
 * can leave none of a million cases that have them.
 *
 * @throws ApiError CAPABILITY_DENIED if they may read none; TooManyRows if looking for them takes too long
 */
export async function listCases(
  db: Database,
  viewer: Viewer,
  filters: CaseFilters,
  start: PageStart<number>,
): Promise<Page<CaseRow>> {
  const readable = readableKinds(viewer.capabilities);
  if (readable.length === 0) throw capabilityDenied('strikes.read', 'You may not read cases');
  const { longestMs, ofLook } = paceOfPage(db, viewer.id);
  const startedAt = performance.now();
  const found: CaseRow[] = [];
  let rest: PageStart<CasePlace> = {
    limit: start.limit,
    before: start.before === undefined ? undefined : { number: start.before },
    after: start.after === undefined ? undefined : { number: start.after },
  };
  for (let bounds: SearchBounds = FIRST_LOOK; ; bounds = LATER_LOOK) {
    const rows = await ofLook(() =>
      searched(db, { guildId: viewer.id, kinds: readable, filters, start: rest }, bounds),
    );
    found.push(...rows.filter((row) => row.found));
    const lookedTo = rows.find((row) => !row.found);
    // Nothing is newer any more, or the case there is gone (CasePlace).
    if (start.after !== undefined && lookedTo === undefined && found.length === 0)
      return listCases(db, viewer, filters, { limit: start.limit });
    if (lookedTo === undefined || found.length > start.limit)
      return pageOf(found, start, (row) => row.case_number);
    if (performance.now() - startedAt > longestMs) throw new TooManyRows();
    const place = { number: lookedTo.case_number, issuedAt: lookedTo.issued_at };
    rest = { limit: start.limit - found.length, [start.after === undefined ? 'before' : 'after']: place };
  }
}

/** Cases that a look for words goes through, some milliseconds each. The index is asked once. */
const FIRST_LOOK: SearchBounds = { newest: 1_000, indexed: 5_000 };
const LATER_LOOK: SearchBounds = { newest: 1_000, indexed: 0 };

function searched(db: Database, search: CaseSearch, bounds: SearchBounds) {
  const bindings = new Bindings();
  const text = caseSearchText(search, bindings, bounds);
  const { parameters, values } = bindings;
  const columns = { found: sql.bool, ...CASE };
  return lists.statement({ parameters, columns, text, prepared: false }).all(db.pool, values);
}

const lists = sql.family('lists of cases', 500);

const markedCases = sql.statement({
  parameters: [sql.text, sql.arrayOf(sql.text)],
  columns: { id: sql.text, is_replaced: sql.bool, is_imported: sql.bool },
  text: `SELECT c.id, c.import_id IS NOT NULL AS is_imported, ${isReplaced('c')} AS is_replaced
    FROM cases c WHERE c.guild_id = $1 AND c.id = ANY ($2)`,
});

/** What a list says of a case besides its own columns. */
export interface CaseMarks {
  /** Another case replaced it. */
  readonly isReplaced: boolean;
  readonly isImported: boolean;
}

/** The marks of these cases of a guild, by id. */
export async function marksOf(
  { pool }: Pick<Database, 'pool'>,
  guildId: string,
  caseIds: readonly string[],
): Promise<ReadonlyMap<string, CaseMarks>> {
  if (caseIds.length === 0) return new Map();
  const rows = await markedCases.all(pool, [guildId, [...caseIds]]);
  return new Map(
    rows.map(({ id, is_replaced, is_imported }) => [
      id,
      { isReplaced: is_replaced, isImported: is_imported },
    ]),
  );
}

const caseReplacedBy = sql.statement({
  parameters: [sql.text],
  columns: { case_number: sql.int },
  text: `SELECT other.case_number FROM cases c JOIN cases other ON ${replaces('c', 'other')}
    WHERE c.id = $1 ORDER BY other.case_number DESC LIMIT 1`,
});

/** The number of the case that another one replaced; null if it replaced none. */
export async function replacedCase({ pool }: Pick<Database, 'pool'>, caseId: string): Promise<number | null> {
  return (await caseReplacedBy.first(pool, [caseId]))?.case_number ?? null;
}

/** How a case began or ended: the action behind it, or a person in Discord. */
export interface CaseOrigin {
  /** Null if it was done in Discord itself, or before actions were recorded. */
  readonly source: AuditRecord['actor_source'] | null;
  readonly byHand: boolean;
  readonly tokenName: string | null;
  /** Only for the guild's owner. */
  readonly address: string | null;
  readonly requestId: string | null;
}

export interface CaseFile {
  readonly row: CaseRow;
  readonly issued: CaseOrigin;
  /** Null if nobody has ended it. */
  readonly ended: CaseOrigin | null;
  /** What became of the direct message to the person concerned, so far. Null if there was none. */
  readonly notice: TargetNoticeState | null;
  /** Oldest first. */
  readonly changes: readonly CaseChange[];
  /** Number of the case that replaced it, if there is one. */
  readonly replacedBy: number | null;
  /**
   * Audit log rows about it, oldest first: those of what made, changed and ended it, and the newest that name it as their
   * target. Empty if the viewer may not read that log.
   */
  readonly audit: readonly AuditRecord[];
  /** Whether the audit log may have more that name it. */
  readonly hasMoreAudit: boolean;
}

const caseByNumber = sql.statement({
  parameters: [sql.text, sql.int],
  columns: { ...CASE, notice: sql.oneOf({ TargetNoticeState }).orNull },
  text: `SELECT ${CASE_COLUMNS}, (SELECT state FROM target_notices n WHERE n.action_id = cases.action_id) AS notice
    FROM cases WHERE guild_id = $1 AND case_number = $2`,
});

/**
 * A case with its full history. Null if the guild has no case with this number, or the viewer may not read its kind.
 */
export async function caseFile(db: Database, viewer: Viewer, number: number): Promise<CaseFile | null> {
  const row = await caseByNumber.first(db.pool, [viewer.id, number]);
  if (row === null || !readableKinds(viewer.capabilities).includes(row.kind)) return null;
  const [audit, replacedBy, changes] = await Promise.all([
    auditOfCase(db, row),
    replacementOf(db, row),
    changesOf(db, row.id),
  ]);
  const originBy = (actionId: string | null) =>
    originOf(viewer, row, audit, actionId, actionId === row.action_id ? 'add' : 'lift');
  return {
    row,
    issued: originBy(row.action_id),
    ended: row.ended_at === null ? null : originBy(row.end_action_id),
    notice: row.notice,
    changes,
    replacedBy,
    audit: viewer.capabilities.includes('audit.read') ? audit.map((entry) => seenBy(viewer, entry)) : [],
    hasMoreAudit: audit.filter(({ target_id }) => target_id === row.id).length >= MOST_NAMING,
  };
}

/** Most rows that are read because they name a case as their target: a token can try to change it at any time. */
const MOST_NAMING = 100;

const auditRowsOfCase = sql.statement({
  parameters: [sql.text, sql.text.orNull, sql.text.orNull, sql.text, sql.timestamptz, sql.text],
  columns: { ...AUDIT_RECORD, by_hand: sql.bool },
  text: `SELECT * FROM (
      SELECT ${AUDIT_COLUMNS}, false AS by_hand FROM audit_writes
      WHERE guild_id = $1 AND action_id = ANY (ARRAY(SELECT $2::text UNION SELECT $3
        UNION SELECT action_id FROM evidence WHERE case_id = $6
        UNION SELECT action_id FROM case_messages WHERE case_id = $6
        UNION SELECT action_id FROM case_changes WHERE case_id = $6))
      UNION
      (SELECT ${AUDIT_COLUMNS}, false FROM audit_writes WHERE guild_id = $1 AND target_id = $6
       ORDER BY at DESC, id DESC LIMIT ${MOST_NAMING})
      UNION ALL
      SELECT ${AUDIT_COLUMNS}, true FROM audit_writes
      WHERE guild_id = $1 AND target_id = $4 AND at >= $5::timestamptz - interval '1 day' AND details->>'case_id' = $6
    ) AS rows ORDER BY id`,
});

/**
 * Finds rows by the case's actions, those of its evidence and its changes, the newest that name it as their target, and
 * manual ones by the details of their row.
 */
function auditOfCase(db: Database, row: CaseRow): Promise<(AuditRecord & { by_hand: boolean })[]> {
  const { guild_id, action_id, end_action_id, user_id, issued_at, id } = row;
  return auditRowsOfCase.all(db.pool, [guild_id, action_id, end_action_id, user_id, issued_at, id]);
}

const replacementOfCase = sql.statement({
  parameters: [sql.text],
  columns: { case_number: sql.int },
  text: `SELECT other.case_number FROM cases c JOIN cases other ON ${replaces('other', 'c')} WHERE c.id = $1 LIMIT 1`,
});

async function replacementOf({ pool }: Database, { id, ended_at }: CaseRow): Promise<number | null> {
  if (ended_at === null) return null;
  return (await replacementOfCase.first(pool, [id]))?.case_number ?? null;
}

function originOf(
  viewer: Viewer,
  { kind }: CaseRow,
  audit: readonly (AuditRecord & { by_hand: boolean })[],
  actionId: string | null,
  verb: 'add' | 'lift',
): CaseOrigin {
  const entry =
    actionId === null
      ? audit.find(({ by_hand, operation }) => by_hand && operation === `${kind}s.${verb}`)
      : audit.find(({ action_id }) => action_id === actionId);
  return {
    source: entry?.actor_source ?? null,
    byHand: entry?.by_hand ?? false,
    tokenName: entry?.token_name ?? null,
    address: entry === undefined ? null : seenBy(viewer, entry).address,
    requestId: entry?.request_id ?? null,
  };
}

/** Only the owner may see the address of a request. */
function seenBy<Entry extends AuditRecord>({ isOwner }: Viewer, entry: Entry): Entry {
  return isOwner ? entry : { ...entry, address: null };
}

const MOST_ISSUERS = 100;

// Jumps from one issuer to the next, because a handful of moderators may have a million cases.
const issuersOfGuild = sql.statement({
  parameters: [sql.text],
  columns: { issued_by: sql.text },
  text: `WITH RECURSIVE found AS (
      (SELECT issued_by FROM cases WHERE guild_id = $1 ORDER BY issued_by LIMIT 1)
      UNION ALL
      SELECT (SELECT issued_by FROM cases WHERE guild_id = $1 AND issued_by > found.issued_by ORDER BY issued_by LIMIT 1)
      FROM found WHERE found.issued_by IS NOT NULL)
    SELECT issued_by FROM found WHERE issued_by IS NOT NULL LIMIT ${MOST_ISSUERS}`,
});

/** Up to a hundred issuers of cases in this guild, in no particular order. */
export async function issuersOfCases({ pool }: Database, viewer: Viewer): Promise<string[]> {
  const rows = await issuersOfGuild.all(pool, [viewer.id]);
  return rows.map(({ issued_by }) => issued_by);
}
