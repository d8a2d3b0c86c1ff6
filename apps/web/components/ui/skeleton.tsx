'use client';

import { clsx } from 'clsx';
import { useTranslations } from 'use-intl/react';

/** A placeholder for content that is loading. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={clsx('bg-raised animate-pulse rounded', className)} />;
}

/** A placeholder for a page with a list. */
export function PageSkeleton({ rows = 6 }: { rows?: number }) {
  const t = useTranslations('ui');
  return (
    <div aria-busy="true">
      <h1 className="sr-only">{t('loading')}</h1>
      <Skeleton className="mb-3 h-7 w-48" />
      <Skeleton className="mb-6 h-4 w-80 max-w-full" />
      <div className="border-line bg-surface grid gap-4 rounded-lg border p-4">
        {Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are alike and never move
          <Skeleton key={row} className={clsx('h-4', row % 2 === 0 ? 'w-11/12' : 'w-3/4')} />
        ))}
      </div>
    </div>
  );
}
