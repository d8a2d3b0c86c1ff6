import { isPublicAnswer, LOG_TOPICS, type LogTopic, type PublicAnswer } from '@bailiff/core';
import { DEFAULT_LOCALE, type Locale, localeOf } from '@bailiff/messages';
import type { Database, LogChannelProblem } from '@bailiff/prisma';
import { type DashboardCall, recordChange } from '#src/calls/dashboard-call.ts';
import { given } from '#src/database/given.ts';
import type { Transaction } from '#src/database/transaction.ts';
import { changeAsOwner } from './guilds.ts';

type LogTopicChannels = { readonly [Topic in LogTopic]?: string | null | undefined };

/** Settings of a guild, set by its owner. */
export interface GuildSettings {
  /** Channel where each case is posted. Null: nowhere. */
  readonly logChannelId: string | null;
  /** The topics of the log channel that have a channel of their own. A change to null gives it up. */
  readonly logTopics: LogTopicChannels;
  /** Channel where reports of members are posted. Null: members cannot report. */
  readonly reportsChannelId: string | null;
  /** The guild's language, used for messages without a single reader. */
  readonly language: Locale;
  /** Whether members are notified when they are struck, muted or banned. */
  readonly notifiesTargets: boolean;
  /** What the guild itself adds to these notices. Empty: nothing. */
  readonly noticeWords: string;
  /** The colour beside it: `#` and six hexadecimal digits. */
  readonly noticeColour: string;
  /** What everybody in the channel is told of, when it was done by a command. */
  readonly publicAnswers: readonly PublicAnswer[];
  /** Whether moderators are told in the log channel when somebody with cases joins. */
  readonly alertsJoins: boolean;
  /** After how many days without a message they are told that somebody with cases writes again. Null: never. */
  readonly alertsQuietDays: number | null;
  /** Whether the overview leaves out the first steps. */
  readonly hidesFirstSteps: boolean;
}

/** The settings of a guild, and the state of its log channel. */
export interface GuildSettingsView extends GuildSettings {
  /** Null if the log channel works or none is set. */
  readonly logChannelProblem: LogChannelProblem | null;
  /** The topics in whose channel nothing can be posted, so that the log channel has it. */
  readonly logTopicProblems: { readonly [Topic in LogTopic]?: LogChannelProblem };
}

/** Absent fields stay unchanged. */
export type GuildSettingsChanges = {
  readonly [Name in keyof GuildSettings]?: GuildSettings[Name] | undefined;
};

/** The settings of a guild. The caller decides who may see them. */
export async function guildSettings(
  { prisma }: Pick<Database, 'prisma'>,
  guildId: string,
): Promise<GuildSettingsView> {
  const guild = await prisma.guild.findUnique({
    where: { id: guildId },
    select: {
      logChannelId: true,
      reportsChannelId: true,
      language: true,
      notifiesTargets: true,
      noticeWords: true,
      noticeColour: true,
      publicAnswers: true,
      alertsJoins: true,
      alertsQuietDays: true,
      hidesFirstSteps: true,
      logChannelProblem: true,
      logTopics: true,
    },
  });
  const topics = guild?.logTopics ?? [];
  return {
    logChannelId: guild?.logChannelId ?? null,
    logTopics: Object.fromEntries(topics.map(({ topic, channelId }) => [topic, channelId])),
    reportsChannelId: guild?.reportsChannelId ?? null,
    language: localeOf(guild?.language) ?? DEFAULT_LOCALE,
    notifiesTargets: guild?.notifiesTargets ?? false,
    noticeWords: guild?.noticeWords ?? '',
    noticeColour: `#${(guild?.noticeColour ?? 0).toString(16).padStart(6, '0')}`,
    publicAnswers: (guild?.publicAnswers ?? []).filter(isPublicAnswer),
    alertsJoins: guild?.alertsJoins ?? false,
    alertsQuietDays: guild?.alertsQuietDays ?? null,
    hidesFirstSteps: guild?.hidesFirstSteps ?? false,
    logChannelProblem: guild?.logChannelProblem ?? null,
    logTopicProblems: Object.fromEntries(
      topics.flatMap(({ topic, problem }) => (problem === null ? [] : [[topic, problem] as const])),
    ),
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
  await changeAsOwner(db, call, guildId, async (tx) => {
    const {
      logChannelId,
      logTopics = {},
      reportsChannelId,
      language,
      notifiesTargets,
      hidesFirstSteps,
    } = changes;
    const { noticeWords, noticeColour, publicAnswers, alertsJoins, alertsQuietDays } = changes;
    await tx.prisma.guild.update({
      where: { id: guildId },
      data: given({
        logChannelId,
        reportsChannelId,
        language,
        notifiesTargets,
        noticeWords,
        noticeColour: noticeColour === undefined ? undefined : Number.parseInt(noticeColour.slice(1), 16),
        publicAnswers: publicAnswers === undefined ? undefined : [...publicAnswers],
        alertsJoins,
        alertsQuietDays,
        hidesFirstSteps,
      }),
      select: { id: true },
    });
    for (const topic of LOG_TOPICS) await putLogTopic(tx, { guildId, topic }, logTopics[topic]);
    await recordChange(tx, call, {
      guildId,
      operation: 'settings.update',
      details: given({
        log_channel_id: logChannelId,
        log_topics: changes.logTopics,
        reports_channel_id: reportsChannelId,
        language,
        notifies_targets: notifiesTargets,
        notice_words: noticeWords,
        notice_colour: noticeColour,
        public_answers: publicAnswers,
        alerts_joins: alertsJoins,
        alerts_quiet_days: alertsQuietDays,
        hides_first_steps: hidesFirstSteps,
      }),
    });
  });
  return guildSettings(db, guildId);
}

/** Without a channel nothing changes; with null the topic goes to the log channel again. */
async function putLogTopic(
  { prisma }: Pick<Transaction, 'prisma'>,
  where: { guildId: string; topic: LogTopic },
  channelId: string | null | undefined,
): Promise<void> {
  if (channelId === null) await prisma.logTopicChannel.deleteMany({ where });
  if (channelId == null) return;
  await prisma.logTopicChannel.upsert({
    where: { guildId_topic: where },
    create: { ...where, channelId },
    update: { channelId },
  });
}
