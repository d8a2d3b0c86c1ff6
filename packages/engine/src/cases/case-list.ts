import { caseKind } from '@bailiff/core';
import { Bindings, CaseKind, type Database, sql, TargetNoticeState } from '@bailiff/prisma';
import { AUDIT_COLUMNS, AUDIT_RECORD, type AuditRecord } from '#src/audit/audit-log.ts';
import { capabilityDenied } from '#src/calls/authorize.ts';
import { type Page, type PageStart, pageOf } from '#src/desk/paging.ts';
import type { Viewer } from '#src/guilds/guilds.ts';
import { CASE, CASE_COLUMNS, type CaseRow, IN_FORCE, readableKinds } from './cases.ts';
import { type CaseChange, changesOf } from './changes.ts';

/** Filters for the list of cases. Absent fields filter nothing. */
export interface CaseFilters {
  readonly kind?: CaseKind | undefined;
  readonly standing?: CaseStanding | undefined;
  /** The user that the cases are about. */
  readonly userId?: string | undefined;
  readonly issuedBy?: string | undefined;
  /** Issued at this time or later. */
  readonly from?: Date | undefined;
  /** Issued before this time. */
  readonly until?: Date | undefined;
  /** Words, or beginnings of words, that must all occur in the case's reason, category or in-game identity. */
  readonly words?: string | undefined;
}

export const CASE_STANDINGS = ['in_force', 'ended'] as const;
export type CaseStanding = (typeof CASE_STANDINGS)[number];

/**
 * Cases of the kinds that the viewer may read, newest first.
 *
 * @throws ApiError CAPABILITY_DENIED if they may read none
 */
export async function listCases(
  db: Database,
  viewer: Viewer,
  filters: CaseFilters,
  start: PageStart<number>,
): Promise<Page<CaseRow>> {
  const readable = readableKinds(viewer.capabilities);
  if (readable.length === 0) throw capabilityDenied('strikes.read', 'You may not read cases');
  const kinds = readable.filter((kind) => filters.kind === undefined || filters.kind === kind);
  const words = wordQuery(viewer.id, filters.words ?? '');
  const search = { guildId: viewer.id, kinds, filters, start };
  const rows =
    kinds.length === 0
      ? []
      : words === null
        ? await newest(db, search, start.limit + 1)
        : await newestWithWords(db, search, words);
  return pageOf(rows, start, (row) => row.case_number);
}

interface Search {
  readonly guildId: string;
  readonly kinds: readonly CaseKind[];
  readonly filters: CaseFilters;
  readonly start: PageStart<number>;
}

/**
 * Not a prepared statement: the best plan depends on the values, from one moderator's three cases to a million strikes.
 */
const lists = sql.family('lists of cases', 500);

async function newest(db: Database, search: Search, limit: number): Promise<CaseRow[]> {
  const bindings = new Bindings();
  const text = newestText(search, bindings, limit);
  const { parameters, values } = bindings;
  return lists.statement({ parameters, columns: CASE, text, prepared: false }).all(db.pool, values);
}

/** How many of the newest cases are searched for words before the index of words is used. */
const LOOKED_THROUGH = 2_000;

/**
 * Searches the newest cases for common words and uses the index for others: a scan of all cases for a rare word takes
 * seconds, and so does sorting all cases with a common one.
 */
async function newestWithWords(db: Database, search: Search, words: string): Promise<CaseRow[]> {
  const wanted = search.start.limit + 1;
  const bindings = new Bindings();
  const order = orderOf(search.start);
  const newest = newestText(search, bindings, LOOKED_THROUGH);
  const text = `WITH newest AS MATERIALIZED (${newest})
    SELECT *, (SELECT count(*) FROM newest)::int AS looked FROM newest
    WHERE ${WORDS} @@ ${bindings.bind(sql.tsquery, words)}::tsquery ${order} LIMIT ${wanted}`;
  const { parameters, values } = bindings;
  const columns = { ...CASE, looked: sql.int };
  const rows = await lists.statement({ parameters, columns, text, prepared: false }).all(db.pool, values);
  if (rows.length === wanted) return rows;
  const looked = rows[0]?.looked ?? (await countLooked(db, search));
  return looked < LOOKED_THROUGH ? rows : indexedWords(db, search, words);
}

