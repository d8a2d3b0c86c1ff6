import type { Database } from '@bailiff/prisma';
import { AUDIT_COLUMNS, type AuditRecord } from '#src/audit/audit-log.ts';
import { capabilityDenied } from '#src/calls/authorize.ts';
import { type Place, type Sheet, sheetOf } from '#src/desk/paging.ts';
import type { Viewer } from '#src/guilds/guilds.ts';
import { CASE_COLUMNS, type CaseKind, type CaseRow, IN_FORCE, readableKinds } from './cases.ts';

/** What narrows the list of cases; what is absent narrows nothing. */
export interface CaseFilters {
  readonly kind?: CaseKind | undefined;
  readonly standing?: CaseStanding | undefined;
  /** Whose cases. */
  readonly userId?: string | undefined;
  readonly issuedBy?: string | undefined;
  /** Issued at this time or later. */
  readonly from?: Date | undefined;
  /** Issued before this time. */
  readonly until?: Date | undefined;
  /** Words, or beginnings of words, that the case has in its reason, category or in-game identity: all of them. */
  readonly words?: string | undefined;
}

export const CASE_STANDINGS = ['in_force', 'ended'] as const;
export type CaseStanding = (typeof CASE_STANDINGS)[number];

/**
 * Cases of the kinds that the viewer may read, newest first.
 *
 * @throws ApiError CAPABILITY_DENIED where they may read none
 */
export async function listCases(
  db: Database,
  viewer: Viewer,
  filters: CaseFilters,
  place: Place<number>,
): Promise<Sheet<CaseRow>> {
  const readable = readableKinds(viewer.capabilities);
  if (readable.length === 0) throw capabilityDenied('strikes.read', 'You may not read cases');
  const kinds = readable.filter((kind) => filters.kind === undefined || filters.kind === kind);
  const words = wordQuery(viewer.id, filters.words ?? '');
  const search = { guildId: viewer.id, kinds, filters, place };
  const rows =
    kinds.length === 0
      ? []
      : words === null
        ? await newest(db, search, place.limit + 1)
        : await newestWithWords(db, search, words);
  return sheetOf(rows, place, (row) => row.case_number);
}

interface Search {
  readonly guildId: string;
  readonly kinds: readonly CaseKind[];
  readonly filters: CaseFilters;
  readonly place: Place<number>;
}

/** Values of a statement, with the place holder of each. */
class Values {
  readonly all: unknown[] = [];
  bind(value: unknown): string {
    return `$${this.all.push(value)}`;
  }
}

async function newest(db: Database, search: Search, limit: number): Promise<CaseRow[]> {
  const values = new Values();
  // Not prepared: the best plan depends on the values, from one moderator's three cases to a million strikes.
  const { rows } = await db.pool.query<CaseRow>(newestText(search, values, limit), values.all);
  return rows;
}

/** How many of the newest cases are looked at for words, before the index of words is asked. */
const LOOKED_THROUGH = 2_000;

/**
 * Words that are common are found among the newest cases, others by their index: going through all cases for a rare one
 * takes seconds, and so does sorting all that have a common one.
 */
async function newestWithWords(db: Database, search: Search, words: string): Promise<CaseRow[]> {
  const wanted = search.place.limit + 1;
  const values = new Values();
  const order = orderOf(search.place);
  const looked = newestText(search, values, LOOKED_THROUGH);
  const { rows } = await db.pool.query<CaseRow & { looked: number }>(
    `WITH newest AS MATERIALIZED (${looked})
     SELECT *, (SELECT count(*) FROM newest)::int AS looked FROM newest
     WHERE ${WORDS} @@ ${values.bind(words)}::tsquery ${order} LIMIT ${wanted}`,
    values.all,
  );
  const [first] = rows;
  if (rows.length === wanted || (first !== undefined && first.looked < LOOKED_THROUGH)) return rows;
  return indexedWords(db, search, words);
}

