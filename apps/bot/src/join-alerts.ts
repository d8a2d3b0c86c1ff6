import { marksOf } from '@bailiff/engine/cases/case-list';
import { caseWire } from '@bailiff/engine/cases/cases';
import { casesToTell, type Join, joinAlerts } from '@bailiff/engine/guilds/join-alerts';
import { type Locale, type Translator, translator } from '@bailiff/messages';
import { GatewayDispatchEvents as Event, type GatewayGuildMemberAddDispatchData } from 'discord.js';
import { z } from 'zod';
import type { Words } from './blocked-text.ts';
import { caseLine } from './chat/case-pages.ts';
import { type LogChannelDeps, postToLog } from './log-channel.ts';
import { tellOfLost } from './lost-events.ts';
import type { MirrorSettings } from './mirrored-guild.ts';

const COLOUR = 0xe0a83c;

const JoinJob = z.object({ guild_id: z.string(), user_id: z.string() });

/** Queues the posts about people who join from now on. */
export function followJoins({ client, db, log }: Pick<MirrorSettings, 'client' | 'db' | 'log'>): void {
  const alertOf = joinAlerts(db);
  const isLost = tellOfLost(log, 'moderators are not told of people who joined');
  client.ws.on(Event.GuildMemberAdd, async (data: GatewayGuildMemberAddDispatchData) => {
    try {
      await alertOf({ guildId: data.guild_id, userId: data.user.id });
    } catch (err) {
      isLost(data.guild_id, err);
    }
  });
}

/** The job that tells moderators of somebody with cases who joined. */
export function joinTasks(deps: LogChannelDeps, timeoutMs: number) {
  return {
    post_join: async (payload: unknown) => {
      const { guild_id: guildId, user_id: userId } = JoinJob.parse(payload);
      await postCasesOf(
        deps,
        { guildId, userId, about: userId },
        (t, count) => t('log.joined', { user: `<@${userId}>`, id: userId, count }),
        timeoutMs,
      );
    },
  };
}

/**
 * Posts a line about a member into the log channel, and their latest cases below it. Without cases, nothing.
 *
 * @param about.about the id of what happened: Discord takes two posts about the same one for a repetition
 */
export async function postCasesOf(
  deps: LogChannelDeps,
  { guildId, userId, about }: Join & { readonly about: string },
  headIn: (t: Translator<'notices'>, count: number) => string,
  timeoutMs: number,
): Promise<void> {
  const cases = await casesToTell(deps.db, { guildId, userId });
  const count = cases[0]?.total;
  // They were forgotten or lifted meanwhile.
  if (count === undefined) return;
  const marks = await marksOf(
    deps.db,
    guildId,
    cases.map(({ id }) => id),
  );
  const page = `members/${userId}`;
  const embedIn = (locale: Locale, words: Words) => {
    const head = headIn(translator(locale, 'notices'), count);
    const lines = cases.map((row) => {
      const reason = row.reason === null ? null : words(row.reason);
      return caseLine(locale, caseWire({ ...row, reason }), marks.get(row.id));
    });
    const url = `${deps.dashboardUrl}/guilds/${guildId}/${page}`;
    return { color: COLOUR, description: [head, ...lines, url].join('\n') };
  };
  const post = { guildId, topic: 'alerts', about, page, embedIn } as const;
  await postToLog(deps, post, AbortSignal.timeout(timeoutMs));
}
