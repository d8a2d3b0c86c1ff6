// What Discord's limits and other guilds leave of the bot's speed.
import { part } from '#src/figure.ts';

export const fair = part({
  title: 'One loud guild',
  how:
    "Bans in 50 guilds, five a second, within Discord's limits: alone, and beside a guild with 25 game servers that never " +
    'answer, ten purges at once and 50 commands a second.',
  deadlineSeconds: 300,
  figures: {
    without: { title: 'Bans in the other guilds, alone (p95)', unit: 'ms', limits: 'Discord and the queue.' },
    with: { title: 'Bans in the other guilds, beside it (p95)', unit: 'ms', limits: 'The processors.' },
    ratio: {
      title: 'Beside the loud guild ÷ alone (p95)',
      unit: '×',
      atMost: 1.5,
      limits:
        'A guild has two actions running and a share of the requests. The processors and the database are shared.',
    },
    refused: { title: 'Bans that were refused', unit: '', atMost: 0, limits: 'The turns of the guilds.' },
  },
  measure: async () => (await import('#src/fair.ts')).measureFairness(),
});

const INVALID_HOW =
  "Bans, mutes, strikes, kicks and purges in 50 guilds, twelve a second, within Discord's limits. Discord bans an " +
  'address after 10,000 answers of 401, 403 or 429 in ten minutes.';

const INVALID = {
  per10000: {
    title: 'Answers 401, 403 and 429 in 10,000 requests',
    unit: '',
    atMost: 50,
    limits:
      'First messages to people who accept none, and limits that no header tells of before the first refusal.',
  },
  requests: { title: 'Requests to Discord', unit: '', limits: 'How long the traffic lasts.' },
} as const;

export const invalid = part({
  title: 'Invalid answers, 40 seconds of traffic',
  how: INVALID_HOW,
  besides: 'quiet',
  deadlineSeconds: 150,
  figures: INVALID,
  measure: async () => (await import('#src/invalid.ts')).measureInvalidAnswers(40),
});

export const invalidFull = part({
  title: 'Invalid answers, ten minutes of traffic',
  how: INVALID_HOW,
  isLong: true,
  deadlineSeconds: 900,
  figures: INVALID,
  measure: async () => (await import('#src/invalid.ts')).measureInvalidAnswers(600),
});

const LONG_HOW = "A purge of 1,000 messages, then the closing of a ticket, within Discord's limits.";

const longFigures = (messages: string) =>
  ({
    purge: {
      title: 'A purge of 1,000 messages',
      unit: 's',
      atMost: 40,
      limits: 'One bulk deletion a second, and five pages of messages in five seconds.',
    },
    requests: {
      title: 'Requests to Discord for it',
      unit: '',
      atMost: 21,
      limits: 'A page of 100 messages and one bulk deletion for each hundred, and a look at the channel.',
    },
    left: {
      title: 'Messages that it left',
      unit: '',
      atMost: 0,
      limits: 'Progress is saved after each stretch.',
    },
    transcript: {
      title: `A transcript of ${messages} messages`,
      unit: 's',
      limits: 'Five pages of 100 messages in five seconds.',
    },
    missing: { title: 'Messages that it lacks', unit: '', atMost: 0, limits: 'The same.' },
  }) as const;

export const purge = part({
  title: 'Long actions',
  how: LONG_HOW,
  besides: 'quiet',
  deadlineSeconds: 200,
  figures: longFigures('1,000'),
  measure: async () => (await import('#src/purge.ts')).measureLongActions(1_000),
});

export const purgeFull = part({
  title: 'Long actions, a transcript of 10,000',
  how: LONG_HOW,
  isLong: true,
  deadlineSeconds: 400,
  figures: longFigures('10,000'),
  measure: async () => (await import('#src/purge.ts')).measureLongActions(10_000),
});
