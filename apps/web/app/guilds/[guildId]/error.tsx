'use client';

import { ErrorState } from '#components/ui/error-state.tsx';

/** The page that people see if rendering a page of a guild failed. The navigation stays. */
export default function PageFailure({ reset }: { error: Error; reset: () => void }) {
  return <ErrorState retry={reset} />;
}
