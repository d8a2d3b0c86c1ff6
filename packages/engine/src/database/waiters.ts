/** What NOTIFY says when an action has ended, or something else that is waited for: of a case, that its target was told. */
export interface ActionNotice {
  readonly kind: 'action' | 'case';
  readonly request_id: string;
}

export interface Waiter {
  /** Resolves when the action's end was announced, when the announcements may have been missed, or after `ms`. */
  within(ms: number): Promise<void>;
  release(): void;
}

/** Callers that wait for their action to end. They register before they submit, so no announcement is missed. */
export interface Waiters {
  /** @param requestId names the call whose end is waited for; several may wait for the same. */
  expect(requestId: string): Waiter;
  /** To be called with each notification of the database. */
  notify(notice: ActionNotice): void;
  /** To be called when the listening connection was away: everybody looks for themselves. */
  wakeAll(): void;
}

export function createWaiters(): Waiters {
  const waiting = new Map<string, Set<() => void>>();
  return {
    expect(requestId) {
      let told = false;
      let resolveWait = () => {};
      const wake = () => {
        told = true;
        resolveWait();
      };
      const others = waiting.get(requestId) ?? new Set();
      waiting.set(requestId, others.add(wake));
      return {
        async within(ms) {
          if (!told && ms > 0) {
            await new Promise<void>((resolve) => {
              const timer = setTimeout(resolve, ms);
              resolveWait = () => {
                clearTimeout(timer);
                resolve();
              };
            });
          }
          told = false;
        },
        release: () => {
          others.delete(wake);
          if (others.size === 0) waiting.delete(requestId);
        },
      };
    },
    notify: ({ request_id }) => {
      for (const wake of waiting.get(request_id) ?? []) wake();
    },
    wakeAll: () => {
      for (const wakes of waiting.values()) for (const wake of wakes) wake();
    },
  };
}
