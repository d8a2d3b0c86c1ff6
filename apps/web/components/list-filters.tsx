import type { ReactNode } from 'react';
import { Messages } from '#components/messages.tsx';
import { PersonField } from '#components/people/person-field.tsx';
import { FilterBar } from '#components/ui/filter-bar.tsx';
import { FilterSelect, FilterText } from '#components/ui/filter-fields.tsx';
import { Link } from '#components/ui/link.tsx';
import { MoreFilters } from '#components/ui/more-filters.tsx';
import { EmptyState } from '#components/ui/panel.tsx';
import { SearchField } from '#components/ui/search-field.tsx';
import { chipsOf, nameIn, parametersOf, type ReadFilter } from '#src/list-filters.ts';
import { messagesFor } from '#src/messages.ts';
import { addressWith } from '#src/page-query.ts';

/** The filters of a list: a search, a field for each other one, and a chip for each that is set. */
export async function ListFilters({
  guildId,
  label,
  path,
  filters,
  names = {},
  moreLabel,
}: {
  guildId: string;
  label: string;
  /** The address of the list without parameters. */
  path: string;
  filters: readonly ReadFilter[];
  /** The names of people by id. */
  names?: Readonly<Record<string, string>>;
  /** What the fields are called that are rarely used. */
  moreLabel?: string;
}) {
  const at = (wanted: ReadFilter['place']) => filters.filter(({ place }) => place === wanted);
  const fieldsOf = (some: readonly ReadFilter[]) =>
    some.map((filter) => <FieldOf key={filter.name} guildId={guildId} filter={filter} names={names} />);
  const [fields, more, tabs, search] = [at(undefined), at('more'), at('tabs'), at('search')];
  const tabsOnly = parametersOf(tabs.filter(({ problem }) => problem === null));
  return (
    <FilterBar
      label={label}
      chips={chipsOf(path, filters, names)}
      clearHref={addressWith(path, tabsOnly)}
      search={search.map((each) => (
        <SearchField key={each.name} name={each.name} label={each.label} defaultValue={each.value} />
      ))}
    >
      {fields.length === 0 ? undefined : (
        <>
          {tabs.map(({ name, value }) =>
            value === undefined ? null : <input key={name} type="hidden" name={name} value={value} />,
          )}
          {fieldsOf(fields)}
          {more.length === 0 ? null : (
            <MoreFilters label={moreLabel} isSet={more.some(({ value }) => value !== undefined)}>
              {fieldsOf(more)}
            </MoreFilters>
          )}
        </>
      )}
    </FilterBar>
  );
}

async function FieldOf({
  guildId,
  filter,
  names,
}: {
  guildId: string;
  filter: ReadFilter;
  names: Readonly<Record<string, string>>;
}) {
  const { name, label, value, options, any, is } = filter;
  const error = await problemText(guildId, filter);
  if (is === 'person' || is === 'target')
    return (
      <Messages namespaces={['people']}>
        <PersonField {...{ guildId, name, label, value, error }} valueName={nameIn(names, value)} />
      </Messages>
    );
  const field = { name, label, defaultValue: value, error };
  if (options === undefined) return <FilterText {...field} type={is === 'day' ? 'date' : 'text'} />;
  return <FilterSelect {...field} options={[{ value: '', label: any ?? '' }, ...options]} />;
}

async function problemText(guildId: string, { problem, value = '' }: ReadFilter): Promise<ReactNode> {
  if (problem === null) return null;
  const t = await messagesFor('lists');
  if (problem !== 'person') return t(`wrong.${problem}`, { value });
  return t.rich('wrong.person', {
    value,
    members: (text) => (
      <Link
        href={`/guilds/${guildId}/members?${new URLSearchParams({ q: value })}`}
        className="text-accent underline"
      >
        {text}
      </Link>
    ),
  });
}

/** Stands in place of a list that has a wrong filter: it shows nothing, instead of more than was asked for. */
export async function NothingListed({ filters }: { filters: readonly ReadFilter[] }) {
  const t = await messagesFor('lists');
  const wrong = filters.filter(({ problem }) => problem !== null).map(({ label }) => label);
  return <EmptyState title={t('nothingTitle')}>{t('nothingHint', { filters: wrong.join(', ') })}</EmptyState>;
}
