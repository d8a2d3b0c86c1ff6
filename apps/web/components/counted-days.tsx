import { isDatabaseUnavailable } from '@bailiff/engine/database/database-errors';
import { pageInTurn } from '@bailiff/engine/database/in-turn';
import { messagesFor } from '#src/messages.ts';
import { addressWith, type PageQuery, textIn } from '#src/page-query.ts';
import { runtime } from '#src/runtime.ts';
import { ChoiceLinks } from './ui/choice-links.tsx';
import { EmptyState, Panel } from './ui/panel.tsx';

const SPANS = [7, 30, 90] as const;
const DEFAULT_SPAN = 30;

/** For how many of the last days a page of statistics is asked. */
export function daysIn(query: PageQuery): number {
  const asked = textIn(query, 'days');
  return SPANS.find((each) => String(each) === asked) ?? DEFAULT_SPAN;
}

/** Links to the same statistics of other numbers of days. */
export function DaysLinks({
  label,
  path,
  days,
  nameOf,
}: {
  label: string;
  path: string;
  days: number;
  nameOf: (days: number) => string;
}) {
  const items = SPANS.map((each) => ({
    href: addressWith(path, { days: each === DEFAULT_SPAN ? undefined : String(each) }),
    label: nameOf(each),
    current: each === days,
  }));
  return <ChoiceLinks label={label} items={items} />;
}

/** What a guild's statement counts, when its turn has come. Null if the database cannot do it in time. */
export async function countedInTime<T>(guildId: string, count: () => Promise<T>): Promise<T | null> {
  try {
    return await pageInTurn(runtime().db, guildId, count);
  } catch (error) {
    if (isDatabaseUnavailable(error)) return null;
    throw error;
  }
}

/** Says that the database could not count in time. Other numbers of days stay in reach. */
export async function NotCounted() {
  const t = await messagesFor('overview');
  return (
    <Panel>
      <EmptyState title={t('notCountedTitle')}>{t('notCountedHint')}</EmptyState>
    </Panel>
  );
}
