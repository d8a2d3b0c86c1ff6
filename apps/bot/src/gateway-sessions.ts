import type { SessionInfo, WebSocketManager } from '@discordjs/ws';
import { GatewayReconnects } from './gateway-reconnects.ts';

/** The sessions at Discord of this process's shards: they may come from another process, and go to another one. */
export class GatewaySessions {
  readonly #resumed: readonly SessionInfo[];
  #connections: GatewayReconnects | undefined;

  /** @param resumed sessions of another process, which are resumed instead of begun anew */
  constructor(resumed: readonly SessionInfo[] = []) {
    this.#resumed = resumed;
  }

  connections(manager: WebSocketManager): GatewayReconnects {
    this.#connections = new GatewayReconnects(manager, this.#resumed);
    return this.#connections;
  }

  /** Closes all connections so that another process can resume. All events of these sessions have been handed on. */
  async release(): Promise<SessionInfo[]> {
    return (await this.#connections?.release()) ?? [];
  }
}
