// `npm run tier -- <guild> <tier>`: the operator sets a guild's tier.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { GUILD_TIERS } from '@bailiff/core';
import { type GuildTier, setTier } from '@bailiff/engine';
import { openDatabase } from '@bailiff/prisma';
import { databaseUrl } from './database-url.ts';

const USAGE = `Usage: npm run tier -- <guild id> <${GUILD_TIERS.join(' | ')}>`;

async function main(): Promise<void> {
  const [guildId = '', tier = ''] = process.argv.slice(2);
  if (!/^\d{17,20}$/.test(guildId) || !isTier(tier)) return fail(USAGE, 64);
  if (existsSync('.env')) process.loadEnvFile('.env');
  const directory = resolve(process.env.BAILIFF_DIR ?? '.bailiff');
  const url = process.env.DATABASE_URL || (await databaseUrl(directory).catch(() => undefined));
  if (url === undefined) {
    return fail(`There is no database in ${directory}. Run npm start first, or set DATABASE_URL.`, 1);
  }
  const db = openDatabase(url, { applicationName: 'bailiff-tier', max: 1 });
  try {
    const change = await setTier(db, guildId, tier);
    if (change === null) return fail(`Bailiff does not know the guild ${guildId}: is the bot in it?`, 1);
    const lost = change.revoked.length === 0 ? '' : `; tokens revoked: ${change.revoked.length}`;
    process.stdout.write(`${change.guildName} was ${change.before} and is ${tier}${lost}.\n`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    fail(`The tier was not changed: ${reason}`, 1);
  } finally {
    await db.close();
  }
}

function isTier(text: string): text is GuildTier {
  return GUILD_TIERS.some((tier) => tier === text);
}

function fail(message: string, exitCode: number): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = exitCode;
}

await main();
