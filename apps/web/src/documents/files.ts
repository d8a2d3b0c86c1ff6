// The texts and pictures of the documents. A build puts them into itself, so it runs without the files.
import type { StaticImageData } from 'next/image';

const ROOT = '../../../../';

interface Module<Value> {
  readonly default: Value;
}

// Not with `import: 'default'`: Turbopack renames the export, and not where it is taken.
const TEXTS = import.meta.glob<Module<string>>(
  [
    '../../../../docs/**/*.md',
    '../../../../packages/client/README.md',
    '../../../../packages/messages/README.md',
    '../../../../CHANGELOG.md',
    '../../../../CONTRIBUTING.md',
  ],
  { eager: true, query: '?raw' },
);
const PICTURES = import.meta.glob<Module<StaticImageData>>('../../../../docs/pictures/*.png', {
  eager: true,
});

/** The paths of all decisions, without their index. */
export const DECISIONS = Object.keys(TEXTS)
  .map((key) => key.slice(ROOT.length))
  .filter((path) => path.startsWith('docs/decisions/') && path !== 'docs/decisions/README.md');

/**
 * The text of a document.
 *
 * @param path from the repository's root
 * @throws Error if it is not among the documents
 */
export function textOf(path: string): string {
  const text = TEXTS[ROOT + path]?.default;
  if (text === undefined) throw new Error(`${path} is not among the documents.`);
  return text;
}

/**
 * The address and size of a picture.
 *
 * @param path from the repository's root
 * @throws Error if there is no such picture
 */
export function pictureOf(path: string): StaticImageData {
  const picture = PICTURES[ROOT + path]?.default;
  if (picture === undefined) throw new Error(`There is no picture ${path}.`);
  return picture;
}
