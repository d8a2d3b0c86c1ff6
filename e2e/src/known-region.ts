import type { Locator } from '@playwright/test';

interface Marked {
  readonly classList: { add(name: string): void };
}

/**
 * Marks a live region, so that `.known` finds this very element afterwards. A screen reader reads what comes into a region
 * that it knows, and not what comes together with its region.
 */
export async function markKnown(region: Locator): Promise<void> {
  await region.evaluate(({ classList }: Marked) => classList.add('known'));
}
