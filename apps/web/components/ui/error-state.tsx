'use client';

import { useTranslations } from 'use-intl/react';
import { Button } from './button.tsx';
import { Callout } from './panel.tsx';

/** What Next gives the page of an error. */
export interface ErrorPageProps {
  /** With the id of the request as its digest (src/page-log.ts), if it was thrown on the server. */
  error: Error & { digest?: string };
  /** Loads the page again. */
  retry: () => void;
}

/** The message that replaces content that could not be loaded. */
export function ErrorState({ error: { digest }, retry }: ErrorPageProps) {
  const t = useTranslations('failure');
  return (
    <div className="max-w-3xl">
      <h1 className="mb-4 text-xl font-semibold tracking-tight">{t('title')}</h1>
      <Callout tone="danger" title={t('lead')} action={<Button onClick={retry}>{t('retry')}</Button>}>
        {t('next')}
        {digest === undefined ? null : (
          <p className="mt-2">
            {t('reference')} <span className="text-ink">{digest}</span>
          </p>
        )}
      </Callout>
    </div>
  );
}
