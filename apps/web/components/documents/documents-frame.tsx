import type { Translator } from '@bailiff/messages';
import type { ReactNode } from 'react';
import { Messages } from '#components/messages.tsx';
import { TopBar } from '#components/top-bar.tsx';
import { Link } from '#components/ui/link.tsx';
import { documentsFor, READERS } from '#src/documents/library.ts';
import { messagesFor } from '#src/messages.ts';
import { currentSession } from '#src/pages.ts';
import { DocumentSearch } from './document-search.tsx';

interface Props {
  /** The address of the document that is shown, below /docs. */
  current?: string;
  /** What was searched for. */
  query?: string;
  /** Stands at the right of wide screens, and above the rest on narrow ones. */
  contents?: ReactNode;
  children: ReactNode;
}

/** The frame of the pages at /docs: the search field, and the list of all documents by reader. */
export async function DocumentsFrame({ current, query, contents, children }: Props) {
  const [t, session] = await Promise.all([messagesFor('docs'), currentSession()]);
  return (
    <Messages namespaces={['docs']}>
      <TopBar session={session} />
      <div className="mx-auto grid max-w-[100rem] px-3 pt-4 pb-16 sm:px-5 lg:grid-rows-[auto_1fr] lg:grid-cols-[14rem_minmax(0,1fr)] lg:gap-x-8 xl:grid-cols-[14rem_minmax(0,1fr)_14rem]">
        <div className="mb-4 lg:col-start-2 lg:max-w-lg">
          <DocumentSearch {...(query === undefined ? {} : { defaultValue: query })} />
        </div>
        <nav aria-label={t('allDocuments')} className="border-line mb-3 border-y py-2 lg:hidden">
          <details>
            <summary className="font-medium">{t('allDocuments')}</summary>
            <DocumentList t={t} current={current} />
          </details>
        </nav>
        <nav
          aria-label={t('allDocuments')}
          className="hidden lg:col-start-1 lg:row-span-2 lg:row-start-1 lg:block"
        >
          <div className="sticky top-4 max-h-[calc(100dvh-2rem)] overflow-y-auto">
            <DocumentList t={t} current={current} />
          </div>
        </nav>
        {contents === undefined ? null : (
          <div className="hidden xl:col-start-3 xl:row-start-2 xl:block">
            <div className="sticky top-4 max-h-[calc(100dvh-2rem)] overflow-y-auto">{contents}</div>
          </div>
        )}
        <main id="content" className="min-w-0 lg:col-start-2 lg:row-start-2">
          {children}
        </main>
      </div>
    </Messages>
  );
}

/** The documents for each kind of reader. */
export function DocumentList({ t, current }: { t: Translator<'docs'>; current: string | undefined }) {
  return READERS.map((reader) => (
    <div key={reader} className="mb-3">
      <p className="text-ink-soft mt-1 text-xs font-medium">{t(`readers.${reader}`)}</p>
      <ul lang="en">
        {documentsFor(reader).map(({ slug, title }) => (
          <ListedLink key={slug} href={`/docs/${slug}`} isCurrent={slug === current}>
            {title}
          </ListedLink>
        ))}
        {reader === 'integrators' ? <ListedLink href="/docs/api">API reference</ListedLink> : null}
      </ul>
    </div>
  ));
}

function ListedLink({
  href,
  isCurrent = false,
  children,
}: {
  href: string;
  isCurrent?: boolean;
  children: string;
}) {
  return (
    <li>
      <Link
        href={href}
        aria-current={isCurrent ? 'page' : undefined}
        className="aria-[current]:text-accent hover:text-accent flex min-h-7 items-center py-0.5 no-underline hover:underline aria-[current]:font-medium"
      >
        {children}
      </Link>
    </li>
  );
}
