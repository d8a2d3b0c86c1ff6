import { DEFAULT_LOCALE, type Locale, localeOf } from '@bailiff/messages';
import type { Database } from '@bailiff/prisma';
import { type DashboardCall, recordChange } from '#src/calls/dashboard-call.ts';
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

/** Why nothing could be posted to the log channel last. */
export type LogChannelProblem = 'unknown_channel' | 'missing_permission' | 'refused';

/** The settings of a guild, and what became of them. */
export interface GuildSettingsView extends GuildSettings {
  /** Null while the log channel works, or none is set. */
  readonly logChannelProblem: LogChannelProblem | null;
}

/** What is absent stays. */
export type GuildSettingsChanges = {
  readonly [Name in keyof GuildSettings]?: GuildSettings[Name] | undefined;
};

interface SettingsRow {
  log_channel_id: string | null;
  language: string;
  notifies_targets: boolean;
  log_channel_problem: LogChannelProblem | null;
}

/** The settings of a guild, for whoever acts in it: what may be shown to whom is the caller's to judge. */
export async function guildSettings(db: Pick<Database, 'pool'>, guildId: string): Promise<GuildSettingsView> {
  const { rows } = await db.pool.query<SettingsRow>({
    name: 'guild_settings',
    text: 'SELECT log_channel_id, language, notifies_targets, log_channel_problem FROM guilds WHERE id = $1',
    values: [guildId],
  });
  const [row] = rows;
  return {
    logChannelId: row?.log_channel_id ?? null,
    language: localeOf(row?.language) ?? DEFAULT_LOCALE,
    notifiesTargets: row?.notifies_targets ?? false,
    logChannelProblem: row?.log_channel_problem ?? null,
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
    await tx.query(
      `UPDATE guilds SET language = coalesce($2, language), notifies_targets = coalesce($3, notifies_targets),
         log_channel_id = CASE WHEN $4 THEN $5 ELSE log_channel_id END
       WHERE id = $1`,
      [
        guildId,
        changes.language ?? null,
        changes.notifiesTargets ?? null,
        changes.logChannelId !== undefined,
        changes.logChannelId ?? null,
      ],
    );
    await recordChange(tx, call, {
      guildId,
      operation: 'settings.update',
      target: { type: 'guild', id: guildId },
      details: {
        ...(changes.logChannelId === undefined ? {} : { log_channel_id: changes.logChannelId }),
        ...(changes.language === undefined ? {} : { language: changes.language }),
        ...(changes.notifiesTargets === undefined ? {} : { notifies_targets: changes.notifiesTargets }),
      },
    });
  });
  return guildSettings(db, guildId);
}
