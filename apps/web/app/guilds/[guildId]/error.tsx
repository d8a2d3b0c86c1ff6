'use client';

import { ErrorState } from '#components/ui/error-state.tsx';

/** What stands in place of a page of a guild that could not be made; the navigation stays. */
export default function PageFailure({ reset }: { error: Error; reset: () => void }) {
  return <ErrorState retry={reset} />;
}
