import { expect, test } from 'vitest';
import { FairLane } from '#src/database/fair-lane.ts';

const of = (owner: string, name: string) => ({ owner, name });

function laneOf(...items: readonly { owner: string; name: string }[]) {
  const lane = new FairLane<{ owner: string; name: string }>({ slots: 3, ofOwner: 2, waitingOfOwner: 3 });
  for (const item of items) expect(lane.add(item)).toBe(true);
  return lane;
}

test('owners take turns, and each one’s items keep their order', () => {
  const lane = laneOf(of('a', 'a1'), of('a', 'a2'), of('b', 'b1'), of('a', 'a3'));
  expect([lane.next(), lane.next(), lane.next()].map((item) => item?.name)).toEqual(['a1', 'b1', 'a2']);
});

test('no more run than there are slots, until one ends', () => {
  const lane = laneOf(of('a', 'a1'), of('b', 'b1'), of('c', 'c1'), of('d', 'd1'));
  for (let n = 0; n < 3; n++) expect(lane.next()).not.toBeNull();
  expect(lane.next()).toBeNull();
  lane.end('b');
  expect(lane.next()?.name).toBe('d1');
  expect(lane.next()).toBeNull();
});

test('no more of an owner run than may, although slots are free', () => {
  const lane = laneOf(of('a', 'a1'), of('a', 'a2'), of('a', 'a3'));
  lane.next();
  lane.next();
  expect(lane.next()).toBeNull();
  expect(lane.add(of('b', 'b1'))).toBe(true);
  expect(lane.next()?.name).toBe('b1');
  lane.end('a');
  expect(lane.next()?.name).toBe('a3');
});

test('no more of an owner wait than may, and others may still', () => {
  const lane = laneOf(of('a', 'a1'), of('a', 'a2'), of('a', 'a3'));
  expect(lane.add(of('a', 'a4'))).toBe(false);
  expect(lane.add(of('b', 'b1'))).toBe(true);
  lane.next();
  expect(lane.add(of('a', 'a5'))).toBe(true);
});

test('an item that may not begin yet lets the next of its owner begin, or that of another', () => {
  const lane = laneOf(of('a', 'a1'), of('a', 'a2'), of('b', 'b1'));
  expect(lane.next(({ name }) => name === 'a2')?.name).toBe('a2');
  expect(lane.next(({ owner }) => owner !== 'a')?.name).toBe('b1');
  expect(lane.next(() => false)).toBeNull();
  expect(lane.next()?.name).toBe('a1');
  expect(lane.next()).toBeNull();
});

test('an owner who pauses leaves the slot to others, and begins again once they resume', () => {
  const lane = new FairLane<{ owner: string; name: string }>({ slots: 1, ofOwner: 1, waitingOfOwner: 3 });
  for (const item of [of('a', 'a1'), of('a', 'a2'), of('b', 'b1')]) lane.add(item);
  expect(lane.next()?.name).toBe('a1');
  expect(lane.next()).toBeNull();
  lane.pause();
  expect(lane.next()?.name).toBe('b1');
  lane.end('b');
  expect(lane.next()).toBeNull();
  lane.resume('a');
  expect(lane.next()?.name).toBe('a2');
});

test('an owner with several slots gets back the one that ended, and an owner without items has no turn', () => {
  const lane = laneOf(of('a', 'a1'), of('a', 'a2'), of('a', 'a3'));
  lane.next();
  lane.next();
  lane.end('a');
  expect(lane.add(of('a', 'a4'))).toBe(true);
  expect(lane.next()?.name).toBe('a3');
  // Two of its items run again.
  expect(lane.next()).toBeNull();
  lane.end('a');
  lane.end('a');
  expect([lane.next()?.name, lane.next()]).toEqual(['a4', null]);
});

test('a slot that pauses is free at once, for as many as there are slots', () => {
  const lane = new FairLane<{ owner: string; name: string }>({ slots: 2, ofOwner: 1, waitingOfOwner: 1 });
  for (const owner of ['a', 'b', 'c', 'd']) lane.add(of(owner, owner));
  expect([lane.next()?.name, lane.next()?.name, lane.next()]).toEqual(['a', 'b', null]);
  lane.pause();
  expect([lane.next()?.name, lane.next()]).toEqual(['c', null]);
});
