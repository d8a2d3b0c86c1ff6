/** What NOTIFY says when an action has ended. */
export interface ActionNotice {
  readonly kind: 'action';
  readonly request_id: string;
}

export interface Waiter {
  /** Resolves when the action's end was announced, when the announcements may have been missed, or after `ms`. */
  within(ms: number): Promise<void>;
  release(): void;
}

/** Callers that wait for their action to end. They register before they submit, so no announcement is missed. */
export interface Waiters {
  /** @param requestId names the call whose end is waited for. */
  expect(requestId: string): Waiter;
  /** To be called with each notification of the database. */
  notify(notice: ActionNotice): void;
  /** To be called when the listening connection was away: everybody looks for themselves. */
  wakeAll(): void;
}

export function createWaiters(): Waiters {
  const wake = new Map<string, () => void>();
  return {
    expect(requestId) {
      let told = false;
      let resolveWait = () => {};
      wake.set(requestId, () => {
        told = true;
        resolveWait();
      });
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
        release: () => wake.delete(requestId),
      };
    },
    notify: ({ request_id }) => wake.get(request_id)?.(),
    wakeAll: () => {
      for (const resolve of wake.values()) resolve();
    },
  };
}
