import { confirmSession } from '@bailiff/engine/desk/sign-ins';
import { type RESTGetAPIOAuth2CurrentAuthorizationResult, Routes } from 'discord.js';
import { DiscordFailure } from './discord-api.ts';
import type { PerformerDeps } from './performers/index.ts';

const UNAUTHORIZED = 401;

interface SignInDeps extends Pick<PerformerDeps, 'db' | 'api' | 'keyring' | 'log'> {
  /** The bot's application. A sign-in at another one says nothing about who is at our dashboard. */
  readonly applicationId: string;
}

/**
 * Asks Discord whose a new dashboard session is, with the access token of that sign-in. The web process says it too,
 * but it is reachable from the internet, so nothing is done on its word alone.
 *
 * @param session as the engine's `Session.key`
 * @throws DiscordFailure if Discord does not answer; the queue tries again
 */
export async function askWhoseSession(
  { db, api, keyring, log, applicationId }: SignInDeps,
  session: string,
  signal: AbortSignal,
): Promise<void> {
  let fault = 'was not the person whom the web process named';
  const outcome = await confirmSession(db, keyring, session, async (accessToken) => {
    try {
      const { application, user } = await api.get<RESTGetAPIOAuth2CurrentAuthorizationResult>(
        Routes.oauth2CurrentAuthorization(),
        { signal, accessToken },
      );
      if (application.id === applicationId) return user?.id ?? null;
      fault = `came from a sign-in at another application (${application.id}) than that of the bot`;
      return null;
    } catch (error) {
      if (error instanceof DiscordFailure && error.status === UNAUTHORIZED) return null;
      throw error;
    }
  });
  if (outcome === 'refused') {
    log.error(`a dashboard session ${fault}, and was ended`);
  }
}
