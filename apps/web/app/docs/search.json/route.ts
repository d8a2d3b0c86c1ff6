import { allSections } from '#src/documents/sections.ts';

// Made by the build.
export const dynamic = 'force-static';

/** What the browser searches in. */
export function GET(): Response {
  return Response.json(allSections());
}
