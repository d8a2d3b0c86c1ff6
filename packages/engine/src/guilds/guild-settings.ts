import { DEFAULT_LOCALE, type Locale, localeOf } from '@bailiff/messages';
import type { Database, LogChannelProblem } from '@bailiff/prisma';
import { type DashboardCall, recordChange } from '#src/calls/dashboard-call.ts';
import { given } from '#src/database/given.ts';
import { inTransaction } from '#src/database/transaction.ts';
import { lockOwnedGuild, ownedGuild } from './guilds.ts';

/** What a guild's owner sets for all of it. */
export interface GuildSettings {
  /** Where each case is posted; null: nowhere. */
  readonly logChannelId: string | null;
  /** What the guild is spoken to in, where nobody in particular is. */
  readonly language: Locale;
  /** Whether members are told that they were struck, muted or banned. */
  readonly notifiesTargets: boolean;
}

/** The settings of a guild, and what became of them. */
export interface GuildSettingsView extends GuildSettings {
  /** Null while the log channel works, or none is set. */
  readonly logChannelProblem: LogChannelProblem | null;
}

/** What is absent stays. */
export type GuildSettingsChanges = {
  readonly [Name in keyof GuildSettings]?: GuildSettings[Name] | undefined;
};

/** The settings of a guild, for whoever acts in it: the caller judges who may see what. */
export async function guildSettings(
  { prisma }: Pick<Database, 'prisma'>,
  guildId: string,
): Promise<GuildSettingsView> {
  const guild = await prisma.guild.findUnique({
    where: { id: guildId },
    select: { logChannelId: true, language: true, notifiesTargets: true, logChannelProblem: true },
  });
  return {
    logChannelId: guild?.logChannelId ?? null,
    language: localeOf(guild?.language) ?? DEFAULT_LOCALE,
    notifiesTargets: guild?.notifiesTargets ?? false,
    logChannelProblem: guild?.logChannelProblem ?? null,
  };
}

/**
 * Changes the settings of a guild the user owns.
 *
 * @throws ApiError as `ownedGuild`
 */
export async function updateGuildSettings(
  db: Database,
  call: DashboardCall,
  guildId: string,
  changes: GuildSettingsChanges,
): Promise<GuildSettingsView> {
  await ownedGuild(db, guildId, call.userId, { fresh: true });
  await inTransaction(db, async (tx) => {
    await lockOwnedGuild(tx, guildId, call.userId);
    const { logChannelId, language, notifiesTargets } = changes;
    await tx.prisma.guild.update({
      where: { id: guildId },
      data: given({ logChannelId, language, notifiesTargets }),
      select: { id: true },
    });
    await recordChange(tx, call, {
      guildId,
      operation: 'settings.update',
      target: { type: 'guild', id: guildId },
      details: given({
        log_channel_id: logChannelId,
        language,
        notifies_targets: notifiesTargets,
      }),
    });
  });
  return guildSettings(db, guildId);
}
