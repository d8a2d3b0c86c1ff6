import { caseKind } from '@bailiff/core';
import {
  appealById,
  claimAppealPost,
  leaveAppealPost,
  type PostedAppeal,
  postAppealLater,
  settleAppealPost,
} from '@bailiff/engine/appeals/appeal-posts';
import { isWaiting } from '@bailiff/engine/appeals/appeals';
import { DEFAULT_LOCALE, type Locale, localeOf, sayCase, translator } from '@bailiff/messages';
import { type APIEmbed, ButtonStyle, ComponentType } from 'discord.js';
import type { Words } from '#src/blocked-text.ts';
import { APPEAL_BUTTON, type AppealPress } from '#src/chat/appeals.ts';
import { quoted } from '#src/chat/text.ts';
import { DiscordFailure } from '#src/discord-api.ts';
import { mayBePosted, problemOf, showMessage } from '#src/log-channel.ts';
import { pacedApi } from '#src/pacing.ts';
import type { PerformerDeps } from '#src/performers/deps.ts';

const COLOUR_DECIDED = 0x6b7280;
/** Discord's limits: 256 characters for a field's name, 1,024 for its text, 6,000 for a message. */
const LONGEST_QUESTION = 200;
const LONGEST_ANSWER = 600;

/**
 * Shows the present state of an appeal in its guild's channel for appeals: posts a message with buttons, or edits the
 * existing one. Throws if the queue should try again.
 */
export async function postAppeal(deps: PerformerDeps, appealId: string, signal: AbortSignal): Promise<void> {
  const post = await claimAppealPost(deps.db, appealId);
  if (post === 'busy') return postAppealLater(deps.db, appealId);
  const appeal = post === null ? null : await appealById(deps.db, appealId);
  if (post === null || appeal === null) return;
  const { guild_id: guildId } = appeal;
  const locale = localeOf(appeal.guild_language) ?? DEFAULT_LOCALE;
  const about = {
    ...{ guildId, about: appealId, locale, page: `appeals/${appeal.case_number}` },
    embedIn: (words: Words) => embedOf(appeal, locale, deps.dashboardUrl, words),
    components: isWaiting(appeal) ? [buttonsOf(appeal, locale)] : [],
  };
  const inPace = { ...deps, api: pacedApi(deps.api, deps.paces, guildId) };
  try {
    const messageId = await showMessage(inPace, { ...post, ...about }, signal);
    await settleAppealPost(deps.db, appealId, messageId);
  } catch (error) {
    await leaveAppealPost(deps.db, appealId, { mayBeThere: mayBePosted(post, error) });
    if (!(error instanceof DiscordFailure) || problemOf(error) === null) throw error;
    deps.log.info({ err: error, appeal_id: appealId, guild_id: guildId }, 'appeal not posted');
  }
}

function embedOf(appeal: PostedAppeal, locale: Locale, dashboardUrl: string, words: Words): APIEmbed {
  const t = translator(locale, 'notices');
  const state = t(`appeals.in.${appeal.active || appeal.decided_at !== null ? appeal.state : 'over'}`);
  // A moderator who appealed their own case reads the channel too.
  const by = appeal.decided_by === null || appeal.may_read ? null : `<@${appeal.decided_by}>`;
  const url = `${dashboardUrl}/guilds/${appeal.guild_id}/appeals/${appeal.case_number}`;
  const kind = sayCase(locale, { kind: appeal.kind, severity: null });
  const votes = { for: String(appeal.votes_for), against: String(appeal.votes_against) };
  return {
    title: t('appeals.title', { number: String(appeal.case_number), kind }),
    description: t('appeals.record', { url }),
    color: isWaiting(appeal) ? caseKind(appeal.kind).colour : COLOUR_DECIDED,
    fields: [
      { name: t('log.user'), value: `<@${appeal.user_id}>\n${appeal.user_id}`, inline: true },
      {
        name: t('appeals.state'),
        value: by === null ? state : t('appeals.decidedBy', { state, by }),
        inline: true,
      },
      { name: t('appeals.votes'), value: t('appeals.votesCounted', votes), inline: true },
      ...(appeal.reason === null
        ? []
        : [{ name: t('appeals.reason'), value: quoted(words(appeal.reason), LONGEST_ANSWER) }]),
      ...appeal.answers.map(({ question, answer }) => ({
        name: quoted(words(question), LONGEST_QUESTION),
        value: quoted(words(answer), LONGEST_ANSWER),
      })),
      ...(appeal.reply === null
        ? []
        : [{ name: t('appeals.reply'), value: quoted(words(appeal.reply), LONGEST_ANSWER) }]),
    ],
    // The message is found again by this.
    footer: { text: appeal.id },
    timestamp: appeal.sent_at.toISOString(),
  };
}

function buttonsOf({ id }: PostedAppeal, locale: Locale): object {
  const t = translator(locale, 'notices');
  const button = (press: AppealPress, style: ButtonStyle) => ({
    type: ComponentType.Button,
    style,
    label: t(`appeals.${press}`),
    custom_id: `${APPEAL_BUTTON}${press}:${id}`,
  });
  return {
    type: ComponentType.ActionRow,
    components: [
      button('accept', ButtonStyle.Success),
      button('refuse', ButtonStyle.Danger),
      button('for', ButtonStyle.Secondary),
      button('against', ButtonStyle.Secondary),
    ],
  };
}
