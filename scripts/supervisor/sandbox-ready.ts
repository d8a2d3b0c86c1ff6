import type { SampleGuild } from './run-file.ts';

/** What the sandbox says when it is ready. */
export interface SandboxReady extends SampleGuild {
  url: string;
  /** The environment in which the bot takes it for Discord. */
  env: Record<string, string>;
}

export function sandboxReady(message: unknown): SandboxReady | undefined {
  const isReady =
    typeof message === 'object' && message !== null && 'type' in message && message.type === 'ready';
  return isReady ? (message as unknown as SandboxReady) : undefined;
}
