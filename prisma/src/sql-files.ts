import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const KINDS = ['functions', 'views', 'triggers'] as const;
const FILE_NAME = /^[a-z][a-z0-9_]*\.sql$/;

/** A file in functions/, views/ or triggers/. It makes what its name says, and nothing else. */
export interface SqlFile {
  /** `functions/submit_call`. */
  name: string;
  kind: (typeof KINDS)[number];
  sql: string;
  checksum: string;
  /** Tables use it (as a default, in an index): it exists before them and is never dropped. */
  isEarly: boolean;
}

interface UnorderedSqlFile extends SqlFile {
  /** Names of files whose objects must exist first. */
  after: string[];
}

/**
 * The SQL files of a directory, in the order in which they are applied: functions, views, triggers, each by name, but
 * what a file names in `-- after:` comes before it.
 *
 * @throws Error when a file's name cannot be that of its object, or when `-- after:` names no file or goes in a circle
 */
export async function readSqlFiles(directory: string): Promise<SqlFile[]> {
  const files = (await Promise.all(KINDS.map((kind) => readKind(directory, kind)))).flat();
  return inOrder(files);
}

async function readKind(directory: string, kind: SqlFile['kind']): Promise<UnorderedSqlFile[]> {
  const entries = await readdir(join(directory, kind)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return Promise.all(
    entries.sort().map(async (entry) => {
      if (!FILE_NAME.test(entry)) {
        throw new Error(
          `prisma/${kind}/${entry} cannot be applied: name it as what it makes, for example ${kind}/new_id.sql.`,
        );
      }
      const sql = await readFile(join(directory, kind, entry), 'utf8');
      return {
        name: `${kind}/${entry.slice(0, -'.sql'.length)}`,
        kind,
        sql,
        checksum: createHash('sha256').update(sql).digest('hex'),
        isEarly: /^-- before: migrations$/m.test(sql),
        after: [...sql.matchAll(/^-- after: (.+)$/gm)].flatMap(([, names = '']) => names.split(/,\s*/)),
      };
    }),
  );
}

function inOrder(files: UnorderedSqlFile[]): SqlFile[] {
  const ordered = new Set<UnorderedSqlFile>();
  const visit = (file: UnorderedSqlFile, path: string[]) => {
    if (ordered.has(file)) return;
    if (path.includes(file.name)) {
      throw new Error(
        `"-- after:" goes in a circle: ${[...path, file.name].join(' → ')}. Remove it from one of these files.`,
      );
    }
    for (const name of file.after) {
      const needed = files.find((other) => other.name === name);
      if (needed === undefined) {
        throw new Error(
          `prisma/${file.name}.sql says "-- after: ${name}", but there is no prisma/${name}.sql.`,
        );
      }
      visit(needed, [...path, file.name]);
    }
    ordered.add(file);
  };
  for (const file of files) visit(file, []);
  return [...ordered].map(({ after: _, ...file }) => file);
}
