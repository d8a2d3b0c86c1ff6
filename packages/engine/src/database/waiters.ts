/** The payload of NOTIFY when an action has ended, the target of a case was notified, or a session was confirmed. */
export interface ActionNotice {
  readonly kind: 'action' | 'case' | 'session';
  readonly request_id: string;
}

export interface Waiter {
  /** Resolves when the action's end was announced, when announcements may have been missed, or after `ms`. */
  within(ms: number): Promise<void>;
  release(): void;
}

/** Callers that wait for their action to end. They register before they submit, so that they miss no announcement. */
export interface Waiters {
  /** @param requestId of the call to wait for. Several waiters may use the same one. */
  expect(requestId: string): Waiter;
  /** Call this with each notification from the database. */
  notify(notice: ActionNotice): void;
  /** Call this after the listening connection was lost: every waiter then checks for itself. */
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
