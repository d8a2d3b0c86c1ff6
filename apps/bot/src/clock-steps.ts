/** Less than this a clock may differ after it was corrected little by little. */
const STEP_MS = 1_000;

/**
 * What tells whether the machine's clock has stepped back since it was last asked. Libraries that go by that clock would
 * wait until it has caught up (decisions: Clocks that step back).
 */
export function watchClock(): () => boolean {
  const aheadMs = () => Date.now() - performance.now();
  let before = aheadMs();
  return () => {
    const now = aheadMs();
    const hasSteppedBack = now < before - STEP_MS;
    before = now;
    return hasSteppedBack;
  };
}
