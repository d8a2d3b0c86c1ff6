import { expect, test } from 'vitest';
import { TimeShares } from '#src/database/time-shares.ts';

const shares = () => new TimeShares({ atOnceMs: 1_000, share: 1 / 20 });

test('an owner may take some time at once, and pauses for as long as their share of it takes to pass', () => {
  const taken = shares();
  expect(taken.spend('a', 600, 0)).toBe(0);
  expect(taken.spend('a', 400, 0)).toBe(0);
  expect(taken.spend('a', 10, 0)).toBe(200);
  expect(taken.spend('a', 10, 200)).toBe(200);
});

test('time that passes gives back what was taken, and no more', () => {
  const taken = shares();
  taken.spend('a', 1_000, 0);
  expect(taken.spend('a', 100, 2_000)).toBe(0);
  expect(taken.spend('a', 1_000, 1_000_000)).toBe(0);
  expect(taken.spend('a', 1, 1_000_000)).toBe(20);
});

test('what an owner took is not counted for another', () => {
  const taken = shares();
  expect(taken.spend('a', 3_000, 0)).toBe(40_000);
  expect(taken.spend('b', 1_000, 0)).toBe(0);
});

test('who has taken too much is remembered, however many others come', () => {
  const taken = shares();
  taken.spend('a', 2_000, 0);
  for (let other = 0; other < 3_000; other += 1) taken.spend(`other ${other}`, 1, other);
  expect(taken.spend('a', 0, 3_000)).toBe(17_000);
});

test('owners who may take all of it at once again are forgotten beyond a thousand', () => {
  const taken = shares();
  let most = 0;
  for (let owner = 0; owner < 5_000; owner += 1) {
    taken.spend(`owner ${owner}`, 1, owner);
    most = Math.max(most, taken.owners);
  }
  expect(most).toBe(1_000);
  for (let owner = 0; owner < 2_000; owner += 1) taken.spend(`busy ${owner}`, 1, 6_000);
  expect(taken.owners).toBe(2_000);
});
