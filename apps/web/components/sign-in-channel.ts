/** The broadcast channel on which the tabs of a browser learn that their person has signed in. */
const CHANNEL = 'bailiff.signed-in';

export function announceSignIn(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(null);
  channel.close();
}

/** Calls `listener` when the person signs in in another tab. Returns a function that ends this. */
export function onSignIn(listener: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', listener);
  return () => channel.close();
}