async function indexedWords(db: Database, search: Search, words: string): Promise<CaseRow[]> {
  const values = new Values();
  const kinds = values.bind(search.kinds);
  const { rows } = await db.pool.query<CaseRow>(
    `WITH matching AS MATERIALIZED (SELECT * FROM cases WHERE ${WORDS} @@ ${values.bind(words)}::tsquery)
     SELECT ${CASE_COLUMNS} FROM matching
     WHERE ${conditionsOf(search, values).join(' AND ')} AND kind::text = ANY (${kinds}) AND ${standingOf(search.filters)}
     ${orderOf(search.place)} LIMIT ${search.place.limit + 1}`,
    values.all,
  );
  return rows;
}

const WORDS = 'case_words(guild_id, reason, category, player_name, in_game_id)';

function orderOf({ after }: Place<number>): string {
  const direction = after === undefined ? 'DESC' : 'ASC';
  return `ORDER BY issued_at ${direction}, case_number ${direction}`;
}

function conditionsOf({ guildId, filters, place: { before, after } }: Search, values: Values): string[] {
  const guild = values.bind(guildId);
  const from = after ?? before;
  return [
    `guild_id = ${guild}`,
    ...(filters.userId === undefined ? [] : [`user_id = ${values.bind(filters.userId)}`]),
    ...(filters.issuedBy === undefined ? [] : [`issued_by = ${values.bind(filters.issuedBy)}`]),
    ...(filters.from === undefined ? [] : [`issued_at >= ${values.bind(filters.from)}`]),
    ...(filters.until === undefined ? [] : [`issued_at < ${values.bind(filters.until)}`]),
    ...(from === undefined
      ? []
      : [
          `(issued_at, case_number) ${after === undefined ? '<' : '>'}
           (SELECT issued_at, case_number FROM cases WHERE guild_id = ${guild} AND case_number = ${values.bind(from)})`,
        ]),
  ];
}

/** Each kind and standing by an index of its own, and the newest of all these. */
function newestText(search: Search, values: Values, limit: number): string {
  const conditions = conditionsOf(search, values).join(' AND ');
  const order = `${orderOf(search.place)} LIMIT ${limit}`;
  const parts = search.kinds.flatMap((kind) =>
    partsOf(kind, search.filters.standing).map(
      (part) =>
        `(SELECT ${CASE_COLUMNS} FROM cases WHERE ${conditions} AND kind = '${kind}' AND ${part} ${order})`,
    ),
  );
  return `SELECT * FROM (${parts.join(' UNION ALL ')}) AS found ${order}`;
}

const ENDED = 'ended_at IS NOT NULL';
const LASTING = 'ended_at IS NULL AND expires_at IS NULL';
const RUNNING = 'ended_at IS NULL AND expires_at IS NOT NULL AND expires_at > now()';
const EXPIRED = 'ended_at IS NULL AND expires_at IS NOT NULL AND expires_at <= now()';

/** The SQL of a standing in parts: a strike or warning has no term, a mute always has one. */
function partsOf(kind: CaseKind, standing: CaseStanding | undefined): readonly string[] {
  if (standing === undefined) return ['true'];
  const hasTerm = kind === 'ban' || kind === 'mute';
  if (standing === 'ended') return hasTerm ? [ENDED, EXPIRED] : [ENDED];
  return [...(kind === 'mute' ? [] : [LASTING]), ...(hasTerm ? [RUNNING] : [])];
}

function standingOf({ standing }: CaseFilters): string {
  return standing === undefined ? 'true' : standing === 'ended' ? `NOT ${IN_FORCE}` : IN_FORCE;
}

const MOST_WORDS = 8;

/** A tsquery for cases of a guild that have all these words, each as the beginning of one; null without any. */
function wordQuery(guildId: string, text: string): string | null {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0) return null;
  return [`'guild:${guildId}'`, ...words.slice(0, MOST_WORDS).map((word) => `'${word}':*`)].join(' & ');
}

/** How a case began or ended: the action behind it, or the hand in Discord. */
export interface CaseOrigin {
  /** Null where it was done in Discord itself, or is older than the record of actions. */
  readonly source: AuditRecord['actor_source'] | null;
  readonly byHand: boolean;
  readonly tokenName: string | null;
  /** For the guild's owner. */
  readonly address: string | null;
  readonly requestId: string | null;
}

