import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import { renewStage, type Stage, setStage } from './harness.ts';

/**
 * Gives each test of a file guilds of its own, with people and channels of their own. The tests share one bot, because
 * starting one costs more than most tests. After each test it checks that all requests to the sandbox followed Discord's
 * own description of its API. Further hooks of the file run with the stage there.
 *
 * A test that changes more than its guild, for example tables or what Discord says of the application, calls `spoil`, and
 * the next one gets a stage of its own. That also happens after a test that stopped the bot or failed.
 *
 * @param use gets the stage of the next test
 * @param begin sets a stage for the first test, and whenever the one before cannot be used again
 */
export function guildForEachTest(
  use: (stage: Stage) => void | Promise<void>,
  begin: () => Promise<Stage> = setStage,
): { spoil: () => void } {
  let stage: Stage | undefined;
  let isSpoilt = false;
  const spoil = () => {
    isSpoilt = true;
  };
  const close = async () => {
    const ended = stage;
    stage = undefined;
    isSpoilt = false;
    await ended?.close();
  };
  beforeEach(async () => {
    stage = stage === undefined ? await begin() : await renewStage(stage);
    const { bot } = stage;
    const stop = () => {
      spoil();
      return bot.stop();
    };
    await use({ ...stage, bot: { ...bot, stop } });
  });
  afterEach(async ({ task }) => {
    const violations = stage?.sandbox.violations ?? [];
    if (isSpoilt || violations.length > 0 || task.result?.state === 'fail') await close();
    expect(violations).toEqual([]);
  });
  afterAll(close);
  return { spoil };
}
