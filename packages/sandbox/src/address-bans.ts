const WINDOW_MS = 10 * 60_000;

/** Bans an address that gets too many answers of 401, 403 and 429 within ten minutes, as Discord's edge does. */
export class AddressBans {
  /** Times of the invalid answers to each address, oldest first. */
  readonly #invalid = new Map<string, number[]>();

  /** Seconds until the address is served again; null if it is not banned. */
  bannedFor(address: string, allowed: number): number | null {
    const times = this.#recent(address);
    const oldest = times[times.length - allowed];
    return oldest === undefined ? null : Math.max(1, oldest + WINDOW_MS - Date.now()) / 1000;
  }

  count(address: string): void {
    const times = this.#recent(address);
    times.push(Date.now());
    this.#invalid.set(address, times);
  }

  clear(): void {
    this.#invalid.clear();
  }

  #recent(address: string): number[] {
    const times = this.#invalid.get(address) ?? [];
    const first = times.findIndex((at) => at > Date.now() - WINDOW_MS);
    times.splice(0, first === -1 ? times.length : first);
    return times;
  }
}
