import { expect, test } from 'vitest';
import { FairTurns, type Lane } from '#src/fair-turns.ts';

/** Actions that begin when their turn has come and end when they are told to. */
class Actions {
  readonly begun: string[] = [];
  readonly #turns: FairTurns;
  readonly #ends = new Map<string, () => void>();

  constructor(bounds: ConstructorParameters<typeof FairTurns>[0]) {
    this.#turns = new FairTurns(bounds);
  }

  /** False if it was not taken. Its name is that of its guild and a number. */
  add(
    name: string,
    { lane = 'quick', target = null }: { lane?: Lane; target?: string | null } = {},
  ): boolean {
    const [guildId = ''] = name.split(' ');
    const finished = this.#turns.run({ guildId, lane, target }, async () => {
      this.begun.push(name);
      await new Promise<void>((resolve) => this.#ends.set(name, resolve));
      if (name.endsWith('fails')) throw new Error(name);
    });
    finished?.catch(() => {});
    return finished !== null;
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.();
    this.#ends.delete(name);
    await new Promise((resolve) => setImmediate(resolve));
  }

  idle(): Promise<void> {
    return this.#turns.idle();
  }
}

const BOUNDS = { slots: 3, ofOwner: 2, waitingOfOwner: 5 };

test('a guild has at most two places, and the third slot stays for another', async () => {
  const actions = new Actions(BOUNDS);
  for (const name of ['a 1', 'a 2', 'a 3', 'a 4']) actions.add(name);
  expect(actions.begun).toEqual(['a 1', 'a 2']);
  actions.add('b 1');
  expect(actions.begun).toEqual(['a 1', 'a 2', 'b 1']);
  await actions.end('a 2');
  expect(actions.begun).toEqual(['a 1', 'a 2', 'b 1', 'a 3']);
});

test('guilds take turns, each with its oldest action first', async () => {
  const actions = new Actions({ ...BOUNDS, slots: 1 });
  for (const name of ['a 1', 'a 2', 'a 3', 'b 1', 'b 2', 'c 1']) actions.add(name);
  for (let turn = 0; turn < 6; turn += 1) await actions.end(actions.begun.at(-1) ?? '');
  expect(actions.begun).toEqual(['a 1', 'a 2', 'b 1', 'c 1', 'a 3', 'b 2']);
});

test('a slow action takes no place of a quick one', async () => {
  const actions = new Actions({ ...BOUNDS, slots: 1 });
  actions.add('a 1', { lane: 'slow' });
  actions.add('b 1', { lane: 'slow' });
  actions.add('a 2');
  expect(actions.begun).toEqual(['a 1', 'a 2']);
  await actions.end('a 1');
  expect(actions.begun).toEqual(['a 1', 'a 2', 'b 1']);
});

test('nothing is done twice at once to one target, and what is about others need not wait for it', async () => {
  const actions = new Actions(BOUNDS);
  actions.add('a 1', { target: 'a/u' });
  actions.add('a 2', { target: 'a/u' });
  actions.add('a 3', { target: 'a/v' });
  expect(actions.begun).toEqual(['a 1', 'a 3']);
  await actions.end('a 3');
  expect(actions.begun).toEqual(['a 1', 'a 3']);
  await actions.end('a 1');
  expect(actions.begun).toEqual(['a 1', 'a 3', 'a 2']);
});

test('so many of a guild wait, and the next is not taken', () => {
  const actions = new Actions(BOUNDS);
  const taken = Array.from({ length: 9 }, (_, n) => actions.add(`a ${n}`));
  expect(taken).toEqual([true, true, true, true, true, true, true, false, false]);
  expect(actions.add('b 1')).toBe(true);
});

test('an action that fails gives its place back', async () => {
  const actions = new Actions({ ...BOUNDS, slots: 1 });
  actions.add('a fails', { target: 'a/u' });
  actions.add('a 2', { target: 'a/u' });
  await actions.end('a fails');
  expect(actions.begun).toEqual(['a fails', 'a 2']);
});

test('it is idle when what ran and what waited has ended', async () => {
  const actions = new Actions({ ...BOUNDS, slots: 1 });
  actions.add('a 1');
  actions.add('a 2');
  let isIdle = false;
  const idle = actions.idle().then(() => {
    isIdle = true;
  });
  await actions.end('a 1');
  expect(isIdle).toBe(false);
  await actions.end('a 2');
  await idle;
});
