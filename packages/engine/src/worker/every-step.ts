/**
 * Runs every step, one after the other, also after one that failed.
 *
 * @throws AggregateError of what failed, once all have run
 */
export async function everyStep(steps: Iterable<() => Promise<unknown>>): Promise<void> {
  const errors: unknown[] = [];
  let count = 0;
  for (const step of steps) {
    count += 1;
    await step().catch((error: unknown) => errors.push(error));
  }
  if (errors.length === 0) return;
  const reasons = errors.map((error) => (error instanceof Error ? error.message : String(error)));
  throw new AggregateError(errors, `${errors.length} of ${count} steps failed: ${reasons.join('; ')}`);
}
