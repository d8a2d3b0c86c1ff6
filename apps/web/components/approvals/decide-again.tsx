'use client';

import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { Failure } from '#components/ui/failure.tsx';
import { useCall } from '#components/use-call.ts';

/** Decides otherwise: takes back an approval of one call that was not made yet, or allows a refused call once. */
export function DecideAgain({ id, decision }: { id: string; decision: 'withdraw' | 'call_after_refusal' }) {
  const t = useTranslations('approvals');
  const { call, busy, failure } = useCall();
  return (
    <>
      <Button
        size="small"
        disabled={busy}
        onClick={() => void call('POST', `/api/approvals/${id}`, { decision })}
      >
        {t(decision === 'withdraw' ? decision : 'allowAfterAll')}
      </Button>
      <Failure failure={failure} />
    </>
  );
}
