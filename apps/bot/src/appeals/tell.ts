import { appealById } from '@bailiff/engine/appeals/appeal-posts';
import { DEFAULT_LOCALE, localeOf, translator } from '@bailiff/messages';
import { escapedName, quoted } from '#src/chat/text.ts';
import { sendDirectMessage } from '#src/direct-message.ts';
import type { PerformerDeps } from '#src/performers/deps.ts';

const TURN_MS = 300;
const LONGEST_REPLY = 1_000;

/**
 * Tells a person what was decided about their appeal, in the language in which they wrote it. It names no moderator. A
 * person whom the bot cannot reach reads it on the page of their appeal.
 *
 * @throws Error if the message was not sent yet, so that the queue tries again
 */
export async function tellAppeal(deps: PerformerDeps, appealId: string, signal: AbortSignal): Promise<void> {
  const appeal = await appealById(deps.db, appealId);
  if (appeal === null || (appeal.state !== 'accepted' && appeal.state !== 'refused')) return;
  const t = translator(localeOf(appeal.language) ?? DEFAULT_LOCALE, 'notices');
  const url = `${deps.dashboardUrl}/appeal/${appeal.case_id}`;
  const told = t(`appeals.told.${appeal.state}`, { guild: escapedName(appeal.guild_name), url });
  const { reply } = appeal;
  const message = {
    id: appealId,
    userId: appeal.user_id,
    channelId: appeal.direct_channel_id,
    content: reply === null ? told : [told, quoted(reply, LONGEST_REPLY)].join('\n'),
    withoutWords: reply === null ? undefined : { content: [told, t('target.wordsBlocked')].join('\n') },
    isUrgent: false,
  };
  const turn = AbortSignal.timeout(TURN_MS);
  const { isForLater } = await sendDirectMessage(deps, message, { turn, signal });
  if (isForLater) throw new Error(`The decision about ${appealId} was not sent yet.`);
}
