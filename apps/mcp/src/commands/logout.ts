import { revokeToken } from '#src/revoke.ts';
import type { Login } from '#src/store.ts';
import type { CommandContext } from './context.ts';

/**
 * Forgets the stored token, and revokes it if that is wanted. The login is forgotten also when the instance is away.
 *
 * @param revoke null to ask, where there is somebody to ask
 * @returns the exit code: 1 if the token was to be revoked and may still work
 */
export async function logout(
  { env, store, terminal }: CommandContext,
  revoke: boolean | null,
): Promise<number> {
  const stored = await store.read();
  let said: readonly string[] = [];
  let code = 0;
  if (stored.kind === 'login') {
    const question = 'Revoke the token as well? Then it works nowhere any more.';
    const wanted = revoke ?? (terminal.isInteractive ? await terminal.confirm(question) : false);
    if (wanted === null) {
      terminal.say('Nothing has changed.');
      return 1;
    }
    const problem = wanted ? await revokeToken(stored.login) : null;
    code = problem === null ? 0 : 1;
    said = fateOf(stored.login, wanted, problem);
  } else if (stored.kind === 'unreadable' && revoke === true) {
    code = 1;
    said = ['It could not be read, so its token is not revoked. Revoke it in the dashboard.'];
  }
  terminal.say((await store.remove()) ? `${store.path} is removed.` : 'There was no stored token.');
  for (const line of said) terminal.say(line);
  if (env.BAILIFF_TOKEN) terminal.say('BAILIFF_TOKEN is set, and is still used.');
  return code;
}

/** What became of the token. */
function fateOf({ url, token_id, guild_id }: Login, wanted: boolean, problem: string | null): string[] {
  const page = `${url}/guilds/${guild_id}/tokens`;
  if (!wanted) return [`The token itself (${token_id}) still works: revoke it on ${page}.`];
  if (problem === null) return [`The token (${token_id}) is revoked, and works nowhere any more.`];
  return [problem, `The token (${token_id}) may still work: revoke it on ${page}.`];
}
