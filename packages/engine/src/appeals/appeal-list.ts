import { AppealState, Bindings, type Database, sql } from '@bailiff/prisma';
import { capabilityDenied } from '#src/calls/authorize.ts';
import { pageInTurn } from '#src/database/in-turn.ts';
import { type Page, type PageStart, pageOf } from '#src/desk/paging.ts';
import type { Viewer } from '#src/guilds/guilds.ts';
import { APPEAL, APPEAL_COLUMNS, type AppealRow, seenBy } from './appeals.ts';

/** The viewer, who does not see who decided about their own appeal. */
type Reader = Viewer & { readonly userId: string };

/** @throws ApiError CAPABILITY_DENIED: so do all functions below. */
function requireAppeals({ capabilities }: Reader): void {
  if (!capabilities.includes('appeals.read'))
    throw capabilityDenied('appeals.read', 'You may not read appeals');
}

/** Each state or all of them, from either end or in the middle. */
const appealLists = sql.family('lists of appeals', 6);

/** A guild's appeals, or those in one state, newest first. */
export async function listAppeals(
  db: Database,
  viewer: Reader,
  state: AppealState | undefined,
  { before, after, limit }: PageStart<string>,
): Promise<Page<AppealRow, string>> {
  requireAppeals(viewer);
  const bindings = new Bindings();
  const conditions = [`guild_id = ${bindings.bind(sql.text, viewer.id)}`];
  if (state !== undefined) conditions.push(`state = ${bindings.bind(sql.oneOf({ AppealState }), state)}`);
  const from = after ?? before;
  if (from !== undefined) {
    conditions.push(`id ${after === undefined ? '<' : '>'} ${bindings.bind(sql.text, from)}`);
  }
  const text = `SELECT ${APPEAL_COLUMNS} FROM appeals WHERE ${conditions.join(' AND ')}
    ORDER BY id ${after === undefined ? 'DESC' : 'ASC'} LIMIT ${bindings.bind(sql.bigint, limit + 1)}`;
  const { parameters, values } = bindings;
  const list = appealLists.statement({ parameters, columns: APPEAL, text });
  const rows = await pageInTurn(db, viewer.id, () => list.all(db.pool, values));
  const seen = rows.map((row) => seenBy(row, viewer.userId));
  return pageOf(seen, { before, after, limit }, ({ id }) => id);
}

/** How many appeals wait, by state. */
export async function countAppeals(
  db: Database,
  viewer: Reader,
): Promise<{ readonly sent: number; readonly in_review: number }> {
  requireAppeals(viewer);
  const counts = await pageInTurn(db, viewer.id, async () =>
    db.prisma.appeal.groupBy({
      by: 'state',
      where: { guildId: viewer.id, state: { in: ['sent', 'in_review'] } },
      _count: true,
    }),
  );
  const countOf = (wanted: AppealState) => counts.find(({ state }) => state === wanted)?._count ?? 0;
  return { sent: countOf('sent'), in_review: countOf('in_review') };
}

const appealOfCase = sql.statement({
  parameters: [sql.text, sql.int],
  columns: { ...APPEAL, votes_needed: sql.int },
  text: `SELECT ${APPEAL_COLUMNS},
      coalesce((SELECT votes_needed FROM appeal_settings s WHERE s.guild_id = $1), 0) AS votes_needed
    FROM appeals WHERE case_id = (SELECT id FROM cases WHERE guild_id = $1 AND case_number = $2)`,
});

/** The appeal against the case with this number, and how many votes a decision needs. Null if there is none. */
export async function appealFile(
  db: Database,
  viewer: Reader,
  number: number,
): Promise<(AppealRow & { readonly votes_needed: number }) | null> {
  requireAppeals(viewer);
  const found = await appealOfCase.first(db.pool, [viewer.id, number]);
  return found && seenBy(found, viewer.userId);
}
