import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readMigrations } from './migrate.ts';
import { PRISMA_DIRECTORY } from './paths.ts';
import { schemaDifference } from './schema-engine.ts';

const MIGRATION_NAME = /^[a-z][a-z0-9_]{0,59}$/;

export interface NewMigrationOptions {
  /** Holds schema.prisma and migrations/. Default: Bailiff's own. */
  directory?: string;
  now?: Date;
}

/**
 * The SQL by which schema.prisma is ahead of the migrations; empty when nothing changed. Compares with the copy of the
 * schema beside the migrations, so it needs no database.
 */
export async function pendingSchemaChange(directory = PRISMA_DIRECTORY): Promise<string> {
  const migrations = await readMigrations(join(directory, 'migrations'));
  const before = migrations.length === 0 ? undefined : await readCopy(copyPath(directory));
  return schemaDifference(before, await readFile(schemaPath(directory), 'utf8'));
}

/**
 * Writes the next migration, `migrations/<time>_<name>/migration.sql`, and brings the copy of the schema up to date.
 *
 * @returns path of the new folder, or undefined when the schema did not change
 * @throws Error when the name is not lower-case words joined by underscores
 */
export async function newMigration(
  name: string,
  { directory = PRISMA_DIRECTORY, now = new Date() }: NewMigrationOptions = {},
): Promise<string | undefined> {
  if (!MIGRATION_NAME.test(name)) {
    throw new Error(
      `"${name}" cannot name a migration. Use lower-case words joined by underscores, for example add_ban_notes.`,
    );
  }
  const sql = await pendingSchemaChange(directory);
  if (sql === '') return undefined;

  const latest = (await readMigrations(join(directory, 'migrations'))).at(-1);
  const folder = join(directory, 'migrations', `${nextTimestamp(now, latest?.name)}_${name}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'migration.sql'), sql);
  await copyFile(schemaPath(directory), copyPath(directory));
  return folder;
}

const schemaPath = (directory: string) => join(directory, 'schema.prisma');
const copyPath = (directory: string) => join(directory, 'migrations', 'schema.prisma');

async function readCopy(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Error(
      `${path} is missing: it is the schema as of the latest migration, which the next one starts from. ` +
        'Restore it from version control.',
      { cause },
    );
  });
}

/** UTC as yyyymmddhhmmss, always later than the latest migration whatever the clock says. */
function nextTimestamp(now: Date, latestName: string | undefined): string {
  const today = Number(now.toISOString().replaceAll(/\D/g, '').slice(0, 14));
  const latest = Number(latestName?.split('_', 1)[0] ?? 0) || 0;
  return String(Math.max(today, latest + 1));
}

if (import.meta.main) {
  try {
    const folder = await newMigration(process.argv[2] ?? '');
    process.stdout.write(
      folder === undefined
        ? 'Nothing changed: schema.prisma says what the migrations say.\n'
        : `Wrote ${folder}. Read migration.sql before you commit it. Functions, views and triggers have files of their own in prisma/.\n`,
    );
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
