// npm run bench: measures what this project promises, part by part, each beside a baseline if there is one. It writes
// bench/results.json, bench/report.html and the tables of docs/performance.md, and its exit code says whether every
// bound was kept.
//   npm run bench                        every part but the long ones
//   npm run bench -- --full              every part
//   npm run bench -- reads submit        these parts; the results of the others stay
//   npm run bench -- --report            measures nothing: writes report and tables again
import { availableParallelism } from 'node:os';
import { endOnStopRequest } from '../../apps/supervisor/src/processes.mjs';
import { boundOf, type Measured, measured, type Part, withSpread } from './figure.ts';
import { isQuiet, machineLoad } from './machine.ts';
import { PARTS } from './parts.ts';
import { type PartResult, type Results, readResults, writeResults } from './results.ts';
import { clearPlace, type PartPlace, preparePart, runPart } from './run-part.ts';
import { makeTemplate } from './server.ts';
import { writeDocument, writeReport } from './show.ts';

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The parts that the arguments ask for. @throws Error for an argument that is none */
function partsOf(args: readonly string[]): [string, Part][] {
  const unknown = args.filter((arg) => arg !== '--full' && !Object.hasOwn(PARTS, arg));
  if (unknown.length > 0)
    throw new Error(`There is no ${unknown.join(', ')}; the parts are ${Object.keys(PARTS).join(', ')}.`);
  const named = args.filter((arg) => arg !== '--full');
  const isFull = args.includes('--full');
  return Object.entries(PARTS).filter(([name, { isLong }]) =>
    named.length > 0 ? named.includes(name) : isFull || isLong !== true,
  );
}

/** The figures of a part by their ids, or why there are none. */
function judge(
  { figures }: Part,
  outcome: Awaited<ReturnType<typeof runPart>>,
): Pick<PartResult, 'error' | 'figures' | 'notes'> {
  if ('error' in outcome) return { error: outcome.error, figures: {} };
  try {
    const all = Object.entries(figures).map(([id, figure]): [string, Measured] => [
      id,
      measured(figure, outcome.samples[id] ?? []),
    ]);
    return { figures: Object.fromEntries(all), notes: outcome.notes };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error), figures: {} };
  }
}

function printPart({ figures, error, notes = [] }: PartResult): void {
  if (error !== undefined) print(`  ✗ failed: ${error}`);
  for (const figure of Object.values(figures)) {
    const bound = boundOf(figure);
    const sign = bound === '' ? ' ' : figure.isKept ? '✓' : '✗';
    print(`  ${sign} ${figure.title}: ${withSpread(figure)}${bound === '' ? '' : `, ${bound}`}`);
  }
  for (const note of notes) print(`    ${note}`);
}

/** The results of the parts that there are, in their order. */
function inOrder(results: Results): Results {
  return Object.fromEntries(
    Object.keys(PARTS).flatMap((name) => (results[name] === undefined ? [] : [[name, results[name]]])),
  );
}

async function measure(args: readonly string[]): Promise<boolean> {
  const parts = partsOf(args);
  let removeTemplate = async () => {};
  endOnStopRequest(() => removeTemplate());
  removeTemplate = await makeTemplate();
  try {
    return await measureParts(parts);
  } finally {
    await removeTemplate();
  }
}

async function measureParts(parts: readonly [string, Part][]): Promise<boolean> {
  const run = new Date().toISOString();
  let isWhole = true;
  let before = await machineLoad();
  const preparing = prepareParts(parts);
  for (const group of groupsOf(parts)) {
    const outcomes = await Promise.all(
      group.map(async ([name, part]) => {
        // What is prepared needs the processors.
        const prepared = part.besides === 'any' ? undefined : (await preparing).get(name);
        const place = prepared ?? (await preparePart(name, part));
        const startedAt = performance.now();
        try {
          const outcome = await runPart(name, part, place);
          return { name, part, outcome, seconds: Math.round((performance.now() - startedAt) / 100) / 10 };
        } finally {
          await clearPlace(place);
        }
      }),
    );
    const after = await machineLoad();
    for (const { name, part, outcome, seconds } of outcomes) {
      const result: PartResult = {
        run,
        measuredAt: new Date().toISOString(),
        seconds,
        node: process.version,
        cores: availableParallelism(),
        before,
        after,
        isQuiet: isQuiet(before, after),
        ...judge(part, outcome),
      };
      print(`${name}: ${part.title} (${seconds} s${result.isQuiet ? '' : ', the machine was busy'})`);
      printPart(result);
      isWhole &&= result.error === undefined && Object.values(result.figures).every(({ isKept }) => isKept);
      // Each part is kept as soon as it is measured, so that an interrupted run has not been for nothing.
      await writeResults(inOrder({ ...(await readResults()), [name]: result }));
    }
    before = after;
  }
  return isWhole;
}

/** Prepares parts, two at a time: those that are measured meanwhile need the processors too. */
async function prepareParts(parts: readonly [string, Part][]): Promise<ReadonlyMap<string, PartPlace>> {
  const places = new Map<string, PartPlace>();
  const left = parts.filter(([, { prepare }]) => prepare !== undefined).values();
  const prepareOthers = async () => {
    for (const [name, part] of left) places.set(name, await preparePart(name, part));
  };
  await Promise.all([prepareOthers(), prepareOthers()]);
  return places;
}

/** The parts that are measured side by side, and then each of the others alone. */
function groupsOf(parts: readonly [string, Part][]): (readonly [string, Part][])[] {
  const sideBySide = parts.filter(([, { besides }]) => besides !== undefined);
  const alone = parts.filter(([, { besides }]) => besides === undefined).map((each) => [each]);
  return sideBySide.length > 0 ? [sideBySide, ...alone] : alone;
}

const args = process.argv.slice(2);
try {
  if (!args.includes('--report')) process.exitCode = (await measure(args)) ? 0 : 1;
  const results = await readResults();
  await writeReport(results);
  await writeDocument(results);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
