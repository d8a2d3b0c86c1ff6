/** Settings that differ from those of Discord's gateway for a small bot. */
export interface GatewayOptions {
  /** The number of shards that Discord recommends; 1 by default. */
  readonly shards?: number;
  /** How many shards may identify at the same time; 1 by default. */
  readonly maxConcurrency?: number;
  readonly heartbeatIntervalMs?: number;
  /** Asks every client to reconnect so often, as Discord does every few hours; by default never. */
  readonly reconnectEveryMs?: number;
}

/** How new connections are refused: with a 503, or as by a network that is down. */
export type Refusal = 'answer' | 'reset';