export interface CaseFile {
  readonly row: CaseRow;
  readonly issued: CaseOrigin;
  /** Null while nobody ended it. */
  readonly ended: CaseOrigin | null;
  /** Number of the case that took its place, where one did. */
  readonly replacedBy: number | null;
  /** Rows of the audit log about it, oldest first; none for who may not read that log. */
  readonly audit: readonly AuditRecord[];
}

/**
 * A case with all that is known of how it came to be and ended; null where the guild has none of this number, or the
 * viewer may not read its kind.
 */
export async function caseFile(db: Database, viewer: Viewer, number: number): Promise<CaseFile | null> {
  const { rows } = await db.pool.query<CaseRow>({
    name: 'case_by_number',
    text: `SELECT ${CASE_COLUMNS} FROM cases WHERE guild_id = $1 AND case_number = $2`,
    values: [viewer.id, number],
  });
  const [row] = rows;
  if (row === undefined || !readableKinds(viewer.capabilities).includes(row.kind)) return null;
  const [audit, replacedBy] = await Promise.all([auditOfCase(db, row), replacementOf(db, row)]);
  const originBy = (actionId: string | null) =>
    originOf(viewer, row, audit, actionId, actionId === row.action_id ? 'add' : 'lift');
  return {
    row,
    issued: originBy(row.action_id),
    ended: row.ended_at === null ? null : originBy(row.end_action_id),
    replacedBy,
    audit: viewer.capabilities.includes('audit.read') ? audit.map((entry) => seenBy(viewer, entry)) : [],
  };
}

/** By its actions, and what was done by hand by the details of its row. */
async function auditOfCase(db: Database, row: CaseRow): Promise<(AuditRecord & { by_hand: boolean })[]> {
  const { rows } = await db.pool.query<AuditRecord & { by_hand: boolean }>({
    name: 'audit_of_case',
    text: `SELECT * FROM (
             SELECT ${AUDIT_COLUMNS}, false AS by_hand FROM audit_writes WHERE action_id IN ($2, $3) AND guild_id = $1
             UNION ALL
             SELECT ${AUDIT_COLUMNS}, true FROM audit_writes
             WHERE guild_id = $1 AND target_id = $4 AND at >= $5::timestamptz - interval '1 day' AND details->>'case_id' = $6
           ) AS rows ORDER BY id`,
    values: [row.guild_id, row.action_id, row.end_action_id, row.user_id, row.issued_at, row.id],
  });
  return rows;
}

async function replacementOf(db: Database, row: CaseRow): Promise<number | null> {
  if (row.end_action_id === null) return null;
  const { rows } = await db.pool.query<{ case_number: number }>({
    name: 'case_of_action',
    text: `SELECT case_number FROM cases
           WHERE guild_id = $1 AND user_id = $2 AND kind = $3 AND action_id = $4 AND id <> $5 LIMIT 1`,
    values: [row.guild_id, row.user_id, row.kind, row.end_action_id, row.id],
  });
  return rows[0]?.case_number ?? null;
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

/** Where a request came from is the owner's to know. */
function seenBy<Entry extends AuditRecord>({ isOwner }: Viewer, entry: Entry): Entry {
  return isOwner ? entry : { ...entry, address: null };
}

const MOST_ISSUERS = 100;

/** Who has issued cases here, in no particular order; of very many, some. */
export async function issuersOfCases({ pool }: Database, viewer: Viewer): Promise<string[]> {
  // Jumps from one to the next: there may be a million cases of a handful of moderators.
  const { rows } = await pool.query<{ issued_by: string }>({
    name: 'issuers_of_cases',
    text: `WITH RECURSIVE found AS (
             (SELECT issued_by FROM cases WHERE guild_id = $1 ORDER BY issued_by LIMIT 1)
             UNION ALL
             SELECT (SELECT issued_by FROM cases WHERE guild_id = $1 AND issued_by > found.issued_by ORDER BY issued_by LIMIT 1)
             FROM found WHERE found.issued_by IS NOT NULL)
           SELECT issued_by FROM found WHERE issued_by IS NOT NULL LIMIT ${MOST_ISSUERS}`,
    values: [viewer.id],
  });
  return rows.map((row) => row.issued_by);
}
