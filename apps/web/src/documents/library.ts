// Every document that the product shows at /docs (decisions: Documents in the product).
import { DECISIONS, textOf } from './files.ts';
import { plainText } from './inlines.ts';
import { type Block, readMarkdown } from './markdown.ts';

/** The documents that the site lists, by whom they are for: addresses below /docs, and files. */
export const SHELVES = {
  owners: { owners: 'docs/owners.md', compared: 'docs/compared.md' },
  moderators: { moderators: 'docs/moderators.md' },
  integrators: {
    'public-api': 'docs/public-api.md',
    client: 'packages/client/README.md',
    versioning: 'docs/versioning.md',
    'archive-format': 'docs/archive-format.md',
  },
  assistants: { mcp: 'docs/mcp.md' },
  operators: {
    operations: 'docs/operations.md',
    discord: 'docs/discord.md',
    security: 'docs/security.md',
    performance: 'docs/performance.md',
    growth: 'docs/growth.md',
    scaling: 'docs/scaling.md',
  },
  builders: {
    architecture: 'docs/architecture.md',
    'adding-an-operation': 'docs/adding-an-operation.md',
    'changing-the-database': 'docs/changing-the-database.md',
    translating: 'packages/messages/README.md',
    hazards: 'docs/hazards.md',
    contributing: 'CONTRIBUTING.md',
    decisions: 'docs/decisions/README.md',
    changelog: 'CHANGELOG.md',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

export type Reader = keyof typeof SHELVES;
/** Whom the documents are for, in the order in which the site lists them. */
export const READERS = Object.keys(SHELVES) as Reader[];

const PATHS: ReadonlyMap<string, string> = new Map([
  ...READERS.flatMap((reader) => Object.entries<string>(SHELVES[reader])),
  ...DECISIONS.map((path) => [path.slice('docs/'.length, -'.md'.length), path] as const),
]);
const SLUGS: ReadonlyMap<string, string> = new Map([...PATHS].map(([slug, path]) => [path, slug]));

/** The addresses of all documents, below /docs. */
export const DOCUMENT_SLUGS = [...PATHS.keys()];

export interface Document {
  /** Its address, below /docs. */
  readonly slug: string;
  /** Its file, from the repository's root. */
  readonly path: string;
  readonly title: string;
  /** Its first paragraph. */
  readonly lead: string;
  readonly blocks: readonly Block[];
}

const read = new Map<string, Document>();

/** The document at an address below /docs; undefined if there is none. */
export function documentAt(slug: string): Document | undefined {
  const path = PATHS.get(slug);
  if (path === undefined) return undefined;
  const document = read.get(slug) ?? readDocument(slug, path);
  read.set(slug, document);
  return document;
}

/** The documents for a reader, in the order in which the site lists them. */
export function documentsFor(reader: Reader): Document[] {
  return Object.keys(SHELVES[reader]).flatMap((slug) => documentAt(slug) ?? []);
}

/** The address of a file's document, below /docs; undefined if the site does not show it. */
export function slugOf(path: string): string | undefined {
  return SLUGS.get(path);
}

function readDocument(slug: string, path: string): Document {
  const blocks = readMarkdown(textOf(path));
  const [title, lead] = blocks;
  if (title?.type !== 'heading' || lead?.type !== 'paragraph')
    throw new Error(`${path} must begin with its title and a paragraph.`);
  return { slug, path, title: plainText(title.children), lead: plainText(lead.children), blocks };
}
