'use client';

import { useCallback, useEffect, useRef, useState, useTransition } from 'react';
import { useTranslations } from 'use-intl/react';
import { CallFailure, callApi } from './call-api.ts';
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
    ): Promise<Answer | CallFailure> => {
      const errorTexts = {
        unreachable: t('unreachable'),
        signedOut: session('ended'),
        signInAgain: session('tooOld'),
        answered: (status: number) => t('serverAnswered', { status }),
      };
      try {
        return await callApi<Answer>(errorTexts, method, path, body, signal);
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
 */
export function useCall() {
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

  async function call<Answer>(method: string, path: string, body?: object): Promise<Answer | null> {
    setCalling(true);
    setFailure(null);
    const answer = await api<Answer>(method, path, body);
    setCalling(false);
    if (answer instanceof CallFailure) {
      if (isShown.current) setFailure(answer);
      else toast({ text: answer.message, tone: 'bad' });
      return null;
    }
    startRefresh(refresh);
    return answer;
  }
  return {
    call,
    busy: calling || refreshing,
    failure,
    forget: () => setFailure(null),
    /** Whether the form is still there. A late answer must not close another dialog. */
    isShown: () => isShown.current,
  };
}
