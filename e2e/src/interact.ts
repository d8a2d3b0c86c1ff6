import { send } from '@bailiff/sandbox/visitor';
import type { RunFile } from '@bailiff/supervisor/run-file';

interface Answered {
  readonly id: string;
  readonly message: { readonly content: string } | null;
}

/**
 * Does something in Discord, and waits for the bot's answer. For what a slow machine was too late for, so that nothing was
 * done, it is done again, as people do.
 *
 * @throws Error if it is not answered
 */
export async function interact({ sandbox }: Pick<RunFile, 'sandbox'>, json: object): Promise<Answered> {
  for (;;) {
    const { body, text } = await send(`${sandbox}/sandbox/interactions`, {
      method: 'POST',
      json: { ...json, wait_ms: 60_000 },
    });
    const { state, message } = Object(body) as { state?: string; message?: { content: string } | null };
    if (state === 'expired' || /Nothing was done; try again/.test(message?.content ?? '')) continue;
    if (state !== 'answered') throw new Error(`${JSON.stringify(json)} was not carried out: ${text}`);
    return body as Answered;
  }
}
