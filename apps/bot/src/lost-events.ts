import type { Logger } from './log.ts';

const TOGETHER_MS = 10_000;

/** Says how many events of a guild were lost, and why the first was: one line for those of some seconds. */
export function tellOfLost(log: Logger, what: string): (guildId: string, err: unknown) => void {
  const lost = new Map<string, number>();
  return (guildId, err) => {
    const before = lost.get(guildId) ?? 0;
    lost.set(guildId, before + 1);
    if (before > 0) return;
    setTimeout(() => {
      log.warn({ err, guild_id: guildId, events: lost.get(guildId) }, what);
      lost.delete(guildId);
    }, TOGETHER_MS).unref();
  };
}
