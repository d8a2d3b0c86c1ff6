import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packageDirectory = join(dirname(fileURLToPath(import.meta.url)), '..');

export const SCHEMA_PATH = join(packageDirectory, 'schema.prisma');
export const MIGRATIONS_DIRECTORY = join(packageDirectory, 'migrations');
export const CLIENT_DIRECTORY = join(packageDirectory, 'client');
