import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Holds schema.prisma, migrations/, functions/, views/ and triggers/. */
export const PRISMA_DIRECTORY = join(dirname(fileURLToPath(import.meta.url)), '..');

export const SCHEMA_PATH = join(PRISMA_DIRECTORY, 'schema.prisma');
export const CLIENT_DIRECTORY = join(PRISMA_DIRECTORY, 'client');
/** Its version is the release: the one of the whole product. */
export const PRODUCT_MANIFEST_PATH = join(PRISMA_DIRECTORY, '..', 'package.json');
