'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { pressedLink } from './pressed-link.ts';

/** A page that has not come by then says so itself, or never comes. */
const MOST_MS = 30_000;

/**
 * Says that a page is on its way, from the press of a link until the page is there. A page that comes at once shows
 * nothing: the bar begins to be seen after a moment.
 */
export function NavigationProgress() {
  const t = useTranslations('ui');
  const here = `${usePathname()}?${useSearchParams()}`;
  const [leaving, setLeaving] = useState<string | null>(null);
  useEffect(() => {
    const press = (event: MouseEvent) => {
      if (leadsElsewhere(event)) setLeaving(here);
    };
    document.addEventListener('click', press, { capture: true });
    return () => document.removeEventListener('click', press, { capture: true });
  }, [here]);
  useEffect(() => {
    if (leaving === null) return;
    const timer = setTimeout(() => setLeaving(null), MOST_MS);
    return () => clearTimeout(timer);
  }, [leaving]);
  // The page has come.
  if (leaving !== null && leaving !== here) setLeaving(null);
  if (leaving !== here) return null;
  return (
    <div role="status" className="late-bar bg-accent fixed inset-x-0 top-0 z-70 h-0.5">
      <span className="sr-only">{t('loading')}</span>
    </div>
  );
}

/** Whether a click shows another page of the dashboard in this tab. */
function leadsElsewhere(event: MouseEvent): boolean {
  const link = pressedLink(event);
  return link !== null && (link.pathname !== location.pathname || link.search !== location.search);
}
