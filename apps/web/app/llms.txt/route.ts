import { llmsText } from '#src/documents/llms.ts';
import { runtime } from '#src/runtime.ts';

// It has the instance's address.
export const dynamic = 'force-dynamic';

/** The list of all documents for language models (https://llmstxt.org). */
export function GET(): Response {
  return new Response(llmsText(runtime().config), {
    headers: { 'Content-Type': 'text/plain; charset=utf-8' },
  });
}
