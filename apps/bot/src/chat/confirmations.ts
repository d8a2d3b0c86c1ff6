import { randomBytes } from 'node:crypto';

/** How long the button of a question works. */
export const CONFIRM_WITHIN_MS = 120_000;
const MOST_OPEN = 1_000;

interface Question<Asked> {
  readonly userId: string;
  readonly askedAtMs: number;
  readonly asked: Asked;
}

/** What became of a press: what was asked, or why it counts for nothing. */
export type Pressed<Asked> = { readonly asked: Asked } | { readonly refused: 'not_yours' | 'lapsed' };

/**
 * Questions that wait for their button, each for one press. They are kept by this process alone: a restart forgets them,
 * and then nothing is done, which is what a question without an answer means. Of too many the oldest give way.
 *
 * Times are those of Discord's interactions, so that the clock of this machine does not matter.
 */
export class Confirmations<Asked> {
  readonly #open = new Map<string, Question<Asked>>();

  /** @returns the id under which the question is answered */
  ask(userId: string, askedAtMs: number, asked: Asked): string {
    const id = randomBytes(16).toString('hex');
    this.#open.set(id, { userId, askedAtMs, asked });
    const [oldest] = this.#open.keys();
    if (this.#open.size > MOST_OPEN && oldest !== undefined) this.#open.delete(oldest);
    return id;
  }

  /** Takes the question away, unless somebody else pressed its button. */
  press(id: string, userId: string, atMs: number): Pressed<Asked> {
    const question = this.#open.get(id);
    if (question === undefined) return { refused: 'lapsed' };
    if (question.userId !== userId) return { refused: 'not_yours' };
    this.#open.delete(id);
    return atMs - question.askedAtMs > CONFIRM_WITHIN_MS ? { refused: 'lapsed' } : { asked: question.asked };
  }
}
