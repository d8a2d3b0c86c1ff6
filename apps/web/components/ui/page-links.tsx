'use client';

import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useTranslations } from 'use-intl/react';
import { buttonClass } from './button.tsx';
import { Link } from './link.tsx';

/** The links to the newer and older pages of a list. */
export function PageLinks({ newerHref, olderHref }: { newerHref: string | null; olderHref: string | null }) {
  const t = useTranslations('ui');
  if (newerHref === null && olderHref === null) return null;
  return (
    <nav aria-label={t('pages')} className="mt-3 flex justify-between gap-2">
      {newerHref === null ? (
        <span />
      ) : (
        <Link rel="prev" href={newerHref} className={buttonClass()}>
          <ChevronLeft aria-hidden size={16} />
          {t('newer')}
        </Link>
      )}
      {olderHref === null ? null : (
        <Link rel="next" href={olderHref} className={buttonClass()}>
          {t('older')}
          <ChevronRight aria-hidden size={16} />
        </Link>
      )}
    </nav>
  );
}
