/** Most that is kept for one person. */
const MOST_OF_PERSON = 5;

/**
 * What is kept for people until they fill in a form or press a button, by a key. Of too much for one person their own
 * oldest is forgotten, so that nobody takes the places of others; of too much altogether, the oldest.
 */
export class KeptForPeople<Value extends { readonly userId: string }> {
  readonly #kept = new Map<string, Value>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  keep(key: string, value: Value): void {
    this.#kept.delete(key);
    this.#kept.set(key, value);
    const own = [...this.#kept].filter(([, { userId }]) => userId === value.userId).map(([each]) => each);
    const [oldestOwn = key] = own;
    const [oldest = key] = this.#kept.keys();
    if (own.length > MOST_OF_PERSON) this.#kept.delete(oldestOwn);
    else if (this.#kept.size > this.#most) this.#kept.delete(oldest);
  }

  get(key: string): Value | undefined {
    return this.#kept.get(key);
  }

  forget(key: string): void {
    this.#kept.delete(key);
  }
}
