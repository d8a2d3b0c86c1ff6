/** Word from the database that something of a guild changed; the payload of NOTIFY on the channel `bailiff`. */
export interface Notice {
  readonly kind: 'action' | 'approval' | 'audit' | 'window' | 'token' | 'server';
  readonly guild_id: string;
}

/** `missed`: look for yourself. `closing`: no more will come. */
type Hear = (kind: Notice['kind'] | 'missed' | 'closing') => void;

/** Who in this process wants to hear of which guild: the browsers' event streams. */
export interface Notices {
  /** Returns how to stop hearing. */
  subscribe(guildId: string, hear: Hear): () => void;
  tell(notice: Notice): void;
  /** The connection was away: everybody looks for themselves. */
  tellAllMissed(): void;
  close(): void;
}

export function createNotices(): Notices {
  const listeners = new Map<string, Set<Hear>>();
  const tellAll = (kind: 'missed' | 'closing') => {
    for (const hear of [...listeners.values()].flatMap((ofGuild) => [...ofGuild])) hear(kind);
  };
  return {
    subscribe(guildId, hear) {
      const ofGuild = listeners.get(guildId) ?? new Set();
      listeners.set(guildId, ofGuild.add(hear));
      return () => {
        ofGuild.delete(hear);
        if (ofGuild.size === 0) listeners.delete(guildId);
      };
    },
    tell({ kind, guild_id }) {
      for (const hear of listeners.get(guild_id) ?? []) hear(kind);
    },
    tellAllMissed: () => tellAll('missed'),
    close: () => tellAll('closing'),
  };
}
