import { verifies } from '@bailiff/core/testing';
import { expect, it } from 'vitest';
import { createDatabasePace } from '#src/database-pace.ts';

/** A pace with a clock of its own, and questions that are answered by hand. */
function pace() {
  const questions: PromiseWithResolvers<void>[] = [];
  let now = 0;
  const { isSlow } = createDatabasePace(
    () => {
      const question = Promise.withResolvers<void>();
      questions.push(question);
      return question.promise;
    },
    () => now,
  );
  return {
    isSlow,
    asked: () => questions.length,
    pass: (ms: number) => {
      now += ms;
    },
    settle: async (how: 'answer' | 'fail') => {
      if (how === 'answer') questions.at(-1)?.resolve();
      else questions.at(-1)?.reject(new Error('The database is away.'));
      await new Promise(setImmediate);
    },
  };
}

it('a database is slow while it answers nothing for a second, and until it answers sooner', async () => {
  verifies('dashboard.database-slow');
  const { isSlow, pass, settle } = pace();
  expect(isSlow()).toBe(false);
  pass(1_000);
  expect(isSlow()).toBe(true);
  await settle('answer');
  expect(isSlow()).toBe(true);
  pass(5_000);
  isSlow();
  await settle('answer');
  expect(isSlow()).toBe(false);
});

it('a database that fails is slow', async () => {
  const { isSlow, settle } = pace();
  isSlow();
  await settle('fail');
  expect(isSlow()).toBe(true);
});

it('it is asked once in five seconds, and never while it owes an answer', async () => {
  const { isSlow, asked, pass, settle } = pace();
  for (let i = 0; i < 10; i += 1) isSlow();
  pass(60_000);
  isSlow();
  expect(asked()).toBe(1);
  await settle('answer');
  isSlow();
  isSlow();
  expect(asked()).toBe(2);
});
