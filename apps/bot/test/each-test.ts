import { afterEach, beforeEach, expect } from 'vitest';
import { type Stage, setStage } from './harness.ts';

/**
 * Sets a stage for each test of a file. After the test it checks that all requests to the sandbox followed Discord's own
 * description of its API. Further hooks of the file run with the stage there.
 */
export function stageForEachTest(use: (stage: Stage) => void): void {
  let stage: Stage;
  beforeEach(async () => {
    stage = await setStage();
    use(stage);
  });
  afterEach(async () => {
    const { violations } = stage.sandbox;
    await stage.close();
    expect(violations).toEqual([]);
  });
}
