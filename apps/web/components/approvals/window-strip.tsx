'use client';

import { LockKeyholeOpen } from 'lucide-react';
import { useCallback } from 'react';
import { useTranslations } from 'use-intl/react';
import { CallFailure } from '#components/call-api.ts';
import { Button } from '#components/ui/button.tsx';
import { Countdown } from '#components/ui/countdown.tsx';
import { Failure } from '#components/ui/failure.tsx';
import { Link } from '#components/ui/link.tsx';
import { useApi, useCall } from '#components/use-call.ts';
import { useRefresh } from '#components/use-refresh.ts';

/** One open window: which token may act, where and how long, and the button that closes it. */
export function WindowStrip(props: {
  tokenId: string;
  tokenName: string;
  guildId: string;
  guildName: string;
  leftMs: number;
}) {
  const t = useTranslations('approvals');
  const { call, busy, failure } = useCall();
  const api = useApi();
  const refresh = useRefresh();
  const { guildId } = props;
  // A page that cannot be loaded now stays, with what is typed in it.
  const end = useCallback(async () => {
    const answer = await api('GET', `/api/guilds/${guildId}/state`);
    if (!(answer instanceof CallFailure)) refresh();
  }, [api, guildId, refresh]);
  return (
    <div className="flex items-center gap-x-3">
      <LockKeyholeOpen aria-hidden size={16} className="text-warn shrink-0" />
      <p className="min-w-0 wrap-anywhere">
        {t.rich('mayAct', {
          guild: props.guildName,
          name: props.tokenName,
          token: (text) => (
            <Link href={`/guilds/${props.guildId}/approvals?token=${props.tokenId}`} className="font-medium">
              {text}
            </Link>
          ),
          time: () => <Countdown leftMs={props.leftMs} onEnd={end} />,
        })}
      </p>
      <Button
        size="small"
        disabled={busy}
        aria-label={t('closeOf', { name: props.tokenName })}
        onClick={() => void call('DELETE', `/api/api-tokens/${props.tokenId}/reauth-window`)}
      >
        {t('close')}
      </Button>
      <Failure failure={failure} />
    </div>
  );
}
