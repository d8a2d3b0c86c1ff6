import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { clientTo } from './primary.ts';

export interface ListenOptions {
  applicationName?: string;
  /** Called with the reason when the connection was lost or could not be made again, and when `onNotification` throws. */
  onError?: (error: Error) => void;
  /**
   * Called when the connection is back. Notifications in between are lost, so listeners must read the current state.
   */
  onReconnect?: () => void;
  /**
   * Called when the connection stands and nothing is answered on it any more, as after the server's machine was lost.
   * Other connections of the process may be in the same state.
   */
  onSilence?: () => void;
}

export interface Listener {
  close(): Promise<void>;
}

interface Connection {
  readonly client: pg.Client;
  /** Aborts when it breaks, with the reason. */
  readonly lost: AbortSignal;
}

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 1_000;
const HEARTBEAT_MS = 15_000;

/**
 * Listens on PostgreSQL channels over a connection of its own, which is made again when it breaks: after 1 s, then 2,
 * 4, 8 and at most 10.
 *
 * @returns once listening
 * @throws Error when the first connection cannot be made
 */
export async function listen(
  url: string,
  channels: readonly string[],
  onNotification: (channel: string, payload: string) => void,
  options: ListenOptions = {},
): Promise<Listener> {
  const {
    applicationName = 'bailiff listen',
    onError = () => {},
    onReconnect = () => {},
    onSilence = () => {},
  } = options;
  const closed = new AbortController();
  const { signal } = closed;

  const connect = async (): Promise<Connection> => {
    const client = clientTo(url, {
      application_name: applicationName,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    const lost = new AbortController();
    client.once('end', () => lost.abort(new Error('The connection for notifications ended.')));
    client.on('error', (error) => lost.abort(error));
    client.on('notification', ({ channel, payload }) => {
      try {
        onNotification(channel, payload ?? '');
      } catch (cause) {
        // Every login of the database may notify, the web process's too, and must not end a bot with it.
        onError(new Error(`A notification on ${channel} cannot be read.`, { cause }));
      }
    });
    try {
      await client.connect();
      for (const channel of channels) await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
      return { client, lost: lost.signal };
    } catch (error) {
      void client.end().catch(() => {});
      throw error;
    }
  };

  const keepConnected = async (first: Connection): Promise<void> => {
    let connection = first;
    for (;;) {
      const error = await firstFailure(connection, signal);
      const ended = connection.client.end().catch(() => {});
      if (signal.aborted) {
        await Promise.race([ended, delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
        return;
      }
      if (!connection.lost.aborted) onSilence();
      onError(error);
      const next = await reconnect();
      if (next === undefined) return;
      connection = next;
      onReconnect();
    }
  };

  const reconnect = async (): Promise<Connection | undefined> => {
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS)) {
      try {
        await delay(delayMs, undefined, { signal });
        return await connect();
      } catch (error) {
        if (signal.aborted) return undefined;
        onError(asError(error));
      }
    }
  };

  const running = keepConnected(await connect());
  return {
    close: async () => {
      closed.abort();
      await running;
    },
  };
}

/** Why the connection is no longer good: it broke, it stopped answering, or we are closing. */
async function firstFailure({ client, lost }: Connection, signal: AbortSignal): Promise<Error> {
  const ended = AbortSignal.any([signal, lost]);
  for (;;) {
    try {
      await delay(HEARTBEAT_MS, undefined, { signal: ended });
      await client.query('SELECT 1');
    } catch (error) {
      return asError(lost.aborted ? lost.reason : error);
    }
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
