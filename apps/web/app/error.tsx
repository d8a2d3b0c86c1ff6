'use client';

import { type ErrorPageProps, ErrorState } from '#components/ui/error-state.tsx';

/** The page that people see if rendering failed. */
export default function PageFailure(props: ErrorPageProps) {
  return (
    <main id="content" className="mx-auto w-full max-w-3xl px-4 py-16">
      <ErrorState {...props} />
    </main>
  );
}
