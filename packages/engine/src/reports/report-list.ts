import { Bindings, type Database, type ReportStatus, ReportStatus as Status, sql } from '@bailiff/prisma';
import { capabilityDenied } from '#src/calls/authorize.ts';
import { pageInTurn } from '#src/database/in-turn.ts';
import { type Page, type PageStart, pageOf } from '#src/desk/paging.ts';
import type { Viewer } from '#src/guilds/guilds.ts';
import { REPORT, REPORT_COLUMNS, reportWire } from './reports.ts';

/** A report as a page shows it to its viewer. */
export type ShownReport = ReturnType<typeof reportWire>;

/** @throws ApiError CAPABILITY_DENIED: so do all functions below. */
function requireReports({ capabilities }: Viewer): void {
  if (!capabilities.includes('reports.read'))
    throw capabilityDenied('reports.read', 'You may not read reports');
}

/** With a status or without, from either end or in the middle. */
const reportLists = sql.family('lists of reports', 6);

/** A guild's reports, or those with a status, newest first. */
export async function listReports(
  db: Database,
  viewer: Viewer & { readonly userId: string },
  status: ReportStatus | undefined,
  { before, after, limit }: PageStart<number>,
): Promise<Page<ShownReport>> {
  requireReports(viewer);
  const bindings = new Bindings();
  const conditions = [`guild_id = ${bindings.bind(sql.text, viewer.id)}`];
  if (status !== undefined)
    conditions.push(`status = ${bindings.bind(sql.oneOf({ ReportStatus: Status }), status)}`);
  const from = after ?? before;
  if (from !== undefined)
    conditions.push(`number ${after === undefined ? '<' : '>'} ${bindings.bind(sql.int, from)}`);
  const text = `SELECT ${REPORT_COLUMNS} FROM reports WHERE ${conditions.join(' AND ')}
    ORDER BY number ${after === undefined ? 'DESC' : 'ASC'} LIMIT ${bindings.bind(sql.bigint, limit + 1)}`;
  const { parameters, values } = bindings;
  const list = reportLists.statement({ parameters, columns: REPORT, text });
  const rows = await pageInTurn(db, viewer.id, () => list.all(db.pool, values));
  const shown = rows.map((row) => reportWire(row, viewer.userId));
  return pageOf(shown, { before, after, limit }, ({ number }) => number);
}

/** How many reports are waiting, and how many are claimed. */
export async function countReports(db: Database, viewer: Viewer): Promise<{ open: number; claimed: number }> {
  requireReports(viewer);
  const counts = await pageInTurn(db, viewer.id, async () =>
    db.prisma.report.groupBy({
      by: 'status',
      // Not all but the closed ones: the index holds each status apart.
      where: { guildId: viewer.id, status: { in: ['open', 'claimed'] } },
      _count: true,
    }),
  );
  const countOf = (wanted: ReportStatus) => counts.find(({ status }) => status === wanted)?._count ?? 0;
  return { open: countOf('open'), claimed: countOf('claimed') };
}
