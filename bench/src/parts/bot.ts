// The bot: its memory, its gateway session and its answers in chat.
import { type Figure, type Part, part } from '#src/figure.ts';

const HEAP_LIMITS =
  'What the mirror keeps in memory of a guild: its ids, not its members, channels or messages.';
const HEAP_HOW =
  'The heap after a collection, divided by the guilds, of the bot and of discord.js with its defaults. Both receive the ' +
  'same guilds of 200 members, 30 roles and 40 channels.';

const HEAP_CURVE = 'Heap of the bot per guild';

/** @param sizes in ascending order; discord.js is measured at the last */
function heapOf(title: string, sizes: readonly number[], atMost?: number): Omit<Part, 'deadlineSeconds'> {
  const largest = sizes.at(-1) ?? 0;
  const guilds = (size: number) => `${size.toLocaleString('en-US')} guilds`;
  return {
    title,
    how: HEAP_HOW,
    figures: {
      ...Object.fromEntries(
        sizes.map((size): [string, Figure] => [
          `bot${size}`,
          {
            title: `${HEAP_CURVE} at ${guilds(size)}`,
            unit: 'KB',
            limits: HEAP_LIMITS,
            point: { curve: HEAP_CURVE, by: 'guilds', size },
          },
        ]),
      ),
      default: {
        title: `Heap of discord.js with its defaults per guild at ${guilds(largest)}`,
        unit: 'KB',
        limits: 'Its caches of members, channels and roles.',
      },
      ratio: {
        title: `Heap of the bot per guild ÷ discord.js at ${guilds(largest)}`,
        unit: '×',
        ...(atMost === undefined ? {} : { atMost }),
        limits: 'The bot itself: 60 MB of code and libraries, of which each guild here has a share.',
      },
    },
    measure: async () => {
      const { measureHeap } = await import('#src/gateway.ts');
      // At once: how long it takes does not count, and most of the time a bot waits for its turn to ask Discord.
      const bots = await Promise.all(sizes.map((size) => measureHeap('bailiff', size)));
      const byDefault = await measureHeap('default', largest);
      const costs = Object.fromEntries(sizes.map((size, place) => [`bot${size}`, bots[place] ?? Number.NaN]));
      return { ...costs, default: byDefault, ratio: (bots.at(-1) ?? Number.NaN) / byDefault };
    },
  };
}

export const heap = part<string>({
  ...heapOf('Memory of the bot', [100, 200, 500]),
  besides: 'any',
  deadlineSeconds: 200,
});

export const heapFull = part<string>({
  ...heapOf('Memory of the bot, 2,000 guilds', [500, 1_000, 2_000], 0.15),
  isLong: true,
  deadlineSeconds: 500,
});

const GATEWAY_HOW =
  "A bot and a sandbox with Discord's limits. 50 strikes a second arrive for ten seconds, in which the session is " +
  'resumed twice. Then a new session begins. Last, guilds of three sizes are read for the first time.';

interface GatewaySizes {
  readonly guilds: readonly number[];
  readonly members: readonly number[];
}

function gatewayFigures({ guilds, members }: GatewaySizes, allWithin: number | undefined) {
  const largest = Math.max(...guilds);
  const trusted = 'New session: all guilds are trusted';
  const read = 'A new guild is trusted';
  return {
    refused: {
      title: 'Calls refused, of 500 while a session is resumed twice',
      unit: '',
      atMost: 0,
      limits: 'A lost connection is trusted for a minute, in which Discord resumes it.',
    },
    call: { title: 'Such a call (p50)', unit: 'ms', limits: 'The transaction of a strike.' },
    tokens: {
      title: `New session of ${largest.toLocaleString('en-US')} guilds: those with tokens in use are trusted`,
      unit: 's',
      atMost: 5,
      limits: 'They come first; two requests to Discord each.',
    },
    ...Object.fromEntries(
      guilds.map((size): [string, Figure] => [
        `guilds${size}`,
        {
          title: `${trusted}, ${size.toLocaleString('en-US')} of them`,
          unit: 's',
          ...(size === largest && allWithin !== undefined ? { atMost: allWithin } : {}),
          limits: "Discord's 50 requests a second, of which two are needed for a guild.",
          point: { curve: trusted, by: 'guilds', size },
        },
      ]),
    ),
    ...Object.fromEntries(
      members.map((size): [string, Figure] => [
        `members${size}`,
        {
          title: `${read}, ${size.toLocaleString('en-US')} members`,
          unit: 's',
          limits: "Discord's pages of 1,000 members, one after the other.",
          point: { curve: read, by: 'members', size },
        },
      ]),
    ),
    heap: {
      title: `Heap above idle while ${Math.max(...members).toLocaleString('en-US')} members are read`,
      unit: 'MB',
      atMost: 60,
      limits: 'One page at a time.',
    },
  } as const;
}

