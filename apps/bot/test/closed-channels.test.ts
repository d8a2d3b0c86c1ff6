import { RESTJSONErrorCodes as Code } from 'discord.js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ClosedChannels } from '#src/closed-channels.ts';
import { DiscordFailure } from '#src/discord-api.ts';

const CHANNEL = '1';
const LONGEST_PAUSE_MS = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const missing = () =>
  Promise.reject(new DiscordFailure('refused', 'Missing Access', { status: 403, code: Code.MissingAccess }));
const posted = () => Promise.resolve('posted');

/** How often Discord was asked, and what became of each post. */
function watched() {
  const closed = new ClosedChannels();
  let asked = 0;
  const ask = (
    about: string,
    work: () => Promise<string>,
    ifClosed: 'ask' | 'go elsewhere' | 'wait' = 'wait',
    channelId = CHANNEL,
  ) =>
    closed
      .ask(channelId, about, ifClosed, () => {
        asked += 1;
        return work();
      })
      .catch((error: DiscordFailure) => error.kind);
  return { ask, asked: () => asked };
}

const TIMES = 12;
/** A channel that Discord has just refused so often that the next posts wait for a minute. */
async function closedChannel() {
  const channel = watched();
  for (let time = 0; time < TIMES; time += 1) await channel.ask('early', missing, 'ask');
  return channel;
}

test('a channel that is refused once or twice is asked about with the next post', async () => {
  const { ask } = watched();
  for (const about of ['a', 'b']) expect(await ask(about, missing)).toBe('refused');
  expect(await ask('c', posted)).toBe('posted');
  for (const about of ['d', 'e']) expect(await ask(about, missing)).toBe('refused');
  expect(await ask('f', posted)).toBe('posted');
});

test('after that a post waits or goes elsewhere, and Discord is not asked', async () => {
  const { ask, asked } = await closedChannel();
  expect(await ask('d', posted)).toBe('not_sent');
  expect(await ask('e', posted, 'go elsewhere')).toBe('refused');
  expect(asked()).toBe(TIMES);
  expect(await ask('d', posted, 'wait', 'another channel')).toBe('posted');
});

test('those that wait go through once the channel is open', async () => {
  const { ask } = await closedChannel();
  expect(await ask('d', posted)).toBe('not_sent');
  expect(await ask('greeting', posted, 'ask')).toBe('posted');
  expect(await ask('d', posted)).toBe('posted');
});

test('those that wait are refused with the next refusal, and later ones wait for another', async () => {
  const { ask, asked } = await closedChannel();
  expect(await ask('d', missing)).toBe('not_sent');
  expect(await ask('greeting', missing, 'ask')).toBe('refused');
  expect(await ask('d', missing)).toBe('refused');
  expect(await ask('e', missing)).toBe('not_sent');
  expect(asked()).toBe(TIMES + 1);
});

test('a failure that says nothing of permissions closes no channel', async () => {
  const { ask } = watched();
  const down = () => Promise.reject(new DiscordFailure('refused', 'Bad Gateway', { status: 502, code: 0 }));
  for (const about of ['a', 'b', 'c', 'd']) await ask(about, down);
  expect(await ask('e', posted)).toBe('posted');
});

test('once the pause is over one post asks, and the others wait for its answer', async () => {
  const { ask, asked } = await closedChannel();
  vi.advanceTimersByTime(LONGEST_PAUSE_MS);
  const answer = Promise.withResolvers<string>();
  const first = ask('first', () => answer.promise);
  expect(await ask('second', posted)).toBe('not_sent');
  expect(asked()).toBe(TIMES + 1);
  answer.resolve('posted');
  expect(await first).toBe('posted');
  expect(await ask('second', posted)).toBe('posted');
});

test('a post that has to stand in the line of the channel leaves the turn to ask to the next', async () => {
  const { ask } = await closedChannel();
  vi.advanceTimersByTime(LONGEST_PAUSE_MS);
  const inLine = () =>
    Promise.reject(new DiscordFailure('not_sent', 'Too fast', { status: 429, retryAfterMs: 1_000 }));
  expect(await ask('later', inLine)).toBe('not_sent');
  expect(await ask('first', posted)).toBe('posted');
});

test('a post that was refused with another asks for itself when it comes back after a minute', async () => {
  const { ask } = await closedChannel();
  expect(await ask('d', missing)).toBe('not_sent');
  expect(await ask('greeting', missing, 'ask')).toBe('refused');
  vi.advanceTimersByTime(LONGEST_PAUSE_MS);
  expect(await ask('d', posted)).toBe('posted');
});
