'use client';

import { useTranslations } from 'use-intl/react';
import { Button } from './button.tsx';
import { Callout } from './panel.tsx';

/** Says that code of the page could not be loaded, and offers to reload the page. */
export function PartFailure() {
  const t = useTranslations('failure');
  const reload = <Button onClick={() => location.reload()}>{t('reload')}</Button>;
  return (
    <div role="alert">
      <Callout tone="warn" title={t('part')} action={reload}>
        {t('partHint')}
      </Callout>
    </div>
  );
}
