import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readMigrations } from './migrate.ts';
import { MIGRATIONS_DIRECTORY, SCHEMA_PATH } from './paths.ts';
import { schemaDifference } from './schema-engine.ts';

const MIGRATION_NAME = /^[a-z][a-z0-9_]{0,59}$/;

export interface NewMigrationOptions {
  schemaPath?: string;
  migrationsDirectory?: string;
  now?: Date;
}

/**
 * The SQL by which schema.prisma is ahead of the latest migration; empty when nothing changed. Compares with the
 * copy of the schema kept in the latest migration's folder, so it needs no database.
 */
export async function pendingSchemaChange(options: NewMigrationOptions = {}): Promise<string> {
  const { schemaPath = SCHEMA_PATH, migrationsDirectory = MIGRATIONS_DIRECTORY } = options;
  const latest = (await readMigrations(migrationsDirectory)).at(-1);
  const snapshot =
    latest === undefined
      ? undefined
      : await readSnapshot(join(migrationsDirectory, latest.name, 'schema.prisma'));
  return schemaDifference(snapshot, await readFile(schemaPath, 'utf8'));
}

/**
 * Writes the next migration folder: `migration.sql`, and `schema.prisma` as it is now.
 *
 * @returns path of the new folder, or undefined when the schema did not change
 * @throws Error when the name is not lower-case words joined by underscores
 */
export async function newMigration(
  name: string,
  options: NewMigrationOptions = {},
): Promise<string | undefined> {
  const { schemaPath = SCHEMA_PATH, migrationsDirectory = MIGRATIONS_DIRECTORY, now = new Date() } = options;
  if (!MIGRATION_NAME.test(name)) {
    throw new Error(
      `"${name}" cannot name a migration. Use lower-case words joined by underscores, for example add_ban_notes.`,
    );
  }
  const sql = await pendingSchemaChange({ schemaPath, migrationsDirectory });
  if (sql === '') return undefined;

  const latest = (await readMigrations(migrationsDirectory)).at(-1);
  const folder = join(migrationsDirectory, `${nextTimestamp(now, latest?.name)}_${name}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'migration.sql'), sql);
  await writeFile(join(folder, 'schema.prisma'), await readFile(schemaPath, 'utf8'));
  return folder;
}

async function readSnapshot(path: string): Promise<string> {
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
        ? 'Nothing changed: schema.prisma equals the latest migration.\n'
        : `Wrote ${folder}. Read migration.sql before you commit it; add functions and triggers there by hand.\n`,
    );
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
