import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { resolve } from 'node:path';

/** An entry of `e2e/requirements.json`, or a guarantee or hazard of `docs/hazards.md`. */
export interface Requirement {
  readonly id: string;
  readonly surface: string;
  readonly behaviour: string;
}

const ROOT = resolve(import.meta.dirname, '..', '..', '..');

/** All requirements that a test can show: the manifest's entries, then the guarantees and hazards by number. */
export function readRequirements(): Requirement[] {
  const manifest = JSON.parse(
    readFileSync(resolve(ROOT, 'e2e', 'requirements.json'), 'utf8'),
  ) as Requirement[];
  const page = readFileSync(resolve(ROOT, 'docs', 'hazards.md'), 'utf8');
  const rows = [...page.matchAll(/^\| ([GH]\d+) \| (.+?) \|/gm)];
  return [
    ...manifest,
    ...rows.map(([, id = '', behaviour = '']) => ({
      id,
      surface: id.startsWith('G') ? 'guarantees' : 'hazards',
      behaviour,
    })),
  ];
}

/** Records ids for the running test. Each test runner has its own recorder. */
type Recorder = (ids: readonly string[]) => void;

let record: Recorder = () => {
  throw new Error('verifies() is for the body of a test: outside of one, nobody knows whether it passed.');
};

/** Sets the recorder that `verifies` uses. */
export function recordVerifications(recorder: Recorder): void {
  record = recorder;
}

let known: ReadonlySet<string> | undefined;

/**
 * Records which requirements the running test shows, by their ids in `e2e/requirements.json` or `docs/hazards.md`. A
 * requirement counts as verified when a test that names it has passed; `npm test` fails while one is missing.
 *
 * @throws Error when an id is in neither
 */
export function verifies(...ids: readonly string[]): void {
  known ??= new Set(readRequirements().map(({ id }) => id));
  for (const id of ids) {
    if (known.has(id)) continue;
    throw new Error(
      `There is no requirement "${id}": correct the id, or add it to e2e/requirements.json or docs/hazards.md.`,
    );
  }
  record(ids);
}

/** A block of shell commands in a document. */
export interface CommandBlock {
  readonly commands: string;
  /** Why no test executes it: the comment `<!-- not run: … -->` on the line before. */
  readonly notRun: string | undefined;
}

/** The blocks of shell commands in a document, in their order. A command that goes on behind a `\` is in one line. */
export function commandBlocks(document: string): CommandBlock[] {
  const page = readFileSync(resolve(ROOT, document), 'utf8');
  const blocks = page.matchAll(/^(?:<!-- not run: (.+) -->\n)?```sh\n([\s\S]*?)^```$/gm);
  return [...blocks].map(([, notRun, commands = '']) => ({
    commands: commands.replaceAll(/\\\n */g, ''),
    notRun,
  }));
}

/** Least length of a measurement, in microseconds of the thread's own work, to which others do not add. */
const MEASURED_US = 20_000;

/** What {@link growthOfWork} is below if the work does not grow with the square of what it is done on. */
export const MOST_GROWTH = 9;

/**
 * How many times as long work on four times as much takes: 4 where it grows with what it is done on, 16 where it grows
 * with the square of that. Measured again where it seems too much: the machine may have become slower meanwhile.
 *
 * @param work does it on so many parts
 */
export function growthOfWork(parts: number, work: (parts: number) => void): number {
  const timeOf = (count: number) => {
    const before = process.threadCpuUsage();
    for (let times = 1; ; times += 1) {
      work(count);
      const { user, system } = process.threadCpuUsage(before);
      if (user + system >= MEASURED_US) return (user + system) / times;
    }
  };
  let growth = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 5 && growth >= MOST_GROWTH; tries += 1)
    growth = Math.min(growth, timeOf(4 * parts) / timeOf(parts));
  return growth;
}

/**
 * Listens on a port that no system gives to whoever wants any, so that nobody has it while it is closed. Returns it.
 *
 * @throws Error if nobody may listen there for another reason than that somebody does
 */
export async function listenOnOwn(listenOn: (port: number) => Promise<void>): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    try {
      await listenOn(port);
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}

/** A port of this machine that nothing listens on, and that the system gives to nobody by itself. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  const port = await listenOnOwn(async (at) => {
    probe.listen(at, '127.0.0.1');
    await once(probe, 'listening'); // rejects on 'error'
  });
  await new Promise((done) => probe.close(done));
  await untilClosed(port);
  return port;
}

/**
 * Settles once nobody can connect to a port whose server was closed. A program that another test of this process starts
 * has a copy of it until it runs, and for so long connections are taken and then broken.
 */
export async function untilClosed(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
    } catch {
      return;
    } finally {
      socket.destroy();
    }
  }
}

/** Only ends what hangs. */
const GIVES_UP_AFTER_MS = 300_000;

/** What an attempt shows. Null: on a busy machine it missed the moment that it is about, and another one is made. */
export async function untilShown<Shown>(attempt: () => Promise<Shown | null>): Promise<Shown> {
  const giveUpAt = performance.now() + GIVES_UP_AFTER_MS;
  for (;;) {
    const shown = await attempt();
    if (shown !== null) return shown;
    if (performance.now() > giveUpAt) throw new Error('Every attempt missed its moment.');
  }
}

/** What an attempt returns that took less than so many seconds: on a busy machine others show nothing. */
export function inTime<T>(seconds: number, attempt: () => Promise<T>): Promise<T> {
  return untilShown(async () => {
    const startedAt = performance.now();
    const shown = await attempt();
    return performance.now() - startedAt < seconds * 1_000 ? shown : null;
  });
}
