import type { Metadata } from 'next';
import { DocumentsFrame } from '#components/documents/documents-frame.tsx';
import { Link } from '#components/ui/link.tsx';
import { PageHeader } from '#components/ui/panel.tsx';
import { searchSections } from '#src/documents/search.ts';
import { allSections } from '#src/documents/sections.ts';
import { messagesFor } from '#src/messages.ts';

const MOST_HITS = 50;
const LONGEST_QUERY = 200;

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await messagesFor('docs'))('searchTitle') };
}

interface Props {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

/** What a search finds, for browsers without scripts and for those who press Enter. */
export default async function DocumentSearchPage({ searchParams }: Props) {
  const t = await messagesFor('docs');
  const { q } = await searchParams;
  const query = typeof q === 'string' ? q.trim().slice(0, LONGEST_QUERY) : '';
  const hits = searchSections(allSections(), query, MOST_HITS);
  return (
    <DocumentsFrame query={query}>
      <PageHeader title={t('searchTitle')}>
        {query === ''
          ? t('writeSomething')
          : hits.length === 0
            ? t('notFound')
            : t('found', { count: hits.length })}
      </PageHeader>
      <ol lang="en" className="grid max-w-[72ch] gap-4">
        {hits.map(({ href, heading, document, excerpt }) => (
          <li key={href}>
            <Link href={href} className="text-accent font-medium underline">
              {heading}
            </Link>
            {document === heading ? null : <span className="text-ink-soft text-xs"> · {document}</span>}
            <p className="text-ink-soft wrap-anywhere">{excerpt}</p>
          </li>
        ))}
      </ol>
    </DocumentsFrame>
  );
}
