import { BANS_OF_PAGE, keepBanPage, refuseBanPage } from '@bailiff/engine/imports/ban-list';
import { type APIBan, Routes } from 'discord.js';
import { DiscordFailure } from './discord-api.ts';
import { usualRefusal } from './discord-errors.ts';
import type { JobPayloads } from './jobs.ts';
import { depsIn, type PerformerDeps } from './performers/deps.ts';
import { storable } from './storable.ts';

/** Nobody waits for the answer any more. */
const TOO_LATE_MS = 8_000;
/** Nobody who imports waits longer for Discord's limits; the page is then asked for again. */
const LONGEST_WAIT_MS = 5_000;
/** The longest reason of a case. */
const MOST_REASON = 512;

/** Reads a page of a guild's bans at Discord into an import, and tells the owner who waits. */
export async function answerBans(
  deps: PerformerDeps,
  {
    guild_id: guildId,
    import_id: importId,
    after,
    request_id: requestId,
    asked_at,
  }: JobPayloads['list_bans'],
  signal: AbortSignal,
): Promise<void> {
  if (Date.now() - Date.parse(asked_at) > TOO_LATE_MS) return;
  try {
    const listed = await depsIn(deps, guildId).api.get<APIBan[]>(Routes.guildBans(guildId), {
      query: { after, limit: String(BANS_OF_PAGE) },
      longestWaitMs: LONGEST_WAIT_MS,
      signal,
    });
    const bans = listed.map(({ user, reason }) => ({
      user_id: user.id,
      reason: reason === null || reason === '' ? null : storable(reason.slice(0, MOST_REASON)),
    }));
    await keepBanPage(deps.db.pool, importId, requestId, { after, bans });
  } catch (error) {
    if (!(error instanceof DiscordFailure)) throw error;
    await refuseBanPage(deps.db.pool, requestId, usualRefusal(error));
  }
}
