import { notFound } from 'next/navigation';
import { documentAt } from '#src/documents/library.ts';
import { markdownOf } from '#src/documents/links.ts';
import { runtime } from '#src/runtime.ts';

interface Context {
  params: Promise<{ slug: string[] }>;
}

/** A document as Markdown. People reach it at `/docs/<slug>.md` (`next.config.mjs`). */
export async function GET(_request: Request, { params }: Context): Promise<Response> {
  const document = documentAt((await params).slug.join('/')) ?? notFound();
  return new Response(markdownOf(document, runtime().config.dashboardUrl), {
    headers: { 'Content-Type': 'text/markdown; charset=utf-8' },
  });
}
