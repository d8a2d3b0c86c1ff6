'use client';

import { LogIn, LogOut } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { CallFailure } from './call-api.ts';
import { Button } from './ui/button.tsx';
import { Failure } from './ui/failure.tsx';
import { toast } from './ui/toast.tsx';
import { useApi } from './use-call.ts';

/** Begins next-auth's sign-in. Its form first needs a CSRF token for this browser. */
export function SignInButton({ callbackUrl }: { callbackUrl: string }) {
  const t = useTranslations('signIn');
  const api = useApi();
  const [going, setGoing] = useState(false);
  const [failure, setFailure] = useState<CallFailure | null>(null);
  const begin = async () => {
    const csrf = await api<{ csrfToken: string }>('GET', '/api/auth/csrf');
    if (csrf instanceof CallFailure) return csrf;
    const form = new URLSearchParams({ csrfToken: csrf.csrfToken, callbackUrl, json: 'true' });
    return api<{ url: string }>('POST', '/api/auth/signin/discord', form);
  };
  const go = async () => {
    setGoing(true);
    setFailure(null);
    const begun = await begin();
    if (begun instanceof CallFailure) {
      setFailure(begun);
      setGoing(false);
    } else location.assign(begun.url);
  };
  return (
    <>
      <div className="mb-4 empty:hidden">
        <Failure failure={failure} />
      </div>
      <Button variant="primary" className="w-full" disabled={going} onClick={() => void go()}>
        <LogIn aria-hidden size={16} />
        {going ? t('opening') : t('withDiscord')}
      </Button>
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
