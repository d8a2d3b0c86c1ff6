/** On which the tabs of a browser tell each other that somebody has signed in. */
const CHANNEL = 'bailiff.signed-in';

export function tellSignIn(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(null);
  channel.close();
}

/** Returns how to stop hearing. */
export function hearSignIn(hear: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', hear);
  return () => channel.close();
}
