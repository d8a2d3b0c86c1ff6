import { build } from '../../scripts/prepare.mjs';

/** Builds the product before workers start instances of it side by side, each of which would build it too. */
export default async function buildOnce(): Promise<void> {
  await build();
}
