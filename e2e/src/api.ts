import { BailiffClient, BailiffError } from '@bailiff/client';
import type { RunFile } from '@bailiff/supervisor/run-file';

/** A client of an instance's public API that sends each call once, so that a test sees what is answered. */
export function apiOf({ web, guild_id: guildId }: RunFile, token: string): BailiffClient {
  return new BailiffClient({ url: web, token, guildId, maxAttempts: 1 });
}

/** The error that a call ends in. @throws Error when it succeeds */
export async function refusalOf(call: Promise<unknown>): Promise<BailiffError> {
  const error = await call.catch((reason: unknown) => reason);
  if (error instanceof BailiffError) return error;
  throw new Error('The call was not refused.', { cause: error });
}
