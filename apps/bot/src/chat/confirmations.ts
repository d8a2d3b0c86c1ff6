import { randomBytes } from 'node:crypto';
import { KeptForPeople } from './kept-for-people.ts';

/** How long the button of a question works. */
export const CONFIRM_WITHIN_MS = 120_000;
const MOST_OPEN = 1_000;

interface Question<Asked> {
  readonly userId: string;
  readonly askedAtMs: number;
  readonly asked: Asked;
}

/**
 * Questions that wait for a press of their button, each for one press, or for a menu, which may be used again. Only
 * this process stores them: after a restart they are gone and nothing is done, as for any question without an answer.
 *
 * Times come from Discord's interactions, so the clock of this machine does not matter.
 */
export class Confirmations<Asked> {
  readonly #open = new KeptForPeople<Question<Asked>>(MOST_OPEN);

  /** @returns the id that the button carries */
  ask(userId: string, askedAtMs: number, asked: Asked): string {
    const id = randomBytes(16).toString('hex');
    this.#open.keep(id, { userId, askedAtMs, asked });
    return id;
  }

  /** Removes and returns the question. Null if it is gone or too old, or for another person, who does not see it. */
  press(id: string, userId: string, atMs: number): Asked | null {
    const question = this.#open.get(id);
    if (question?.userId !== userId) return null;
    this.#open.forget(id);
    return atMs - question.askedAtMs > CONFIRM_WITHIN_MS ? null : question.asked;
  }

  /** The question, which stays for as long as its menu may be used again. Null for another person, or if it is gone. */
  read(id: string, userId: string): Asked | null {
    const question = this.#open.get(id);
    return question?.userId === userId ? question.asked : null;
  }
}
