'use client';

import { Button } from '../components/ui/button.tsx';
import { Notice } from '../components/ui/panel.tsx';

/** What stands in place of a page that could not be made. */
export default function PageFailure({ reset }: { error: Error; reset: () => void }) {
  return (
    <main id="content" className="mx-auto w-full max-w-3xl px-4 py-16">
      <h1 className="mb-4 text-xl font-semibold">This page could not be loaded</h1>
      <Notice
        tone="danger"
        title="Something went wrong on our side"
        action={<Button onClick={reset}>Try again</Button>}
      >
        Nothing was changed. If it keeps happening, tell whoever runs this Bailiff.
      </Notice>
    </main>
  );
}