/** How many cases there are to search, up to {@link LOOKED_THROUGH}. */
async function countLooked(db: Database, search: Search): Promise<number> {
  const bindings = new Bindings();
  const text = `SELECT count(*)::int AS looked FROM (${newestText(search, bindings, LOOKED_THROUGH)}) AS newest`;
  const { parameters, values } = bindings;
  const columns = { looked: sql.int };
  return (await lists.statement({ parameters, columns, text, prepared: false }).only(db.pool, values)).looked;
}

async function indexedWords(db: Database, search: Search, words: string): Promise<CaseRow[]> {
  const bindings = new Bindings();
  const kinds = bindings.bind(sql.arrayOf(sql.text), search.kinds);
  const text = `WITH matching AS MATERIALIZED
      (SELECT * FROM cases WHERE ${WORDS} @@ ${bindings.bind(sql.tsquery, words)}::tsquery)
    SELECT ${CASE_COLUMNS} FROM matching
    WHERE ${conditionsOf(search, bindings).join(' AND ')} AND kind::text = ANY (${kinds}) AND ${standingOf(search.filters)}
    ${orderOf(search.start)} LIMIT ${search.start.limit + 1}`;
  const { parameters, values } = bindings;
  return lists.statement({ parameters, columns: CASE, text, prepared: false }).all(db.pool, values);
}

const WORDS = 'case_words(guild_id, reason, category, player_name, in_game_id)';

function orderOf({ after }: PageStart<number>): string {
  const direction = after === undefined ? 'DESC' : 'ASC';
  return `ORDER BY issued_at ${direction}, case_number ${direction}`;
}

function conditionsOf({ guildId, filters, start: { before, after } }: Search, bindings: Bindings): string[] {
  const guild = bindings.bind(sql.text, guildId);
  const from = after ?? before;
  return [
    `guild_id = ${guild}`,
    ...(filters.userId === undefined ? [] : [`user_id = ${bindings.bind(sql.text, filters.userId)}`]),
    ...(filters.issuedBy === undefined ? [] : [`issued_by = ${bindings.bind(sql.text, filters.issuedBy)}`]),
    ...(filters.from === undefined ? [] : [`issued_at >= ${bindings.bind(sql.timestamptz, filters.from)}`]),
    ...(filters.until === undefined ? [] : [`issued_at < ${bindings.bind(sql.timestamptz, filters.until)}`]),
    ...(from === undefined
      ? []
      : [
          `(issued_at, case_number) ${after === undefined ? '<' : '>'}
           (SELECT issued_at, case_number FROM cases WHERE guild_id = ${guild} AND case_number = ${bindings.bind(sql.int, from)})`,
        ]),
  ];
}

const replacedCases = sql.statement({
  parameters: [sql.text, sql.arrayOf(sql.text)],
  columns: { id: sql.text },
  text: `SELECT c.id FROM cases c WHERE c.guild_id = $1 AND c.id = ANY ($2) AND EXISTS (
      SELECT FROM cases other WHERE other.guild_id = $1 AND other.user_id = c.user_id AND other.kind = c.kind
        AND other.action_id = c.end_action_id AND other.id <> c.id)`,
});

/** The ids of those among some cases of a guild that another case replaced. */
export async function replacedAmong(
  db: Database,
  guildId: string,
  rows: readonly CaseRow[],
): Promise<ReadonlySet<string>> {
  const ended = rows.filter(({ end_action_id }) => end_action_id !== null);
  if (ended.length === 0) return new Set();
  const found = await replacedCases.all(db.pool, [guildId, ended.map(({ id }) => id)]);
  return new Set(found.map(({ id }) => id));
}

const caseReplacedBy = sql.statement({
  parameters: [sql.text],
  columns: { case_number: sql.int },
  text: `SELECT other.case_number FROM cases c JOIN cases other ON other.guild_id = c.guild_id
      AND other.user_id = c.user_id AND other.kind = c.kind AND other.end_action_id = c.action_id AND other.id <> c.id
    WHERE c.id = $1 ORDER BY other.case_number DESC LIMIT 1`,
});