async function gatewayOf({ guilds, members }: GatewaySizes): Promise<Record<string, number>> {
  const { measureLargeGuild, measureSessions } = await import('#src/trust.ts');
  const costs: Record<string, number> = {};
  // The smaller ones mostly wait for Discord, so they are measured at once. What is kept of calls and heap is of the
  // largest, which comes last and alone.
  await smallerAtOnce(guilds, async (size, isLargest) => {
    const session = await measureSessions(size, isLargest);
    const { refused, callMs, allSeconds, tokensSeconds } = session;
    Object.assign(costs, { refused, call: callMs, tokens: tokensSeconds, [`guilds${size}`]: allSeconds });
  });
  await smallerAtOnce(members, async (size) => {
    const { seconds, heapMb } = await measureLargeGuild(size);
    Object.assign(costs, { [`members${size}`]: seconds, heap: heapMb });
  });
  return costs;
}

/** @param sizes in ascending order */
async function smallerAtOnce(
  sizes: readonly number[],
  measureOne: (size: number, isLargest: boolean) => Promise<void>,
): Promise<void> {
  await Promise.all(sizes.slice(0, -1).map((size) => measureOne(size, false)));
  for (const size of sizes.slice(-1)) await measureOne(size, true);
}

const GATEWAY: GatewaySizes = { guilds: [25, 50, 100], members: [1_000, 5_000, 25_000] };
const GATEWAY_FULL: GatewaySizes = { guilds: [250, 1_000, 2_000], members: [3_000, 30_000, 300_000] };

export const gateway = part<string>({
  title: 'Sessions of the gateway, 100 guilds',
  how: GATEWAY_HOW,
  besides: 'any',
  deadlineSeconds: 240,
  figures: gatewayFigures(GATEWAY, undefined),
  measure: () => gatewayOf(GATEWAY),
});

export const gatewayFull = part<string>({
  title: 'Sessions of the gateway, 2,000 guilds',
  how: GATEWAY_HOW,
  isLong: true,
  deadlineSeconds: 1_200,
  figures: gatewayFigures(GATEWAY_FULL, 90),
  measure: () => gatewayOf(GATEWAY_FULL),
});

export const interactions = part({
  title: 'Commands in chat',
  how: 'Fifty moderators use 20 commands each in one guild, half of them writes, each one after the other.',
  deadlineSeconds: 180,
  figures: {
    acknowledged: { title: 'Acknowledged (p50)', unit: 'ms', limits: 'One request to Discord.' },
    acknowledgedSlow: {
      title: 'Acknowledged (p99)',
      unit: 'ms',
      atMost: 1_000,
      limits: 'The event loop of the bot: fifty commands arrive at once.',
    },
    answered: { title: 'Answered (p50)', unit: 'ms', limits: 'A guild has two actions running at a time.' },
    answeredSlow: { title: 'Answered (p99)', unit: 'ms', limits: 'The same.' },
    missed: {
      title: 'Without a sign in 3 s, or without an answer, of 1,000',
      unit: '',
      atMost: 0,
      limits: 'Acknowledging comes before all other work.',
    },
  },
  measure: async () => {
    const { acknowledged, answered, missed } = await (
      await import('#src/interactions.ts')
    ).measureInteractions();
    return {
      acknowledged: acknowledged.p50,
      acknowledgedSlow: acknowledged.p99,
      answered: answered.p50,
      answeredSlow: answered.p99,
      missed,
    };
  },
});
