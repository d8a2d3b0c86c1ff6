import { type Issuer, issuerChecked, issuersToCheck } from '@bailiff/engine/tokens/issuers';
import type { Database } from '@bailiff/prisma';
import { RESTJSONErrorCodes, Routes } from 'discord.js';
import { type DiscordApi, DiscordFailure } from './discord-api.ts';
import { mirrorGuildSoon } from './jobs.ts';

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
  for (const issuer of await issuersToCheck(db, CHECKED_AT_ONCE)) {
    // Also one about whom Discord says nothing: in the next run the others come first.
    const fits = await fitsMirror(api, issuer, signal).finally(() => issuerChecked(db, issuer));
    if (!fits) await mirrorGuildSoon(db.pool, issuer.guildId);
  }
}

async function fitsMirror(api: DiscordApi, issuer: Issuer, signal: AbortSignal): Promise<boolean> {
  return !issuer.mirrorFresh || ((await isMemberNow(api, issuer, signal)) && issuer.isMirrored);
}

async function isMemberNow(
  api: DiscordApi,
  { guildId, userId }: Issuer,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await api.get(Routes.guildMember(guildId, userId), { signal });
    return true;
  } catch (error) {
    if (error instanceof DiscordFailure && error.code === RESTJSONErrorCodes.UnknownMember) return false;
    throw error;
  }
}
