'use client';

import { CircleStop } from 'lucide-react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { Failure } from '#components/ui/failure.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';

/** The button that stops a long action. Nothing is lost by it, so it asks nothing. */
export function StopAction({ guildId, actionId, what }: { guildId: string; actionId: string; what: string }) {
  const t = useTranslations('running');
  const { call, busy, failure } = useCall();
  const stop = async () => {
    const answer = await call('POST', `/api/guilds/${guildId}/actions`, {
      operation: 'actions.stop',
      input: { actionId },
    });
    if (answer !== null) toast({ text: t('stopped') });
  };
  return (
    <div>
      <Button disabled={busy} aria-label={t('stopThis', { what })} onClick={() => void stop()}>
        <CircleStop aria-hidden size={16} />
        {t('stop')}
      </Button>
      <Failure failure={failure} />
    </div>
  );
}
