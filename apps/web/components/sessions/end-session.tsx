'use client';

import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { ConfirmDialog } from '#components/ui/confirm-dialog.tsx';
import { Failure } from '#components/ui/failure.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';

/** After the end of its own session a page has nothing to show. */
const leave = () => location.assign('/sign-in');

export function EndSession({ id, isThis, label }: { id: string; isThis: boolean; label: string }) {
  const t = useTranslations('session');
  const { call, busy, failure } = useCall();
  const end = async () => {
    if ((await call('DELETE', `/api/sessions/${isThis ? 'current' : id}`)) === null) return;
    if (isThis) leave();
    else toast({ text: t('own.ended') });
  };
  return (
    <>
      <Button size="small" aria-label={label} disabled={busy} onClick={() => void end()}>
        {t('own.end')}
      </Button>
      <Failure failure={failure} />
    </>
  );
}

export function EndAllSessions() {
  const t = useTranslations('session');
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="risky" onClick={() => setOpen(true)}>
        {t('own.endAll')}
      </Button>
      <ConfirmDialog
        open={open}
        onClose={() => setOpen(false)}
        title={t('own.endAllTitle')}
        description={t('own.endAllText')}
        confirm={t('own.endAll')}
        danger
        request={() => ({ method: 'DELETE', path: '/api/sessions' })}
        done={t('own.ended')}
        onDone={leave}
      />
    </>
  );
}
