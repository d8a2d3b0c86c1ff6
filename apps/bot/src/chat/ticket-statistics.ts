import type { OutputOf } from '@bailiff/core';
import { type Locale, translator } from '@bailiff/messages';
import { roughLengthIn } from '@bailiff/messages/lengths';
import { fitting } from './fitting.ts';
import { oneLine } from './text.ts';

type Statistics = OutputOf<'tickets.stats'>;
type Closed = Pick<
  Statistics,
  'closed' | 'first_answer_seconds' | 'close_seconds' | 'ratings' | 'average_rating'
>;

/** How many categories and people an answer in chat names. The dashboard has all. */
const MOST_NAMED = 8;

/** What became of the tickets of the last days. */
export function ticketStatisticsText(locale: Locale, counted: Statistics): string {
  const t = translator(locale, 'ticketStatistics');
  const { days, opened, open_now, categories, people } = counted;
  const named = categories.filter(({ category }) => category !== null);
  const lines = [
    t('head', { count: days }),
    t('counts', { opened, closed: counted.closed, open: open_now }),
    ...tookText(locale, counted),
    ...(named.length === 0 ? [] : [t('byCategory')]),
    ...named.slice(0, MOST_NAMED).map(({ category, ...of }) =>
      t('line', {
        who: oneLine(category ?? '', 60),
        what: [t('opened', { count: of.opened }), ...closedText(locale, of)].join(', '),
      }),
    ),
    ...(people.length === 0 ? [] : [t('byPerson')]),
    ...people
      .slice(0, MOST_NAMED)
      .map(({ user_id, ...of }) =>
        t('line', { who: `<@${user_id}>`, what: closedText(locale, of).join(', ') }),
      ),
  ];
  return fitting(translator(locale, 'chat'), lines, []);
}

/** How long things took and how the help was, without what nobody knows. */
function tookText(locale: Locale, { first_answer_seconds, close_seconds, ratings, average_rating }: Closed) {
  const t = translator(locale, 'ticketStatistics');
  return [
    ...(first_answer_seconds === null
      ? []
      : [t('firstAnswer', { length: roughLengthIn(locale, first_answer_seconds) })]),
    ...(close_seconds === null ? [] : [t('untilClosed', { length: roughLengthIn(locale, close_seconds) })]),
    ...(average_rating === null ? [] : [t('rated', { average: average_rating, count: ratings })]),
  ];
}

function closedText(locale: Locale, of: Closed): string[] {
  const t = translator(locale, 'ticketStatistics');
  return [t('closed', { count: of.closed }), ...tookText(locale, of)];
}
