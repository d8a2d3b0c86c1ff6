/** From this long on people notice that pages wait for the database. */
const SLOW_MS = 1_000;
/** How often the database is asked at most. */
const EVERY_MS = 5_000;

export interface DatabasePace {
  /** Whether the last question was answered slowly or not at all, or waits for its answer for long. */
  isSlow(): boolean;
}

/** Times a small question to the database. It is asked when somebody wants to know, and answers those who ask next. */
export function createDatabasePace(
  ask: () => Promise<unknown>,
  now: () => number = () => performance.now(),
): DatabasePace {
  let beganAt: number | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;
  let wasSlow = false;
  const question = async () => {
    const began = now();
    beganAt = began;
    askedAt = began;
    try {
      await ask();
      wasSlow = now() - began >= SLOW_MS;
    } catch {
      wasSlow = true;
    } finally {
      beganAt = null;
    }
  };
  return {
    isSlow: () => {
      if (beganAt !== null && now() - beganAt >= SLOW_MS) return true;
      if (beganAt === null && now() - askedAt >= EVERY_MS) void question();
      return wasSlow;
    },
  };
}
