'use client';

import { useTranslations } from 'use-intl/react';
import { Button } from './button.tsx';
import { Callout } from './panel.tsx';

/** The message that replaces content that could not be loaded. */
export function ErrorState({ retry }: { retry: () => void }) {
  const t = useTranslations('ui');
  return (
    <div className="max-w-3xl">
      <h1 className="mb-4 text-xl font-semibold tracking-tight">{t('failedTitle')}</h1>
      <Callout tone="danger" title={t('failedLead')} action={<Button onClick={retry}>{t('retry')}</Button>}>
        {t('failedNext')}
      </Callout>
    </div>
  );
}
