'use client';

import { useCallback, useEffect, useRef, useState, useTransition } from 'react';
import { useTranslations } from 'use-intl/react';
import { CallFailure, callApi, meantBy } from './call-api.ts';
import { keepLoss } from './loss.ts';
import { toast } from './ui/toast.tsx';
import { useRefresh } from './use-refresh.ts';

/** A function that calls the dashboard's API. It never throws: it returns a CallFailure with a message to show. */
export function useApi() {
  const t = useTranslations('ui');
  const session = useTranslations('session');
  return useCallback(
    async <Answer>(
      method: string,
      path: string,
      body?: object,
      signal?: AbortSignal,
      key?: string,
    ): Promise<Answer | CallFailure> => {
      const errorTexts = {
        unreachable: t('unreachable'),
        noAnswer: t('noAnswer'),
        signedOut: session('ended'),
        signInAgain: session('tooOld'),
        answered: (status: number) => t('serverAnswered', { status }),
      };
      try {
        return await callApi<Answer>(errorTexts, method, path, body, signal, key);
      } catch (error) {
        return error instanceof CallFailure ? error : new CallFailure(t('pageFailed'));
      }
    },
    [t, session],
  );
}

/**
 * Sends one change at a time and refreshes the page afterwards. Returns its state: `busy`, and `failure` if it failed. Of
 * a failure that comes when the form is gone, as when its dialog was closed meanwhile, a message in the corner tells.
 *
 * @param shown what the page shows of that which the change is about. Once it is another, sending it again is a new act.
 */
export function useCall(shown?: unknown) {
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const api = useApi();
  const refresh = useRefresh();
  const [calling, setCalling] = useState(false);
  const [refreshing, startRefresh] = useTransition();
  const [failure, setFailure] = useState<CallFailure | null>(null);
  /** The last action, if it may have been done: sent again with its key, it is not done twice. */
  const unsure = useRef<{ readonly action: string | null; readonly key: string } | null>(null);
  /** What is shown now: another object each time it changes, also back to what it was. */
  const showing = useRef({ shown });
  useEffect(() => {
    if (showing.current.shown === shown) return;
    showing.current = { shown };
    if (unsure.current === null) return;
    unsure.current = null;
    setFailure(null);
  }, [shown]);

  async function call<Answer>(method: string, path: string, body?: object): Promise<Answer | null> {
    setCalling(true);
    setFailure(null);
    const action = method === 'POST' && path.endsWith('/actions') ? meantBy(path, body) : null;
    const sent = unsure.current?.action === action ? unsure.current : { action, key: newKey() };
    const before = showing.current;
    const answer = await api<Answer>(method, path, body, undefined, action === null ? undefined : sent.key);
    // Who must sign in first does not learn what became of the call before.
    const isUnsure = answer instanceof CallFailure && (answer.keepsKey || answer.signedOut);
    // The page may have come to show what became of it before the answer was lost.
    const hasChanged = showing.current !== before;
    unsure.current = isUnsure && !hasChanged ? sent : null;
    setCalling(false);
    if (answer instanceof CallFailure) {
      if (answer.keepsKey && hasChanged) return null;
      if (isShown.current) setFailure(answer);
      else toast({ text: answer.message, tone: 'bad' });
      return null;
    }
    keepLoss(null); // Bailiff has just answered this session
    startRefresh(refresh);
    return answer;
  }
  return {
    call,
    busy: calling || refreshing,
    /** Whether the page is being brought up to date after a change. */
    refreshing,
    failure,
    forget: () => setFailure(null),
    /** Whether the form is still there. A late answer must not close another dialog. */
    isShown: () => isShown.current,
  };
}

/** Not of `randomUUID`, which is only there over https. */
function newKey(): string {
  return crypto.getRandomValues(new BigUint64Array(2)).join('-');
}
