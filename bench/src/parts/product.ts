// The product as a whole: how long it takes to start and to recover, and what it costs while nobody uses it.
import { part } from '#src/figure.ts';

export const starts = part({
  title: 'Starting',
  how:
    '`npm start` of the built product in a directory of its own, until `/readyz` answers 200. The first start makes the ' +
    'database; the others find it.',
  deadlineSeconds: 120,
  figures: {
    first: {
      title: 'First start, built, to ready',
      unit: 's',
      atMost: 8,
      limits: '`initdb`, the migrations and the sandbox come one after the other.',
    },
    second: {
      title: 'Second start, to ready',
      unit: 's',
      atMost: 2.5,
      limits: 'The web process loads Next after the bot has checked the database.',
    },
  },
  measure: async () => (await import('#src/starts.ts')).measureStarts(),
});

const RECOVERY = {
  p50: {
    title: 'Ready again after kill -9 (p50)',
    unit: 's',
    atMost: 3,
    limits: 'The restart of a process, and loading Node, discord.js and Next again.',
  },
  worst: {
    title: 'Ready again after kill -9 (worst)',
    unit: 's',
    atMost: 10,
    limits: 'A PostgreSQL that was killed replays its log, and the bot and the web process connect again.',
  },
  bot: {
    title: 'After a kill of the bot (p50)',
    unit: 's',
    limits: 'The new bot loads and connects to the gateway.',
  },
  web: {
    title: 'After a kill of the web process (p50)',
    unit: 's',
    limits: 'The new web process loads Next.',
  },
  database: {
    title: 'After a kill of PostgreSQL (p50)',
    unit: 's',
    limits: 'PostgreSQL replays its log. Bot and web process stay and connect again.',
  },
} as const;

const RECOVERY_HOW =
  'The bot, the web process or all of PostgreSQL is killed with SIGKILL, in random order, until `/readyz` answers 200 ' +
  'again after it has failed.';

export const recovery = part({
  title: 'Recovery',
  how: `${RECOVERY_HOW} Each twice.`,
  deadlineSeconds: 240,
  figures: RECOVERY,
  measure: async () => (await import('#src/recovery.ts')).measureRecovery(2),
});

export const recoveryFull = part({
  title: 'Recovery, 60 kills',
  how: `${RECOVERY_HOW} Each twenty times.`,
  isLong: true,
  deadlineSeconds: 1_500,
  figures: RECOVERY,
  measure: async () => (await import('#src/recovery.ts')).measureRecovery(20),
});

export const idle = part({
  title: 'At rest',
  how:
    'The running product with nobody using it: the processor time of the supervisor, the sandbox, the bot, the web ' +
    'process and PostgreSQL over three spells of six seconds.',
  deadlineSeconds: 120,
  figures: {
    cpu: {
      title: 'Processor time of the whole product at rest, of one core',
      unit: '%',
      atMost: 1,
      limits: 'The workers look for jobs whose time has come, and the bot writes its heartbeat.',
    },
    bot: { title: 'of it the bot', unit: '%', limits: 'Polling the queue and the heartbeat of the gateway.' },
    web: { title: 'of it the web process', unit: '%', limits: 'Timers of Next and of the pools.' },
    database: { title: 'of it PostgreSQL', unit: '%', limits: 'The statements that poll the queue.' },
    others: { title: 'of it the supervisor and the sandbox', unit: '%', limits: 'Timers.' },
  },
  measure: async () => (await import('#src/idle.ts')).measureIdle(),
});
