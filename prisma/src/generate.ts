import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CLIENT_DIRECTORY, SCHEMA_PATH } from './paths.ts';

const require = createRequire(import.meta.url);
const stampPath = join(CLIENT_DIRECTORY, '.generated-from');

/**
 * Writes the Prisma client to `prisma/client`, without network access, unless the one there already belongs to
 * today's schema and Prisma version.
 *
 * @returns whether it had to be written
 * @throws Error with Prisma's own output when the schema is not valid
 */
export async function generateClient(): Promise<boolean> {
  const fingerprint = await schemaFingerprint();
  const stamp = await readFile(stampPath, 'utf8').catch(() => '');
  if (stamp === fingerprint) return false;
  await runPrismaGenerate();
  await writeFile(stampPath, fingerprint);
  return true;
}

async function schemaFingerprint(): Promise<string> {
  const prismaPackage = await readFile(require.resolve('prisma/package.json'), 'utf8');
  return createHash('sha256')
    .update(prismaPackage)
    .update(await readFile(SCHEMA_PATH, 'utf8'))
    .digest('hex');
}

async function runPrismaGenerate(): Promise<void> {
  const cli = join(dirname(require.resolve('prisma/package.json')), 'build', 'index.js');
  const child = spawn(process.execPath, [cli, 'generate', '--schema', SCHEMA_PATH, '--no-hints'], {
    cwd: dirname(SCHEMA_PATH),
    // generate insists on a schema engine it never runs and would download it; any executable satisfies it.
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  const [code, stdout, stderr] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
  if (code !== 0) {
    throw new Error(`prisma generate failed on ${SCHEMA_PATH} (exit code ${code}):\n${stdout}${stderr}`);
  }
}

if (import.meta.main) {
  const written = await generateClient();
  process.stdout.write(written ? 'The Prisma client was generated.\n' : 'The Prisma client is up to date.\n');
}
