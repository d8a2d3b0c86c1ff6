const DISCORD_EPOCH_MS = 1_420_070_400_000;
const INCREMENT_BITS = 22n;

/** The id Discord would have given at `timeMs` (Unix milliseconds). `increment` tells ids of one millisecond apart. */
export function snowflakeAt(timeMs: number, increment = 0): string {
  const elapsed = BigInt(Math.trunc(timeMs) - DISCORD_EPOCH_MS);
  return ((elapsed << INCREMENT_BITS) | BigInt(increment)).toString();
}

/** Unix milliseconds at which an id was made. */
export function snowflakeTime(id: string): number {
  return Number(BigInt(id) >> INCREMENT_BITS) + DISCORD_EPOCH_MS;
}

/** A time as Discord writes it: to the microsecond, and with `+00:00` instead of `Z`. */
export function wireTime(timeMs = Date.now()): string {
  return new Date(timeMs).toISOString().replace('Z', '000+00:00');
}

/** Discord takes no id that does not fit into 63 bits. */
export function isSnowflake(value: string): boolean {
  return /^\d{17,20}$/.test(value) && fitsIn63Bits(value);
}

/** Whether Discord takes a number for an id: one below 2^63, also of a moment at which there were no ids. */
export function fitsIn63Bits(value: string): boolean {
  return /^\d{1,20}$/.test(value) && BigInt(value) < 2n ** 63n;
}

/** Orders ids by age, oldest first, without turning them into numbers. */
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Hands out ids that only grow, as Discord's do within one process. */
export class SnowflakeSource {
  #last = 0n;
  #past = 0;

  next(): string {
    const now = BigInt(snowflakeAt(Date.now()));
    this.#last = now > this.#last ? now : this.#last + 1n;
    return this.#last.toString();
  }

  /** An id of an earlier moment, for messages that are older than the sandbox. */
  at(timeMs: number): string {
    this.#past = (this.#past + 1) % 4_194_304;
    return snowflakeAt(timeMs, this.#past);
  }
}
