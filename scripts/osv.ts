// npm run osv: asks OSV (https://osv.dev) whether a package of the lock file has a known vulnerability. It uses nothing
// but Node, so it runs before anything is installed. Without a network it says so, and fails nothing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** Whether it only builds or tests. */
  readonly isDev: boolean;
}

interface Finding extends LockedPackage {
  readonly ids: readonly string[];
}

const LOCK_FILE = join(import.meta.dirname, '..', 'package-lock.json');
const SERVER = process.env.OSV_URL ?? 'https://api.osv.dev';
const MOST_AT_ONCE = 1_000;
const TIMEOUT_MS = 20_000;

function lockedPackages(path: string): LockedPackage[] {
  const {
    packages,
  }: { packages: Record<string, { version?: string; link?: boolean; dev?: boolean; name?: string }> } =
    JSON.parse(readFileSync(path, 'utf8'));
  const found = Object.entries(packages).flatMap(([at, { version, link, dev, name }]) => {
    const installedAs = at.split('node_modules/').at(-1) ?? '';
    if (!at.includes('node_modules/') || link === true || version === undefined) return [];
    return [{ name: name ?? installedAs, version, isDev: dev === true }];
  });
  return [...new Map(found.map((each) => [`${each.name}@${each.version}`, each])).values()];
}

async function vulnerabilitiesOf(packages: readonly LockedPackage[]): Promise<Finding[]> {
  const queries = packages.map(({ name, version }) => ({ package: { name, ecosystem: 'npm' }, version }));
  const response = await fetch(`${SERVER}/v1/querybatch`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ queries }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`it answered ${response.status}`);
  const { results } = (await response.json()) as { results: { vulns?: { id: string }[] }[] };
  return packages.flatMap((each, index) => {
    const ids = results[index]?.vulns?.map(({ id }) => id) ?? [];
    return ids.length === 0 ? [] : [{ ...each, ids }];
  });
}

const packages = lockedPackages(process.argv[2] ?? LOCK_FILE);
try {
  const found: Finding[] = [];
  for (let at = 0; at < packages.length; at += MOST_AT_ONCE) {
    found.push(...(await vulnerabilitiesOf(packages.slice(at, at + MOST_AT_ONCE))));
  }
  for (const { name, version, isDev, ids } of found) {
    process.stdout.write(`${name} ${version}${isDev ? ' (only builds or tests)' : ''}: ${ids.join(', ')}\n`);
  }
  const inProduction = found.filter(({ isDev }) => !isDev).length;
  process.stdout.write(
    `${packages.length} packages, ${found.length} with known vulnerabilities, ${inProduction} in production\n`,
  );
  if (inProduction > 0) process.exitCode = 1;
} catch (error) {
  const { message = '', cause } = error instanceof Error ? error : {};
  const reason = cause instanceof Error ? cause.message : message;
  process.stdout.write(
    `OSV could not be reached (${reason}): nothing is known of ${packages.length} packages.\n`,
  );
}
