'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { pressedLink } from '#components/pressed-link.ts';
import { Button } from '#components/ui/button.tsx';
import { Dialog } from '#components/ui/dialog.tsx';

/** Whether somebody has said to leave, which no other form of the page asks about again. */
let isLeaving = false;

/**
 * Asks before the page is left, while it is rendered: by a link, by the back button where the browser can be stopped
 * (the Navigation API), and by closing the tab.
 */
export function LeaveGuard() {
  const t = useTranslations('settings.unsaved');
  const router = useRouter();
  const [leave, setLeave] = useState<{ readonly go: () => void } | null>(null);

  useEffect(() => {
    isLeaving = false;
    const onUnload = (event: BeforeUnloadEvent) => {
      if (!isLeaving) event.preventDefault();
    };
    const onClick = (event: MouseEvent) => {
      const address = isLeaving ? null : addressOf(event);
      if (address === null) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      setLeave({ go: () => router.push(address) });
    };
    const history = 'navigation' in window ? window.navigation : null;
    const onNavigate = (event: NavigateEvent) => {
      if (isLeaving || event.defaultPrevented) return;
      if (event.navigationType !== 'traverse' || !event.cancelable) return;
      const { key } = event.destination;
      event.preventDefault();
      setLeave({ go: () => void history?.traverseTo(key) });
    };
    window.addEventListener('beforeunload', onUnload);
    // Before anything that listens at the document hears of it: no page is on its way.
    window.addEventListener('click', onClick, { capture: true });
    history?.addEventListener('navigate', onNavigate);
    return () => {
      window.removeEventListener('beforeunload', onUnload);
      window.removeEventListener('click', onClick, { capture: true });
      history?.removeEventListener('navigate', onNavigate);
    };
  }, [router]);

  const stay = () => setLeave(null);
  return (
    <Dialog open={leave !== null} onOpenChange={stay} title={t('leaveTitle')} description={t('leaveLead')}>
      <div className="flex flex-wrap justify-end gap-2">
        <Button
          variant="quiet"
          onClick={() => {
            isLeaving = true;
            setLeave(null);
            leave?.go();
          }}
        >
          {t('leave')}
        </Button>
        <Button variant="primary" onClick={stay}>
          {t('stay')}
        </Button>
      </div>
    </Dialog>
  );
}

/** The address on this site to which a click leads in this tab; null if it leads to none, or to the same page. */
function addressOf(event: MouseEvent): string | null {
  const link = pressedLink(event);
  if (link === null || link.pathname === location.pathname) return null;
  return `${link.pathname}${link.search}${link.hash}`;
}
