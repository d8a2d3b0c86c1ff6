import { CASE_KIND_NAMES, type InputOf, type OutputOf } from '@bailiff/core';
import { type RowOf, sql } from '@bailiff/prisma';
import type { Read } from '#src/calls/readers.ts';
import { CASE, CASE_COLUMNS, type CaseKind, caseWire, isReplaced } from './cases.ts';

/** Cases of a page in chat. */
const PAGE = 10;
const CASE_OF_SOME = { ...CASE, is_replaced: sql.bool, total: sql.int };

type OwnCase = OutputOf<'cases.own'>['data'][number];

/**
 * A page of a person's cases of these kinds, the latest first, and how many there are of all pages. If the case before it
 * is gone meanwhile, with an import that was undone, they begin anew.
 */
function readPageOf<Shown>(
  guildId: string,
  userId: string,
  { kinds, before }: { readonly kinds: readonly CaseKind[]; readonly before: number | undefined },
  show: (row: RowOf<typeof CASE_OF_SOME>) => Shown,
): Read<typeof CASE_OF_SOME, { data: Shown[]; total: number; has_older: boolean }> {
  return {
    parameters: [sql.text, sql.text, sql.arrayOf(sql.text), sql.int.orNull, sql.bigint],
    columns: CASE_OF_SOME,
    text: `SELECT true AS found, ${CASE_COLUMNS}, ${isReplaced('cases')} AS is_replaced,
             (SELECT count(*)::int FROM cases WHERE guild_id = $1 AND user_id = $2 AND kind::text = ANY ($3)) AS total
           FROM cases WHERE guild_id = $1 AND user_id = $2 AND kind::text = ANY ($3)
             AND ($4::int IS NULL OR (issued_at, case_number) <
               (coalesce((SELECT issued_at FROM cases WHERE guild_id = $1 AND case_number = $4), 'infinity'), $4))
           ORDER BY issued_at DESC, case_number DESC LIMIT $5`,
    values: [guildId, userId, kinds, before ?? null, PAGE + 1],
    mayBeEmpty: true,
    isQuick: false,
    answer: (rows) => ({
      data: rows.slice(0, PAGE).map(show),
      total: rows[0]?.total ?? 0,
      has_older: rows.length > PAGE,
    }),
  };
}

/** A page of somebody's cases for moderators. */
export function readCases(
  guildId: string,
  { user_id, before_number: before }: InputOf<'cases.list'>,
  kinds: readonly CaseKind[],
): Read<typeof CASE_OF_SOME, OutputOf<'cases.list'>> {
  return readPageOf(guildId, user_id, { kinds, before }, caseWire);
}

/** A page of the reader's own cases: nobody needs a capability for what is on record about themselves. */
export function readOwnCases(
  guildId: string,
  userId: string,
  { before_number: before }: InputOf<'cases.own'>,
): Read<typeof CASE_OF_SOME, OutputOf<'cases.own'>> {
  return readPageOf(guildId, userId, { kinds: CASE_KIND_NAMES, before }, ownCase);
}

function ownCase(row: RowOf<typeof CASE_OF_SOME>): OwnCase {
  const { case_number, kind, reason, severity, issued_at, expires_at, ended_at, active } = caseWire(row);
  const replaced = row.is_replaced;
  return { case_number, kind, reason, severity, issued_at, expires_at, ended_at, active, replaced };
}
