import { type Issuer, issuerChecked, issuersToCheck } from '@bailiff/engine/tokens/issuers';
import type { Database } from '@bailiff/prisma';
import { type DiscordApi, DiscordFailure } from './discord-api.ts';
import { mirrorGuildSoon } from './jobs.ts';
import { findMember } from './performers/members.ts';

/** Issuers in one run. Each costs one read. */
const CHECKED_AT_ONCE = 20;

/**
 * Finds issuers who left without an event. Asks Discord about a few at a time, those it was not asked about for
 * longest. If the answer does not match the mirror, the guild is compared, and the comparison revokes the tokens.
 *
 * @throws DiscordFailure if Discord does not answer; that does not mean that anybody left (hazards H22)
 */
export async function checkIssuers(
  { db, api }: { readonly db: Database; readonly api: DiscordApi },
  signal: AbortSignal,
): Promise<void> {
  let failure: DiscordFailure | undefined;
  for (const issuer of await issuersToCheck(db, CHECKED_AT_ONCE)) {
    const fits = await fitsMirror(api, issuer, signal).catch((error: unknown) => {
      // One about whom Discord says nothing is in nobody's way, neither in this run nor in the next.
      // Who was not asked any more, because the time is over, has not been checked.
      if (!(error instanceof DiscordFailure) || signal.aborted) throw error;
      failure ??= error;
      return true;
    });
    await issuerChecked(db, issuer);
    if (!fits) await mirrorGuildSoon(db.pool, issuer.guildId);
  }
  if (failure !== undefined) throw failure;
}

async function fitsMirror(api: DiscordApi, issuer: Issuer, signal: AbortSignal): Promise<boolean> {
  if (!issuer.mirrorFresh) return true;
  const member = await findMember({ api }, issuer.guildId, issuer.userId, signal);
  return member !== null && issuer.isMirrored;
}
