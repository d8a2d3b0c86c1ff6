import { ApiError } from '@bailiff/core';
import { type Database, type Queryable, sql } from '@bailiff/prisma';
import type { ActionError } from '#src/calls/actions.ts';
import type { DashboardCall } from '#src/calls/dashboard-call.ts';
import { apiErrorOf } from '#src/calls/write-call.ts';
import { type Asking, heardUnder, tellWaiting } from '#src/guilds/ask-member.ts';
import { ownedGuild } from '#src/guilds/guilds.ts';
import { checkRows, importRows, MOST_ROWS_OF_STEP, proofOf, type RowFate, step } from './imports.ts';

/** How many bans Discord lists at a time. */
export const BANS_OF_PAGE = 1_000;
/** How long the owner waits for the bot, which waits for Discord. */
const ANSWER_MS = 10_000;

/** A ban as Discord lists it. */
export interface ListedBan {
  readonly user_id: string;
  readonly reason: string | null;
}

interface BanPage {
  readonly after: string;
  readonly bans: readonly ListedBan[];
}

const keepPage = sql.command({
  parameters: [sql.text, sql.jsonb<BanPage>()],
  text: "UPDATE imports SET page = $2 WHERE id = $1 AND source = 'discord' AND undone_at IS NULL",
});

/** Keeps a page that the bot has read, and tells the owner who waits that it is there. */
export async function keepBanPage(
  db: Queryable,
  importId: string,
  requestId: string,
  page: BanPage,
): Promise<void> {
  await keepPage.run(db, [importId, page]);
  await tellWaiting(db, { kind: 'bans', request_id: requestId, error: null });
}

/** Tells the owner who waits why the bot could not read a page. */
export async function refuseBanPage(db: Queryable, requestId: string, error: ActionError): Promise<void> {
  await tellWaiting(db, { kind: 'bans', request_id: requestId, error });
}

const askBans = sql.command({
  parameters: [sql.jsonb<object>(), sql.text],
  text: 'SELECT ask_bans($1, $2)',
});

const pageOfImport = sql.statement({
  parameters: [sql.text, sql.text],
  columns: { page: sql.jsonb<BanPage>().orNull, begun_at: sql.timestamptz },
  text: "SELECT page, begun_at FROM imports WHERE guild_id = $1 AND id = $2 AND source = 'discord'",
});

/** What became of the bans of a page, or would, and the person after whom the next one begins; null after the last. */
export interface BanPageFates {
  readonly fates: readonly RowFate[];
  readonly next: string | null;
}

/**
 * Has the bot read a page of the guild's bans at Discord, and brings those that Bailiff does not know, or only says
 * which would come. Discord does not say when or by whom somebody was banned: a case is of the moment when the import
 * began, and of who imports it. Asking for a page again brings nothing twice.
 *
 * @throws ApiError as `ownedGuild`; NOT_FOUND if there is no such import; what Discord refused; UPSTREAM_UNAVAILABLE if
 * the bot has not answered in time
 */
export async function importBanPage(
  engine: Asking & { readonly db: Database },
  call: DashboardCall,
  guildId: string,
  importId: string,
  { after, isDry }: { readonly after: string; readonly isDry: boolean },
): Promise<BanPageFates> {
  const { db } = engine;
  await ownedGuild(db, guildId, call.userId, { needsMirror: true });
  const { bans, begunAt } = await readPage(engine, call, guildId, importId, after);
  const fates: RowFate[] = [];
  for (let at = 0; at < bans.length; at += MOST_ROWS_OF_STEP) {
    const rows = bans.slice(at, at + MOST_ROWS_OF_STEP).map(({ user_id, reason }) => ({
      type: 'case',
      id: `${user_id}/${importId}`,
      kind: 'ban',
      user_id,
      reason,
      issued_at: begunAt.toISOString(),
    }));
    fates.push(
      ...(isDry
        ? await checkRows(db, call, guildId, 'discord', rows)
        : await importRows(db, call, guildId, importId, rows)),
    );
  }
  return { fates, next: bans.length < BANS_OF_PAGE ? null : (bans.at(-1)?.user_id ?? null) };
}

async function readPage(
  engine: Asking & { readonly db: Database },
  call: DashboardCall,
  guildId: string,
  importId: string,
  after: string,
): Promise<{ bans: readonly ListedBan[]; begunAt: Date }> {
  const key = `bans:${call.requestId}`;
  const proof = { ...proofOf(call, guildId, importId), after };
  const ask = () => step(engine.db, guildId, (tx) => askBans.run(tx, [proof, key]));
  const notice = await heardUnder(engine, key, ask, ANSWER_MS);
  if (notice?.kind === 'bans' && notice.error !== null) throw apiErrorOf(notice.error);
  const read = notice === null ? null : await pageOfImport.first(engine.db.pool, [guildId, importId]);
  // Without an answer, or if another window of the owner's reads another page.
  if (read?.page?.after !== after) {
    const message = 'The bot has not read the bans in time. Nothing of this page has come. Try again.';
    const details = { upstream: 'bot', outcome: 'not_performed', retry_after_seconds: 5 } as const;
    throw new ApiError('UPSTREAM_UNAVAILABLE', message, { details });
  }
  return { bans: read.page.bans, begunAt: read.begun_at };
}
