import { isSecret } from '@bailiff/core';
import { addressOf, loginCommand, readAddress } from '#src/account.ts';
import {
  type Codes,
  DeviceFlowError,
  type Granted,
  pollForToken,
  startDeviceFlow,
} from '#src/device-flow.ts';
import { revokeToken } from '#src/revoke.ts';
import { cleanText } from '#src/untrusted.ts';
import type { CommandContext } from './context.ts';

export interface LoginOptions {
  /** Address of the instance; null for the stored or default one. */
  readonly url: string | null;
  readonly openBrowser: boolean;
  /** Continue even if there seems to be no terminal. */
  readonly headless: boolean;
}

/** Gets a token through the device flow and stores it. @returns the exit code */
export async function login(
  { env, store, terminal }: CommandContext,
  options: LoginOptions,
): Promise<number> {
  const address = options.url === null ? addressOf(env, await store.read()) : readAddress(options.url, env);
  if (!address.ok) {
    terminal.say(address.problem);
    return 2;
  }
  const { url } = address;
  if (!terminal.isInteractive && !options.headless) {
    terminal.say(`Nobody is at a terminal here to read a code. Run this in one: ${loginCommand(url)}`);
    terminal.say(
      'Where there is none, such as in a container: add --headless, and read the code from this output.',
    );
    return 2;
  }
  const problem = await store.tryOut().then(
    () => null,
    (error: unknown) => notWritten(store, error),
  );
  if (problem !== null) {
    terminal.say(`${problem}. No token was asked for.`);
    return 1;
  }
  try {
    const codes = await startDeviceFlow(url);
    await show(codes, options.openBrowser, terminal);
    const granted = await pollForToken(url, codes);
    await keep(url, granted, store);
    terminal.say(`Logged in, for the guild ${granted.guild_id}. The token is in ${store.path}.`);
    if (env.BAILIFF_TOKEN) terminal.say('BAILIFF_TOKEN is set and overrides it: unset it to use this login.');
    return 0;
  } catch (error) {
    if (!(error instanceof DeviceFlowError)) throw error;
    const { waitSeconds } = error;
    const when = waitSeconds === 0 ? '' : ` in ${waitSeconds} s`;
    terminal.say(`${cleanText(error.message)} Try again${when}: ${loginCommand(url)}`);
    return 1;
  }
}

async function show(codes: Codes, openBrowser: boolean, terminal: CommandContext['terminal']): Promise<void> {
  const [code, page] = [cleanText(codes.user_code), cleanText(codes.verification_uri)];
  terminal.say(`Enter the code ${code} on ${page}, signed in as the owner of the guild.`);
  if (openBrowser && (await terminal.open(codes.verification_uri_complete))) {
    terminal.say('The page opens in your browser. Compare the code it shows with this one.');
  }
  terminal.say(
    `Waiting; the code is good for ${Math.round(codes.expires_in / 60)} minutes. Ctrl-C ends this.`,
  );
}

async function keep(url: string, granted: Granted, store: CommandContext['store']): Promise<void> {
  const { access_token: secret, token_id, guild_id } = granted;
  if (!isSecret(secret)) throw new DeviceFlowError(`${url} gave something that is no token of Bailiff.`);
  try {
    await store.write({ url, secret, token_id, guild_id });
  } catch (error) {
    // Nobody has seen the secret, so nobody could revoke the token by it later.
    const problem = await revokeToken({ url, secret });
    const fate =
      problem === null
        ? 'The token was revoked.'
        : `${problem} The token (${token_id}) may still work: revoke it on ${url}/guilds/${guild_id}/tokens.`;
    throw new DeviceFlowError(`${notWritten(store, error)}. ${fate}`);
  }
}

function notWritten({ path }: CommandContext['store'], error: unknown): string {
  return `${path} cannot be written (${(error as NodeJS.ErrnoException).code})`;
}
