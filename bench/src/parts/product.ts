// The product as a whole: how long it takes to start and to recover, what it costs while nobody uses it, and what more
// processes bring.
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
  besides: 'quiet',
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
    'process and PostgreSQL over a minute. The database has been vacuumed once, as PostgreSQL does in its first minutes.',
  besides: 'quiet',
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

const MEMORY_HOW =
  '`node scripts/start.mjs` with 200 guilds: 30 s after all are compared, with nobody using it, and then while API, ' +
  'dashboard, chat and the gateway are used, 12 times a second in 100 guilds. It is what the machine would have back: ' +
  'memory that only the product has, and the programs themselves, which its processes share, once. The sandbox, which ' +
  'stands for Discord, is not counted.';

const OWN = 'Its code and libraries as Node keeps them, and its heap.';

const MEMORY = {
  rest: {
    title: 'Memory of the whole product at rest',
    unit: 'MB',
    atMost: 500,
    limits: 'Node and the libraries that each process loads; PostgreSQL by what it has read.',
  },
  supervisor: {
    title: 'of it the supervisor',
    unit: 'MB',
    limits: 'Node: it loads nothing but its own files.',
  },
  bot: { title: 'of it the bot', unit: 'MB', limits: OWN },
  web: { title: 'of it the web process', unit: 'MB', limits: OWN },
  database: {
    title: 'of it PostgreSQL',
    unit: 'MB',
    limits: 'Its buffers, 96 MB if all are in use, and sessions.',
  },
  programs: {
    title: 'of it the programs, Node and PostgreSQL',
    unit: 'MB',
    limits: 'The parts of their files that are in use.',
  },
  used: {
    title: 'Memory of the whole product in the second half of the use, most',
    unit: 'MB',
    atMost: 800,
    limits: 'Garbage that is not yet collected, and the buffers of PostgreSQL.',
  },
  usedBot: { title: 'of it the bot', unit: 'MB', limits: OWN },
  usedWeb: { title: 'of it the web process', unit: 'MB', limits: `${OWN} The pages that were shown.` },
  usedDatabase: { title: 'of it PostgreSQL', unit: 'MB', limits: 'As above.' },
} as const;

async function memorySamples(seconds: number) {
  const { measureMemory, HOLDERS } = await import('#src/memory.ts');
  const { rest, used } = await measureMemory(seconds);
  const [most] = used.toSorted((a, b) => b.all - a.all);
  if (most === undefined) throw new Error('Nothing was seen while it was used.');
  const of = (name: (typeof HOLDERS)[number]) => (held: (typeof rest)[number]) =>
    held.own[HOLDERS.indexOf(name)] ?? Number.NaN;
  return {
    rest: rest.map(({ all }) => all),
    supervisor: rest.map(of('supervisor')),
    bot: rest.map(of('bot')),
    web: rest.map(of('web')),
    database: rest.map(of('database')),
    programs: rest.map(({ programs }) => programs),
    used: most.all,
    usedBot: of('bot')(most),
    usedWeb: of('web')(most),
    usedDatabase: of('database')(most),
  };
}

export const memory = part({
  title: 'Memory',
  how: `${MEMORY_HOW} One minute.`,
  besides: 'any',
  deadlineSeconds: 420,
  figures: MEMORY,
  measure: () => memorySamples(60),
});

export const memoryFull = part({
  title: 'Memory, ten minutes of use',
  how: `${MEMORY_HOW} Ten minutes.`,
  isLong: true,
  deadlineSeconds: 900,
  figures: MEMORY,
  measure: () => memorySamples(600),
});

export const cold = part({
  title: 'A cold start in production',
  how:
    'What the `Dockerfile` leaves, in a folder: bot and web process start at the same time on a database that is up to ' +
    'date, until `/readyz` answers 200. Nothing that an earlier start compiled is kept.',
  deadlineSeconds: 900,
  figures: {
    ready: {
      title: 'Cold start of bot and web process to ready',
      unit: 's',
      atMost: 4,
      limits: 'Removing the types of every file and compiling all that is loaded, in two processes at once.',
    },
    upToDate: {
      title: 'The migrations before them, with nothing to do',
      unit: 's',
      limits: 'Loading Node and the files; the database is asked three questions.',
    },
  },
  prepare: async (directory) => (await import('#src/cold.ts')).buildImage(directory),
  measure: async (directory) => (await import('#src/cold.ts')).measureColdStarts(directory),
});

export const processes = part({
  title: 'More processes',
  how:
    'In turn: `GET /strikes?limit=10` over 100 connections to one web process, and over 50 to each of two; bans of 20 ' +
    'callers at a time through one bot, and through two, with a Discord that answers at once, and with one that takes ' +
    '100 ms for each request. One PostgreSQL.',
  deadlineSeconds: 420,
  figures: {
    reads: { title: 'Reads over one web process', unit: '/s', limits: 'The processors.' },
    readsOfTwo: {
      title: 'Reads over two web processes ÷ one',
      unit: '×',
      atLeast: 0.9,
      limits:
        'The processors: one web process, PostgreSQL and the caller use two cores up. More cores carry more processes.',
    },
    webOfOne: { title: 'Processor time of the one web process, of a core', unit: '%', limits: 'As above.' },
    webOfTwo: { title: 'Processor time of each of two, of a core', unit: '%', limits: 'As above.' },
    readsMachine: {
      title: 'Processors in use, one web process',
      unit: '%',
      limits: 'All of them are 100 %.',
    },
    bans: { title: 'Bans through one bot, Discord at once', unit: '/s', limits: 'The processors.' },
    bansOfTwo: {
      title: 'Bans through two bots ÷ one, Discord at once',
      unit: '×',
      atLeast: 0.7,
      limits:
        'The processors: bot, web process, PostgreSQL and the caller use two cores up, and each new job wakes both bots.',
    },
    botOfOne: { title: 'Processor time of the one bot, of a core', unit: '%', limits: 'As above.' },
    botOfTwo: { title: 'Processor time of each of two, of a core', unit: '%', limits: 'As above.' },
    bansMachine: { title: 'Processors in use, one bot', unit: '%', limits: 'All of them are 100 %.' },
    slow: {
      title: 'Bans through one bot, Discord after 100 ms',
      unit: '/s',
      limits: 'The actions that a bot has under way at once, two requests each.',
    },
    slowOfTwo: {
      title: 'Bans through two bots ÷ one, Discord after 100 ms',
      unit: '×',
      atLeast: 1.5,
      limits:
        'The same, twice, until the processors are in use. A real Discord allows a bot 50 requests a second.',
    },
  },
  measure: async () => {
    const { measureTwoWebs, measureTwoBots } = await import('#src/scale.ts');
    const webs = await measureTwoWebs();
    const { atOnce: bots, slow } = await measureTwoBots();
    const ratio = ({ one, two }: (typeof webs)[number]) => two.perSecond / one.perSecond;
    return {
      reads: webs.map(({ one }) => one.perSecond),
      readsOfTwo: webs.map(ratio),
      webOfOne: webs.map(({ one }) => one.each),
      webOfTwo: webs.map(({ two }) => two.each),
      readsMachine: webs.map(({ one }) => one.machine),
      bans: bots.map(({ one }) => one.perSecond),
      bansOfTwo: bots.map(ratio),
      botOfOne: bots.map(({ one }) => one.each),
      botOfTwo: bots.map(({ two }) => two.each),
      bansMachine: bots.map(({ one }) => one.machine),
      slow: slow.map(({ one }) => one.perSecond),
      slowOfTwo: slow.map(ratio),
    };
  },
});
