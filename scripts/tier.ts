// `npm run tier -- <guild> <tier>`: the operator sets a guild's tier.
import { GUILD_TIERS } from '@bailiff/core';
import { setTier } from '@bailiff/engine/guilds/tiers';
import type { GuildTier } from '@bailiff/prisma';
import { EX_USAGE, fail, onDatabase, say } from './operator.ts';

const USAGE = `Usage: npm run tier -- <guild id> <${GUILD_TIERS.join(' | ')}>`;

async function main(): Promise<void> {
  const [guildId = '', tier = ''] = process.argv.slice(2);
  if (!/^\d{17,20}$/.test(guildId) || !isTier(tier)) return fail(USAGE, EX_USAGE);
  await onDatabase('bailiff-tier', 'The tier was not changed', async (db) => {
    const change = await setTier(db, guildId, tier);
    if (change === null) return fail(`Bailiff does not know the guild ${guildId}: is the bot in it?`, 1);
    const lost = change.revoked.length === 0 ? '' : `; tokens revoked: ${change.revoked.length}`;
    say(`${change.guildName} was ${change.before} and is ${tier}${lost}.`);
  });
}

function isTier(text: string): text is GuildTier {
  return GUILD_TIERS.some((tier) => tier === text);
}

await main();
