'use client';

import { Send } from 'lucide-react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { Failure } from '#components/ui/failure.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';

/** A button that has the bot post a test in a channel. It says where the test is, or what to do about it. */
export function TestChannel({
  guildId,
  label,
  channel,
}: {
  guildId: string;
  /** Which choice it tries, for those who do not see what it stands below. */
  label: string;
  channel: { id: string; text: string };
}) {
  const t = useTranslations('settings.guild');
  const { call, busy, failure } = useCall();
  const send = async () => {
    const path = `/api/guilds/${guildId}/settings/test-channel`;
    if ((await call('POST', path, { channel_id: channel.id })) === null) return;
    toast({ text: t('testGood', { channel: channel.text }) });
  };
  return (
    <div className="grid justify-items-start gap-2">
      <Button size="small" disabled={busy} aria-label={`${t('test')}: ${label}`} onClick={() => void send()}>
        <Send aria-hidden size={14} />
        {t('test')}
      </Button>
      <Failure failure={failure} />
    </div>
  );
}
