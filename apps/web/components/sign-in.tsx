'use client';

import { LogIn, LogOut } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { CallFailure } from './call-api.ts';
import { Button } from './ui/button.tsx';
import { toast } from './ui/toast.tsx';
import { useApi } from './use-call.ts';

/** Begins next-auth's sign-in. Its form first needs a CSRF token for this browser. */
async function beginSignIn(callbackUrl: string): Promise<void> {
  const { csrfToken } = await (await fetch('/api/auth/csrf')).json();
  const response = await fetch('/api/auth/signin/discord', {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ csrfToken, callbackUrl, json: 'true' }),
  });
  const { url } = await response.json();
  location.assign(url);
}

export function SignInButton({ callbackUrl }: { callbackUrl: string }) {
  const t = useTranslations('signIn');
  const [state, setState] = useState<'idle' | 'going' | 'failed'>('idle');
  const go = () => {
    setState('going');
    beginSignIn(callbackUrl).catch(() => setState('failed'));
  };
  return (
    <>
      <Button variant="primary" className="w-full" disabled={state === 'going'} onClick={go}>
        <LogIn aria-hidden size={16} />
        {state === 'going' ? t('opening') : t('withDiscord')}
      </Button>
      {state === 'failed' ? (
        <p role="alert" className="text-danger mt-2">
          {t('noAnswer')}
        </p>
      ) : null}
    </>
  );
}

export function SignOutButton({ label }: { label: string }) {
  const t = useTranslations('session');
  const api = useApi();
  const [busy, setBusy] = useState(false);
  const signOut = async () => {
    setBusy(true);
    const answer = await api('DELETE', '/api/sessions/current');
    setBusy(false);
    if (answer instanceof CallFailure && !answer.signedOut) {
      toast({ text: t('stillSignedIn', { why: answer.message }), tone: 'bad' });
    } else location.assign('/sign-in');
  };
  return (
    <Button
      variant="quiet"
      size="icon"
      aria-label={label}
      title={label}
      disabled={busy}
      onClick={() => void signOut()}
    >
      <LogOut aria-hidden size={16} />
    </Button>
  );
}
