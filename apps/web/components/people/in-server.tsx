'use client';

import { useTranslations } from 'use-intl/react';
import { Link } from '#components/ui/link.tsx';
import { Panel, Section } from '#components/ui/panel.tsx';
import { PersonRow } from './person-row.tsx';
import { SearchState } from './search-state.tsx';
import { usePeopleSearch } from './use-people-search.ts';

/** The people whom Discord finds in the server besides those whom the page shows already. */
export function InServer({
  guildId,
  text,
  shown,
}: {
  guildId: string;
  text: string;
  /** The ids of those whom the page shows. */
  shown: readonly string[];
}) {
  const t = useTranslations('members');
  const search = usePeopleSearch(guildId, text);
  const people = search.people.filter((person) => !shown.includes(person.user_id));
  return (
    <Section title={t('inServer')}>
      <Panel>
        <ul>
          {people.map((person) => (
            <li key={person.user_id} className="border-line border-b last:border-b-0">
              <Link
                href={`/guilds/${guildId}/members/${person.user_id}`}
                className="hover:bg-raised block px-3.5 py-2 no-underline"
              >
                <PersonRow person={person} />
              </Link>
            </li>
          ))}
        </ul>
        <SearchState search={{ ...search, people }} nobody={t('inServerNone')} />
      </Panel>
    </Section>
  );
}
