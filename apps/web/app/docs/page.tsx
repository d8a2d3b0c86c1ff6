import type { Metadata } from 'next';
import { DocumentsFrame } from '#components/documents/documents-frame.tsx';
import { Link } from '#components/ui/link.tsx';
import { PageHeader, Panel } from '#components/ui/panel.tsx';
import { documentsFor, READERS } from '#src/documents/library.ts';
import { messagesFor } from '#src/messages.ts';

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await messagesFor('docs'))('title') };
}

/** Where the documentation begins, public also without signing in. */
export default async function DocumentationPage() {
  const t = await messagesFor('docs');
  return (
    <DocumentsFrame>
      <PageHeader title={t('title')}>{t('siteLead')}</PageHeader>
      <div className="grid gap-3 sm:grid-cols-2">
        {READERS.map((reader) => (
          <Panel key={reader} className="px-4 py-3">
            <h2 className="mb-2 font-semibold">{t(`readers.${reader}`)}</h2>
            <ul lang="en" className="grid gap-2">
              {documentsFor(reader).map(({ slug, title, lead }) => (
                <li key={slug}>
                  <Link href={`/docs/${slug}`} className="text-accent font-medium underline">
                    {title}
                  </Link>
                  <p className="text-ink-soft line-clamp-2">{lead}</p>
                </li>
              ))}
            </ul>
          </Panel>
        ))}
      </div>
    </DocumentsFrame>
  );
}
