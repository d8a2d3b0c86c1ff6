/** A message that is shown for a few seconds. */
export interface ToastMessage {
  readonly text: string;
  readonly tone: 'good' | 'bad';
}

const queue: ToastMessage[] = [];
const listeners = new Set<() => void>();

export function queueToast(message: ToastMessage): void {
  queue.push(message);
  for (const listener of listeners) listener();
}

/** The messages that are not shown yet. They leave the queue: the caller must show them. */
export function takeQueuedToasts(): ToastMessage[] {
  return queue.splice(0);
}

/** Calls `listener` after each new message. Returns a function that ends this. */
export function onToastQueued(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
