import { posix } from 'node:path';
import { pictureOf, textOf } from './files.ts';
import { type Document, slugOf } from './library.ts';

/** What is shown elsewhere than at the address of a document. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['README.md', '/docs'],
  ['docs/openapi.json', '/openapi.json'],
]);

/**
 * The address of what a document links; null for a file that only the repository has.
 *
 * @param target as it is written in the document
 * @param path of the document's file
 */
export function hrefOf(target: string, path: string): string | null {
  if (/^\w+:/.test(target) || target.startsWith('#')) return target;
  const [file = '', fragment] = target.split('#');
  const linked = fileOf(file, path);
  const slug = slugOf(linked);
  const page = slug === undefined ? ELSEWHERE.get(linked) : `/docs/${slug}`;
  if (page === undefined) return null;
  return fragment === undefined ? page : `${page}#${fragment}`;
}

/** The address and size of a picture in a document. */
export function pictureIn(target: string, path: string) {
  return pictureOf(fileOf(target, path));
}

function fileOf(target: string, path: string): string {
  return posix.join(posix.dirname(path), target);
}

/** A block or a word of code, or a link or picture in a Markdown text. */
const CODE_OR_LINK =
  /^```[\s\S]*?^```$|`[^`\n]+`|(?<picture>!?)\[(?<label>(?:[^[\]]|\[[^\]]*\])*)\]\((?<target>[^()\s]+)\)/gm;

/**
 * A document as Markdown, with links that lead somewhere for whoever reads it at `/docs/<slug>.md`.
 *
 * @param origin of the dashboard, such as `https://bailiff.example`
 */
export function markdownOf({ path }: Document, origin: string): string {
  return textOf(path).replace(CODE_OR_LINK, (whole, ...found) => {
    const { picture, label, target }: Record<string, string | undefined> = found.at(-1);
    if (target === undefined) return whole;
    if (picture === '!') return `![${label}](${origin}${pictureIn(target, path).src})`;
    const href = hrefOf(target, path);
    if (href === null) return label ?? '';
    if (!href.startsWith('/')) return whole;
    const [page = '', fragment] = href.split('#');
    const file = page.startsWith('/docs/') ? `${page}.md` : page;
    return `[${label}](${origin}${file}${fragment === undefined ? '' : `#${fragment}`})`;
  });
}
