import { readBailiffArchive } from './bailiff.ts';
import { readCsv } from './csv.ts';
import { readMaszCases } from './masz.ts';
import type { SourceLine } from './source-row.ts';
import { readZeppelinExport } from './zeppelin.ts';

/**
 * The sources of files, with what reads one at a time (`now`): its records as they come, so that a file of any size takes
 * little memory. A line that is no record says why.
 */
export const FILE_SOURCES = {
  bailiff: readBailiffArchive,
  zeppelin: readZeppelinExport,
  masz: readMaszCases,
  csv: readCsv,
} as const satisfies Readonly<
  Record<string, (chunks: AsyncIterable<string>, now: Date) => AsyncGenerator<SourceLine>>
>;

export type FileSource = keyof typeof FILE_SOURCES;
export const FILE_SOURCE_NAMES = Object.keys(FILE_SOURCES) as readonly FileSource[];

export {
  IMPORT_PROBLEMS,
  type ImportProblem,
  MOST_PART_CHARACTERS,
  type SourceLine,
  type SourceRow,
} from './source-row.ts';
