'use client';

import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { Failure } from '#components/ui/failure.tsx';
import { useCall } from '#components/use-call.ts';

/** Takes back an approval of one call that was not made yet. */
export function Withdraw({ id }: { id: string }) {
  const t = useTranslations('approvals');
  const { call, busy, failure } = useCall();
  return (
    <>
      <Button
        size="small"
        disabled={busy}
        onClick={() => void call('POST', `/api/approvals/${id}`, { decision: 'withdraw' })}
      >
        {t('withdraw')}
      </Button>
      <Failure failure={failure} />
    </>
  );
}
