import type { CommandContext } from './context.ts';

/** Forgets the stored token. @returns the exit code */
export async function logout({ env, store, terminal }: CommandContext): Promise<number> {
  const stored = await store.read();
  const wasThere = await store.remove();
  terminal.say(wasThere ? `${store.path} is removed.` : 'There was no stored token.');
  if (stored.kind === 'login') {
    const { url, token_id, guild_id } = stored.login;
    terminal.say(
      `The token itself (${token_id}) still works: revoke it on ${url}/guilds/${guild_id}/tokens.`,
    );
  }
  if (env.BAILIFF_TOKEN) terminal.say('BAILIFF_TOKEN is set, and is still used.');
  return 0;
}
