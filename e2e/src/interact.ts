import { send } from '@bailiff/sandbox/visitor';
import type { RunFile } from '@bailiff/supervisor/run-file';

const MOST_TRIES = 5;

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
  for (let tries = 1; ; tries += 1) {
    const { body, text } = await send(`${sandbox}/sandbox/interactions`, {
      method: 'POST',
      json: { ...json, wait_ms: 60_000 },
    });
    const { state, message } = Object(body) as { state?: string; message?: { content: string } | null };
    const wasTooLate = state === 'expired' || /Nothing was done; try again/.test(message?.content ?? '');
    if (wasTooLate && tries < MOST_TRIES) continue;
    if (state !== 'answered') throw new Error(`${JSON.stringify(json)} was not carried out: ${text}`);
    return body as Answered;
  }
}
