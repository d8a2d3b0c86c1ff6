'use client';

import type { InputOf } from '@bailiff/core';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';

/** The button that carries a case to one game server. */
export function SendToGame({
  guildId,
  server,
  player,
  input,
}: {
  guildId: string;
  server: string;
  player: string;
  input: InputOf<'servers.sanction'>;
}) {
  const t = useTranslations('games');
  const { call, busy, failure } = useCall();
  const send = async () => {
    const answer = await call('POST', `/api/guilds/${guildId}/actions`, {
      operation: 'servers.sanction',
      input,
    });
    if (answer !== null) toast({ text: t('sent', { server }) });
  };
  return (
    <>
      <Button disabled={busy} aria-label={t('sendTo', { server, player })} onClick={() => void send()}>
        {t('send')}
      </Button>
      <p aria-live="polite" className="text-danger text-xs wrap-anywhere">
        {failure?.message}
      </p>
    </>
  );
}
