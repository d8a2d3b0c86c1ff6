import type { Sample } from './samples.ts';

/** One line of the report: what is read of a sample, and how much it may grow while it is judged. */
export interface Measure {
  readonly title: string;
  readonly unit: 'MB' | '';
  /** The most by which it may grow in the judged time. Undefined: it is shown and not judged. */
  readonly mayGrow?: number;
  readonly why: string;
  readonly of: (sample: Sample) => number | undefined;
}

export const SURVIVORS = ['supervisor', 'bot-1', 'web-1'] as const;
export type Survivor = (typeof SURVIVORS)[number];

const MB = 1024 * 1024;

const inProcess = (name: Survivor): readonly Measure[] => [
  {
    title: `${name}: heap after a collection`,
    unit: 'MB',
    mayGrow: 4,
    why: 'What the process still refers to.',
    of: ({ processes }) => inMb(processes[name]?.heapBytes),
  },
  {
    title: `${name}: buffers outside the heap`,
    unit: 'MB',
    mayGrow: 4,
    why: 'Bodies, sockets and compressed streams.',
    of: ({ processes }) => inMb(processes[name]?.externalBytes),
  },
  {
    title: `${name}: resident memory`,
    unit: 'MB',
    mayGrow: 32,
    why: 'What the operating system has given. The allocator keeps some of what is freed.',
    of: ({ processes }) => inMb(processes[name]?.residentBytes),
  },
  {
    title: `${name}: open files and sockets`,
    unit: '',
    mayGrow: 8,
    why: 'Connections of callers, of the database, of Discord, and log files.',
    of: ({ processes }) => processes[name]?.files,
  },
];

export const MEASURES: readonly Measure[] = [
  ...SURVIVORS.flatMap(inProcess),
  {
    title: 'Connections to PostgreSQL',
    unit: '',
    mayGrow: 8,
    why: 'All processes, those that were killed too: the server must notice that they are gone.',
    of: ({ database }) => database?.connections,
  },
  {
    title: 'Jobs that are due',
    unit: '',
    mayGrow: 10,
    why: 'A queue that is not emptied as fast as it is filled grows.',
    of: ({ database }) => database?.dueJobs,
  },
  {
    title: 'Actions that have not ended',
    unit: '',
    mayGrow: 10,
    why: 'An action that nobody settles stays here.',
    of: ({ database }) => database?.openActions,
  },
  {
    title: 'Rows of tables that do not grow with use',
    unit: '',
    mayGrow: 20,
    why: 'Those of the second and third table of docs/growth.md: what comes must go.',
    of: ({ database }) => database?.steadyRows,
  },
  {
    title: 'Size of these tables and of the queue, with their indexes',
    unit: 'MB',
    mayGrow: 8,
    why: 'Rows that were replaced stay until autovacuum has come by.',
    of: ({ database }) => inMb(database?.steadyBytes),
  },
  {
    title: 'Size of the whole database',
    unit: 'MB',
    why: 'Records are kept, so it grows with what is done. Not judged.',
    of: ({ database }) => inMb(database?.bytes),
  },
];

function inMb(bytes: number | undefined): number | undefined {
  return bytes === undefined ? undefined : bytes / MB;
}
