'use client';

import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import type { CallFailure } from '#components/call-api.ts';
import { onSignIn } from '#components/sign-in-channel.ts';

/** The error message of a failed call with the next step; nothing if the call did not fail. */
export function Failure({ failure }: { failure: CallFailure | null }) {
  if (failure === null) return null;
  return failure.signedOut ? (
    <SignedOut failure={failure} />
  ) : (
    <p role="alert" className="text-danger">
      {failure.message}
    </p>
  );
}

/**
 * A link that signs in again in another tab, so that the typed values stay here. The person then sends the form again.
 */
function SignedOut({ failure }: { failure: CallFailure }) {
  const t = useTranslations('session');
  const [back, setBack] = useState(false);
  useEffect(() => onSignIn(() => setBack(true)), []);
  return (
    <p role="alert" className={back ? 'text-good' : 'text-danger'}>
      {back ? t('signedInAgain') : `${failure.message} `}
      {back ? null : <SignInAgain />}
    </p>
  );
}

/** A link that signs in in another tab. The tabs of this browser are told (sign-in-channel.ts). */
export function SignInAgain() {
  const t = useTranslations('session');
  return (
    <a href="/sign-in?again=1&callbackUrl=/signed-in" target="_blank" className="underline" rel="noreferrer">
      {t('signInAgain')}
    </a>
  );
}
