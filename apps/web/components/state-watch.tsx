'use client';

import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import type { Trouble } from '#src/trouble.ts';
import { CallFailure } from './call-api.ts';
import { compareBuild, onOutdated } from './outdated.ts';
import { onSignIn } from './sign-in-channel.ts';
import { Button, LinkButton } from './ui/button.tsx';
import { SignInAgain } from './ui/failure.tsx';
import { Callout } from './ui/panel.tsx';
import { useApi } from './use-call.ts';
import { useRefresh } from './use-refresh.ts';

const LOOKS_EVERY_MS = 15_000;

/** Why an open page is no longer kept up to date. */
type Loss = 'signedOut' | 'noAccess' | 'unreachable' | 'updated';

/**
 * Refreshes the page when the guild's state is another than the shown one. No event tells that a bot is silent. Says so
 * when the page has been left open for longer than its person may see it, or when Bailiff does not answer.
 */
export function StateWatch({ guildId, shown }: { guildId: string; shown: Trouble }) {
  const t = useTranslations('ui.lost');
  const failure = useTranslations('failure');
  const api = useApi();
  const refresh = useRefresh();
  const [loss, setLoss] = useState<Loss | null>(null);
  const look = useEffectEvent(async () => {
    if (document.visibilityState === 'hidden') return;
    const answer = await api<{ trouble: Trouble; build: string }>('GET', `/api/guilds/${guildId}/state`);
    if (answer instanceof CallFailure) return setLoss(lossOf(answer));
    setLoss(compareBuild(answer.build) ? 'updated' : null);
    if (loss !== null || answer.trouble !== shown) refresh();
  });
  useEffect(() => {
    const lookNow = () => void look();
    const timer = setInterval(lookNow, LOOKS_EVERY_MS);
    document.addEventListener('visibilitychange', lookNow);
    const stopListening = onSignIn(lookNow);
    const stopComparing = onOutdated(() => setLoss('updated'));
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', lookNow);
      stopListening();
      stopComparing();
    };
  }, []);
  if (loss === null) return null;
  const actions = {
    signedOut: <SignInAgain />,
    noAccess: <LinkButton href="/">{t('yourGuilds')}</LinkButton>,
    unreachable: undefined,
    updated: <Button onClick={() => location.reload()}>{failure('reload')}</Button>,
  };
  return (
    <div className="mb-4" role="alert">
      <Callout tone="warn" title={t(loss)} action={actions[loss]}>
        {t(`${loss}Hint`)}
      </Callout>
    </div>
  );
}

function lossOf({ signedOut, notFound, unreachable }: CallFailure): Loss | null {
  if (signedOut) return 'signedOut';
  if (notFound) return 'noAccess';
  return unreachable ? 'unreachable' : null;
}
