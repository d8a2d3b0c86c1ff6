import { confirmSession } from '@bailiff/engine/desk/sign-ins';
import { type APIUser, Routes } from 'discord.js';
import { DiscordFailure } from './discord-api.ts';
import type { PerformerDeps } from './performers/index.ts';

const UNAUTHORIZED = 401;

/**
 * Asks Discord whose a new dashboard session is, with the access token of that sign-in. The web process says it too,
 * but it is reachable from the internet, so nothing is done on its word alone.
 *
 * @param session as the engine's `Session.key`
 * @throws DiscordFailure if Discord does not answer; the queue tries again
 */
export async function askWhoseSession(
  { db, api, keyring, log }: Pick<PerformerDeps, 'db' | 'api' | 'keyring' | 'log'>,
  session: string,
  signal: AbortSignal,
): Promise<void> {
  const outcome = await confirmSession(db, keyring, session, async (accessToken) => {
    try {
      return (await api.get<APIUser>(Routes.user(), { signal, accessToken })).id;
    } catch (error) {
      if (error instanceof DiscordFailure && error.status === UNAUTHORIZED) return null;
      throw error;
    }
  });
  if (outcome === 'refused') {
    log.error('a dashboard session was not the person whom the web process named, and was ended');
  }
}
