import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import {
  type SessionInfo,
  SimpleShardingStrategy,
  type WebSocketManager,
  WebSocketShardEvents,
} from '@discordjs/ws';

/** What is known about the attempts of one shard to connect. */
interface Attempts {
  /** Attempts that failed since the last session or resume. */
  failed: number;
  /** Whether the next connection follows one that was closed. */
  isRetry: boolean;
  /** Whether Discord has spoken on the present connection. */
  wasGreeted: boolean;
  /** Whether the last connection never came about. */
  wasUnreachable: boolean;
  lostAtMs: number;
}

/** The part of the library without types: what a shard does with a frame, and with an error of its connection. */
interface Inside {
  readonly shards: ReadonlyMap<
    number,
    {
      failedToConnectDueToNetworkError: boolean;
      onError(error: Error): void;
      onMessage(...frame: unknown[]): Promise<void>;
    }
  >;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Share of a pause that is left to chance, so that many shards do not come back in the same moment. */
const JITTER = 0.25;
/**
 * How long a session is kept while the gateway cannot be reached. Discord replays a session's events for some minutes;
 * after a minute nobody trusts the mirror any more.
 */
const SESSION_KEPT_MS = 60_000;
/** Any code but 1000 and 1001, which would end the session at Discord. */
const RESUMABLE_CLOSE = 4_200;

/**
 * Connects at once after a connection was lost, and then with longer and longer pauses. The library would try every
 * 500 ms, and would give the session up at the first refused connection, so that everything had to be compared again.
 */
export class GatewayReconnects extends SimpleShardingStrategy {
  readonly #manager: WebSocketManager;
  readonly #shards = new Map<number, Attempts>();
  readonly #sessionOf: WebSocketManager['options']['retrieveSessionInfo'];
  #closed = new AbortController();
  #isReleasing = false;

  /** @param resumed sessions of another process, which are resumed instead of begun anew */
  constructor(manager: WebSocketManager, resumed: readonly SessionInfo[] = []) {
    super(manager);
    this.#manager = manager;
    const { retrieveSessionInfo, updateSessionInfo } = manager.options;
    this.#sessionOf = retrieveSessionInfo;
    const waiting = new Map(resumed.map((session) => [session.shardId, session]));
    manager.options.retrieveSessionInfo = async (shardId) => {
      await this.#beforeConnecting(shardId);
      const session = waiting.get(shardId);
      if (waiting.delete(shardId)) await updateSessionInfo(shardId, session ?? null);
      return retrieveSessionInfo(shardId);
    };
    manager.options.updateSessionInfo = async (shardId, session) => {
      if (session !== null || !this.#keepsSession(shardId)) await updateSessionInfo(shardId, session);
    };
    manager.on(WebSocketShardEvents.Hello, ({ shardId }) => {
      this.#of(shardId).wasGreeted = true;
    });
    manager.on(WebSocketShardEvents.Closed, ({ shardId }) => this.#onClosed(this.#of(shardId)));
    const connected = ({ shardId }: { shardId: number }) => {
      this.#of(shardId).failed = 0;
    };
    manager.on(WebSocketShardEvents.Ready, connected);
    manager.on(WebSocketShardEvents.Resumed, connected);
  }

  /** The library also destroys the strategy before it spawns the first shards. */
  override async spawn(shardIds: number[]): Promise<void> {
    this.#closed = new AbortController();
    await super.spawn(shardIds);
    const { shards } = this as unknown as Inside;
    for (const [shardId, shard] of shards) {
      const receive = shard.onMessage.bind(shard);
      // Nobody awaits it: what it throws would end the process. The library connects again if it hears nothing of use.
      shard.onMessage = (...frame) =>
        receive(...frame).catch((cause: unknown) => {
          const error = new Error('A frame of the gateway could not be used', { cause });
          this.#manager.emit(WebSocketShardEvents.Error, { error, shardId });
        });
      // The library knows four errors of a network. Any other one of a first connection would end all shards.
      shard.onError = (error) => {
        shard.failedToConnectDueToNetworkError = !this.#of(shardId).wasGreeted;
        this.#manager.emit(WebSocketShardEvents.Error, { error, shardId });
      };
    }
  }

  override async destroy(...options: Parameters<SimpleShardingStrategy['destroy']>): Promise<void> {
    this.#closed.abort();
    await super.destroy(...options);
  }

  /** Closes all connections so that another process can resume. All events of these sessions have been handed on. */
  async release(): Promise<SessionInfo[]> {
    this.#isReleasing = true;
    const shardIds = [...(this as unknown as Inside).shards.keys()];
    await this.destroy({ code: RESUMABLE_CLOSE, reason: 'Another process goes on' });
    const sessions = await Promise.all(shardIds.map((shardId) => this.#sessionOf(shardId)));
    // The library counts an event just before it hands it on.
    await setImmediate();
    return sessions.filter((session) => session !== null);
  }

  #onClosed(shard: Attempts): void {
    if (shard.failed === 0) shard.lostAtMs = performance.now();
    shard.failed += 1;
    shard.isRetry = true;
    shard.wasUnreachable = !shard.wasGreeted;
    shard.wasGreeted = false;
  }

  /** The library asks for the session before it connects. Only then does it have to wait. */
  async #beforeConnecting(shardId: number): Promise<void> {
    const shard = this.#of(shardId);
    if (!shard.isRetry) return;
    shard.isRetry = false;
    if (shard.failed < 2) return;
    const longestMs = Math.min(FIRST_PAUSE_MS * 2 ** (shard.failed - 2), LONGEST_PAUSE_MS);
    const pauseMs = longestMs * (1 - JITTER * Math.random());
    // A client that was closed meanwhile must not connect any more.
    await delay(pauseMs, undefined, { signal: this.#closed.signal, ref: false }).catch(
      () => new Promise(() => {}),
    );
  }

  #keepsSession(shardId: number): boolean {
    if (this.#isReleasing) return true;
    const { wasUnreachable, isRetry, lostAtMs } = this.#of(shardId);
    return isRetry && wasUnreachable && performance.now() - lostAtMs < SESSION_KEPT_MS;
  }

  #of(shardId: number): Attempts {
    let shard = this.#shards.get(shardId);
    if (shard === undefined) {
      shard = { failed: 0, isRetry: false, wasGreeted: false, wasUnreachable: false, lostAtMs: 0 };
      this.#shards.set(shardId, shard);
    }
    return shard;
  }
}
