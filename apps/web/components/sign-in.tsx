'use client';

import { LogIn, LogOut } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from './ui/button.tsx';

/** The buttons for next-auth's sign-in and sign-out. Their forms first need a CSRF token for this browser. */
async function postToAuth(path: string, callbackUrl: string): Promise<void> {
  const { csrfToken } = await (await fetch('/api/auth/csrf')).json();
  const response = await fetch(path, {
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
    postToAuth('/api/auth/signin/discord', callbackUrl).catch(() => setState('failed'));
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
  return (
    <Button
      variant="quiet"
      size="icon"
      aria-label={label}
      title={label}
      onClick={() => void postToAuth('/api/auth/signout', '/sign-in')}
    >
      <LogOut aria-hidden size={16} />
    </Button>
  );
}
