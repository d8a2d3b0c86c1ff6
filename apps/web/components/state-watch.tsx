'use client';

import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import type { Trouble } from '#src/trouble.ts';
import { currentLoss, keepLoss, onLoss } from './loss.ts';
import { onSignIn } from './sign-in-channel.ts';
import { Button, LinkButton } from './ui/button.tsx';
import { SignInAgain } from './ui/failure.tsx';
import { Callout } from './ui/panel.tsx';
import { useLook } from './use-look.ts';
import { useRefresh } from './use-refresh.ts';

export const LOOKS_EVERY_MS = 15_000;

/**
 * Refreshes the page when the guild's state is another than the shown one. No event tells that a bot is silent. Says so
 * when the page has been left open for longer than its person may see it, or when Bailiff does not answer.
 */
export function StateWatch({ guildId, shown }: { guildId: string; shown: Trouble }) {
  const t = useTranslations('ui.lost');
  const failure = useTranslations('failure');
  const look = useLook(guildId);
  const refresh = useRefresh();
  const loss = useSyncExternalStore(onLoss, currentLoss, () => null);
  const lookAndRefresh = useEffectEvent(async () => {
    if (document.visibilityState === 'hidden') return;
    const before = currentLoss();
    const state = await look();
    if (state !== null && (before !== null || state.trouble !== shown)) refresh();
  });
  useEffect(() => {
    const lookNow = () => void lookAndRefresh();
    const timer = setInterval(lookNow, LOOKS_EVERY_MS);
    document.addEventListener('visibilitychange', lookNow);
    const stopListening = onSignIn(lookNow);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', lookNow);
      stopListening();
      // The next page may be of another guild, or of none.
      keepLoss(null);
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
