/** Callers are answered within this time (hazards G14). */
const ANSWERED_WITHIN_MS = 10_000;
/** Only ends what hangs. */
const GIVES_UP_AFTER_MS = 200_000;

/**
 * What an attempt shows. Null: on a busy machine it missed the moment that it is about, and it is made again, with other
 * people.
 */
export async function untilShown<Shown>(attempt: () => Promise<Shown | null>): Promise<Shown> {
  const giveUpAt = performance.now() + GIVES_UP_AFTER_MS;
  for (;;) {
    const shown = await attempt();
    if (shown !== null) return shown;
    if (performance.now() > giveUpAt) throw new Error('Every attempt missed its moment.');
  }
}

/** An answer that comes as soon as callers need it. Null if it comes later. */
export async function inTime<Answer>(answer: Promise<Answer>): Promise<Answer | null> {
  const startedAt = performance.now();
  const given = await answer;
  return performance.now() - startedAt < ANSWERED_WITHIN_MS ? given : null;
}
