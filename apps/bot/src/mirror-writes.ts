import { distrustGuild, guildLeft } from '@bailiff/engine/guilds/mirror';
import type { Connections } from './connections.ts';
import type { GuildComparer } from './guild-comparer.ts';
import { retryMirrorWrite } from './mirror-retry.ts';
import type { GuildState, MirrorSettings } from './mirrored-guild.ts';
import { RankedTurns } from './ranked-turns.ts';

/** Limits the connections to the database, so that a start with thousands of guilds leaves some to waiting people. */
const WRITTEN_AT_ONCE = 3;

/** Writes what events say, those of one guild in their order. */
export class MirrorWrites {
  readonly #settings: MirrorSettings;
  readonly #connections: Connections;
  readonly #comparer: GuildComparer;
  /** Ends all retries. */
  readonly #signal: AbortSignal;
  readonly #turns = new RankedTurns({ atOnce: WRITTEN_AT_ONCE });

  constructor(
    settings: MirrorSettings,
    connections: Connections,
    comparer: GuildComparer,
    signal: AbortSignal,
  ) {
    this.#settings = settings;
    this.#connections = connections;
    this.#comparer = comparer;
    this.#signal = signal;
  }

  /** Writes after everything that is queued. */
  add(guild: GuildState, work: () => Promise<void>): void {
    guild.queue = guild.queue
      .then(() => this.#connections.of(guild.shardId).distrusted)
      .then(() => this.#turns.run(() => guild.rank, work))
      .catch((error: unknown) => this.#readAnew(guild, error));
  }

  /** An event could not be used. It may have taken somebody's rights away. */
  misread(guild: GuildState, error: Error): void {
    guild.queue = guild.queue.then(() => this.#readAnew(guild, error));
  }

  retry(work: () => Promise<void>): Promise<void> {
    return retryMirrorWrite(work, { signal: this.#signal, log: this.#settings.log });
  }

  /** A guild of which an event was not written is not trusted until it was compared again. */
  async #readAnew(guild: GuildState, error: unknown): Promise<void> {
    const { log, db } = this.#settings;
    log.error({ err: error, guild_id: guild.id }, 'mirror could not follow an event');
    const { untrusted } = this.#connections.of(guild.shardId);
    untrusted.add(guild.id);
    await this.retry(async () => {
      if (guild.hasRemovedBot) await guildLeft(db, guild.id);
      else await distrustGuild(db, guild.id, guild.problem);
      untrusted.delete(guild.id);
    });
    guild.needsDescription = true;
    guild.needsChannels = true;
    void this.#comparer.compare(guild);
  }
}
