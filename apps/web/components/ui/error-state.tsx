'use client';

import { useTranslations } from 'use-intl/react';
import { Button } from './button.tsx';
import { Callout } from './panel.tsx';
import { PartFailure } from './part-failure.tsx';

/** What Next gives the page of an error. */
export interface ErrorPageProps {
  /** With the id of the request as its digest (src/page-log.ts), if it was thrown on the server. */
  error: Error & { digest?: string };
  /** Loads the page again. */
  retry: () => void;
}

/** The message that replaces content that could not be loaded. */
export function ErrorState({ error: { name, digest }, retry }: ErrorPageProps) {
  const t = useTranslations('failure');
  const heading = <h1 className="mb-4 text-xl font-semibold tracking-tight">{t('title')}</h1>;
  // The bundler's error for code that the server no longer has: only loading the page again helps.
  if (name === 'ChunkLoadError') {
    return (
      <div className="max-w-3xl">
        {heading}
        <PartFailure />
      </div>
    );
  }
  return (
    <div className="max-w-3xl">
      {heading}
      <Callout tone="danger" title={t('lead')} action={<Button onClick={retry}>{t('retry')}</Button>}>
        {t('next')}
        {digest === undefined ? null : (
          <p className="mt-2">
            {t('reference')} <span className="text-ink wrap-anywhere">{digest}</span>
          </p>
        )}
      </Callout>
    </div>
  );
}
