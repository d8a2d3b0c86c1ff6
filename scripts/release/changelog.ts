/** The changelog with what was unreleased under the number of a release, and that part alone. */
export interface ReleasedChangelog {
  readonly changelog: string;
  readonly notes: string;
}

/** @throws Error if nothing is unreleased, or the release has a part already */
export function releaseChangelog(changelog: string, version: string, date: string): ReleasedChangelog {
  const [, before, unreleased, after] =
    /^([\s\S]*?^## Unreleased\n)([\s\S]*?)(^## [\s\S]*)?$(?![\s\S])/m.exec(changelog) ?? [];
  const notes = unreleased?.trim() ?? '';
  if (before === undefined || notes === '') throw new Error('CHANGELOG.md has nothing under "Unreleased".');
  if (changelog.includes(`\n## ${version}`)) throw new Error(`CHANGELOG.md has ${version} already.`);
  return { notes, changelog: `${before}\n## ${version} (${date})\n\n${notes}\n\n${after ?? ''}` };
}

/** Whether a version is later than another: both are three numbers. */
export function isLater(version: string, than: string): boolean {
  const [a = [], b = []] = [version, than].map((text) => text.split('.').map(Number));
  const differs = a.findIndex((number, index) => number !== b[index]);
  return differs >= 0 && (a[differs] ?? 0) > (b[differs] ?? 0);
}

/** A manifest, lock file or kustomization with another version of Bailiff's own packages and image. */
export function withVersion(manifest: string, from: string, to: string): string {
  const version = `"${from.replaceAll('.', '\\.')}"`;
  const own = '"name": "(?:bailiff|@bailiff/[\\w-]+)",\\s*"version": ';
  return manifest
    .replace(new RegExp(`(${own})${version}`, 'g'), `$1"${to}"`)
    .replace(new RegExp(`("@bailiff/[\\w-]+": )${version}`, 'g'), `$1"${to}"`)
    .replace(`newTag: ${from}\n`, `newTag: ${to}\n`);
}
