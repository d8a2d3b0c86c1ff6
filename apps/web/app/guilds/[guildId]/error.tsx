'use client';

import { type ErrorPageProps, ErrorState } from '#components/ui/error-state.tsx';

/** The page that people see if rendering a page of a guild failed. The navigation stays. */
export default function PageFailure(props: ErrorPageProps) {
  return <ErrorState {...props} />;
}
