import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { Blocks } from '#components/documents/blocks.tsx';
import { DocumentsFrame } from '#components/documents/documents-frame.tsx';
import { plainText } from '#src/documents/inlines.ts';
import { type Document, documentAt } from '#src/documents/library.ts';
import { messagesFor } from '#src/messages.ts';

interface Props {
  params: Promise<{ slug: string[] }>;
}

async function documentOf({ params }: Props): Promise<Document> {
  return documentAt((await params).slug.join('/')) ?? notFound();
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { slug, title, lead } = await documentOf(props);
  return { title, description: lead, alternates: { types: { 'text/markdown': `/docs/${slug}.md` } } };
}

/** A document, public also without signing in. */
export default async function DocumentPage(props: Props) {
  const document = await documentOf(props);
  const t = await messagesFor('docs');
  const { slug, path, blocks } = document;
  return (
    <DocumentsFrame current={slug} contents={<Contents document={document} label={t('onThisPage')} />}>
      <details className="border-line mb-4 border-b pb-2 xl:hidden">
        <summary className="font-medium">{t('onThisPage')}</summary>
        <Contents document={document} label={t('onThisPage')} />
      </details>
      <article lang="en" className="text-[0.9375rem] leading-relaxed">
        <Blocks blocks={blocks} path={path} copy={t('copy')} />
      </article>
      <p className="border-line text-ink-soft mt-10 border-t pt-3 text-xs">
        <a href={`/docs/${slug}.md`} className="underline">
          {t('asMarkdown')}
        </a>
      </p>
    </DocumentsFrame>
  );
}

/** The headings of a document, two levels deep. */
function Contents({ document: { blocks }, label }: { document: Document; label: string }) {
  return (
    <nav aria-label={label} lang="en">
      <p className="text-ink-soft mb-1 hidden text-xs font-medium xl:block">{label}</p>
      <ul>
        {blocks.map((block) =>
          block.type === 'heading' && (block.depth === 2 || block.depth === 3) ? (
            <li key={block.id}>
              <a
                href={`#${block.id}`}
                className={`hover:text-accent flex min-h-7 items-center py-0.5 no-underline hover:underline ${block.depth === 3 ? 'text-ink-soft pl-3 text-xs' : ''}`}
              >
                {plainText(block.children)}
              </a>
            </li>
          ) : null,
        )}
      </ul>
    </nav>
  );
}
