import { CASE_KIND_NAMES, CASE_KINDS, type InputOf, type OutputOf } from '@bailiff/core';
import { casesOf } from '@bailiff/engine/audit/moderator-statistics';
import { type Locale, translator } from '@bailiff/messages';
import { fitting } from './fitting.ts';

type Statistics = OutputOf<'audit.moderators'>;

/** What each moderator did, or only this one. */
export function moderatorsText(
  locale: Locale,
  { days, data, more, by_tokens, automatic }: Statistics,
  { user_id }: InputOf<'audit.moderators'>,
): string {
  const t = translator(locale, 'moderators');
  const chat = translator(locale, 'chat');
  const apart = t('apart', { tokens: by_tokens, automatic });
  const isOfAll = user_id === undefined;
  if (data.length === 0) {
    const none = isOfAll ? t('empty') : t('chat.noneOf', { who: `<@${user_id}>`, count: days });
    return isOfAll && by_tokens + automatic > 0 ? `${none}\n${apart}` : none;
  }
  const lines = data.map((moderator) =>
    t('chat.line', { who: `<@${moderator.user_id}>`, what: workText(locale, moderator) }),
  );
  const tail = [...(more === 0 ? [] : [t('more', { count: more })]), ...(isOfAll ? [apart] : [])];
  return fitting(chat, [t('chat.head', { count: days }), ...lines], tail);
}

/** What one moderator did, without what they did none of. */
function workText(locale: Locale, moderator: Statistics['data'][number]): string {
  const t = translator(locale, 'moderators');
  const operations = translator(locale, 'operations');
  const { cases, lifted, appealed, reports, tickets } = moderator;
  const count = casesOf(moderator);
  const kinds = CASE_KIND_NAMES.filter((kind) => cases[kind] > 0).map(
    (kind) => `${operations(`${CASE_KINDS[kind].words}.case.name`)} ${cases[kind]}`,
  );
  return [
    ...(count === 0 ? [] : [`${t('chat.cases', { count })} (${kinds.join(', ')})`]),
    ...(lifted === 0 ? [] : [t('chat.lifted', { count: lifted, appealed })]),
    ...(reports === 0 ? [] : [t('chat.reports', { count: reports })]),
    ...(tickets === 0 ? [] : [t('chat.tickets', { count: tickets })]),
  ].join(', ');
}