/** The number of the case that another one replaced; null if it replaced none. */
export async function replacedCase({ pool }: Pick<Database, 'pool'>, caseId: string): Promise<number | null> {
  return (await caseReplacedBy.first(pool, [caseId]))?.case_number ?? null;
}

/** Reads each kind and standing through its own index, then takes the newest of all these. */
function newestText(search: Search, bindings: Bindings, limit: number): string {
  const conditions = conditionsOf(search, bindings).join(' AND ');
  const order = `${orderOf(search.start)} LIMIT ${limit}`;
  const parts = search.kinds.flatMap((kind) =>
    partsOf(kind, search.filters.standing).map(
      (part) =>
        `(SELECT ${CASE_COLUMNS} FROM cases WHERE ${conditions} AND kind = '${kind}' AND ${part} ${order})`,
    ),
  );
  return `SELECT * FROM (${parts.join(' UNION ALL ')}) AS found ${order}`;
}

const ENDED = 'ended_at IS NOT NULL';
export const LASTING = 'ended_at IS NULL AND expires_at IS NULL';
// That `expires_at` is not null follows. Said as well, the planner expects far fewer rows.
export const RUNNING = 'ended_at IS NULL AND expires_at > now()';
const EXPIRED = 'ended_at IS NULL AND expires_at <= now()';

/** The SQL of a standing in parts, each with an index: a strike or warning has no term, a mute always has one. */
export function partsOf(kind: CaseKind, standing: CaseStanding | undefined): readonly string[] {
  if (standing === undefined) return ['true'];
  const { term } = caseKind(kind);
  const hasTerm = term !== 'none';
  if (standing === 'ended') return hasTerm ? [ENDED, EXPIRED] : [ENDED];
  return [...(term === 'always' ? [] : [LASTING]), ...(hasTerm ? [RUNNING] : [])];
}

function standingOf({ standing }: CaseFilters): string {
  return standing === undefined ? 'true' : standing === 'ended' ? `NOT ${IN_FORCE}` : IN_FORCE;
}

const MOST_WORDS = 8;

/** A tsquery for cases of a guild with all these words, each as the beginning of a word. Null without words. */
function wordQuery(guildId: string, text: string): string | null {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0) return null;
  return [`'guild:${guildId}'`, ...words.slice(0, MOST_WORDS).map((word) => `'${word}':*`)].join(' & ');
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
  /** Audit log rows about it, oldest first. Empty if the viewer may not read that log. */
  readonly audit: readonly AuditRecord[];
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
  };
}

const auditRowsOfCase = sql.statement({
  parameters: [sql.text, sql.text.orNull, sql.text.orNull, sql.text, sql.timestamptz, sql.text],
  columns: { ...AUDIT_RECORD, by_hand: sql.bool },
  text: `SELECT * FROM (
      SELECT ${AUDIT_COLUMNS}, false AS by_hand FROM audit_writes WHERE action_id IN ($2, $3) AND guild_id = $1
      UNION ALL
      SELECT ${AUDIT_COLUMNS}, true FROM audit_writes
      WHERE guild_id = $1 AND target_id = $4 AND at >= $5::timestamptz - interval '1 day' AND details->>'case_id' = $6
    ) AS rows ORDER BY id`,
});

/** Finds rows by the case's actions, and manual ones by the details of their row. */
function auditOfCase(db: Database, row: CaseRow): Promise<(AuditRecord & { by_hand: boolean })[]> {
  const { guild_id, action_id, end_action_id, user_id, issued_at, id } = row;
  return auditRowsOfCase.all(db.pool, [guild_id, action_id, end_action_id, user_id, issued_at, id]);
}

const otherCaseOfAction = sql.statement({
  parameters: [sql.text, sql.text, sql.oneOf({ CaseKind }), sql.text, sql.text],
  columns: { case_number: sql.int },
  text: `SELECT case_number FROM cases
    WHERE guild_id = $1 AND user_id = $2 AND kind = $3 AND action_id = $4 AND id <> $5 LIMIT 1`,
});

async function replacementOf(db: Database, row: CaseRow): Promise<number | null> {
  const { guild_id, user_id, kind, end_action_id, id } = row;
  if (end_action_id === null) return null;
  const other = await otherCaseOfAction.first(db.pool, [guild_id, user_id, kind, end_action_id, id]);
  return other?.case_number ?? null;
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
