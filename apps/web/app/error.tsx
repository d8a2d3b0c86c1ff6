'use client';

import { ErrorState } from '#components/ui/error-state.tsx';

/** What stands in place of a page that could not be made. */
export default function PageFailure({ reset }: { error: Error; reset: () => void }) {
  return (
    <main id="content" className="mx-auto w-full max-w-3xl px-4 py-16">
      <ErrorState retry={reset} />
    </main>
  );
}
