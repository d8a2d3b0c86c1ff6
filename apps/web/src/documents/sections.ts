import { plainText } from './inlines.ts';
import { DOCUMENT_SLUGS, type Document, documentAt } from './library.ts';
import type { Block } from './markdown.ts';
import type { Section } from './search.ts';

let known: readonly Section[] | undefined;

/** The sections of all documents, to search in. */
export function allSections(): readonly Section[] {
  known ??= DOCUMENT_SLUGS.flatMap((slug) => documentAt(slug) ?? []).flatMap(sectionsOf);
  return known;
}

function sectionsOf({ slug, title, blocks }: Document): Section[] {
  const begins = blocks.flatMap(({ type }, index) => (type === 'heading' ? [index] : []));
  return begins.map((begin, index) => {
    const [heading, ...under] = blocks.slice(begin, begins[index + 1]);
    if (heading?.type !== 'heading') throw new Error(`A section of ${slug} has no heading.`);
    return {
      href: index === 0 ? `/docs/${slug}` : `/docs/${slug}#${heading.id}`,
      heading: plainText(heading.children),
      document: title,
      text: under.map(textOfBlock).join(' ').replace(/\s+/g, ' '),
    };
  });
}

function textOfBlock(block: Block): string {
  switch (block.type) {
    case 'code':
      return block.text;
    case 'list':
      return block.items.flat().map(textOfBlock).join(' ');
    case 'table':
      return [block.head, ...block.rows].map((row) => row.map(plainText).join(' ')).join(' ');
    default:
      return plainText(block.children);
  }
}
