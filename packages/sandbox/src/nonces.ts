import type { Message } from './model.ts';

const MEMORY_MS = 5 * 60_000;

/**
 * The nonces of the bot's messages. Discord says "the past few minutes", and looks at the author only: a nonce is the
 * same one in every channel.
 */
export class Nonces {
  readonly #sent = new Map<unknown, { readonly message: Message; readonly atMs: number }>();

  add(message: Message): void {
    const nowMs = Date.now();
    for (const [nonce, { atMs }] of this.#sent) if (nowMs - atMs > MEMORY_MS) this.#sent.delete(nonce);
    if (message.nonce !== undefined) this.#sent.set(message.nonce, { message, atMs: nowMs });
  }

  /** The message that was sent with this nonce, also if it was deleted since. */
  find(nonce: unknown): Message | undefined {
    const sent = this.#sent.get(nonce);
    return sent !== undefined && Date.now() - sent.atMs < MEMORY_MS ? sent.message : undefined;
  }
}
