'use client';

import { useRouter } from 'next/navigation';
import { useState, useTransition } from 'react';
import { CallFailure, callApi } from './call-api.ts';

/** One change at a time: whether it runs, why it failed, and the page looked at again afterwards. */
export function useCall() {
  const router = useRouter();
  const [calling, setCalling] = useState(false);
  const [refreshing, startRefresh] = useTransition();
  const [failure, setFailure] = useState<CallFailure | null>(null);

  async function call<Answer>(method: string, path: string, body?: object): Promise<Answer | null> {
    setCalling(true);
    setFailure(null);
    try {
      const answer = await callApi<Answer>(method, path, body);
      startRefresh(() => router.refresh());
      return answer;
    } catch (error) {
      setFailure(
        error instanceof CallFailure
          ? error
          : new CallFailure('Something went wrong in this page. Reload it.'),
      );
      return null;
    } finally {
      setCalling(false);
    }
  }
  return { call, busy: calling || refreshing, failure, forget: () => setFailure(null) };
}
