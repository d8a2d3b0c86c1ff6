import type { ReactNode } from 'react';
import { CodeBlock } from '#components/ui/code-block.tsx';
import { Cell, HeaderCell, Table } from '#components/ui/table.tsx';
import { plainText } from '#src/documents/inlines.ts';
import type { Block } from '#src/documents/markdown.ts';
import { Inlines } from './inlines.tsx';

/** What the language of a block of code is called. */
const LANGUAGES: Readonly<Record<string, string>> = {
  ini: 'Settings',
  js: 'JavaScript',
  json: 'JSON',
  python: 'Python',
  sh: 'Shell',
  sql: 'SQL',
  ts: 'TypeScript',
  yaml: 'YAML',
};
/** Drawings, whose lines must not break, and what people type and programs say. */
const NOT_CODE: Readonly<Record<string, string>> = {
  '': 'overflow-x-auto',
  text: 'wrap-anywhere whitespace-pre-wrap',
};

const HEADINGS = {
  1: 'mb-3 text-2xl',
  2: 'border-line mt-10 mb-3 border-t pt-6 text-lg',
  3: 'mt-6 mb-2 text-base',
  4: 'mt-4 mb-1',
} as const;

interface Props {
  blocks: readonly Block[];
  /** The file of the document, from which its links go. */
  path: string;
  /** The label of the buttons that copy code. */
  copy: string;
}

/** The parts of a document. */
export function Blocks({ blocks, path, copy }: Props): ReactNode {
  const tables = blocks.filter(({ type }) => type === 'table');
  return blocks.map((block, index) => {
    const caption =
      block.type === 'table' ? `${headingAbove(blocks, index)} (${tables.indexOf(block) + 1})` : '';
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a document never change their places
    return <Part key={index} block={block} caption={caption} path={path} copy={copy} />;
  });
}

/** The text of the heading under which a block stands. */
function headingAbove(blocks: readonly Block[], index: number): string {
  const heading = blocks.slice(0, index).findLast(({ type }) => type === 'heading');
  return heading?.type === 'heading' ? plainText(heading.children) : '';
}

function Part({ block, caption, path, copy }: Omit<Props, 'blocks'> & { block: Block; caption: string }) {
  switch (block.type) {
    case 'heading':
      return <Heading block={block} path={path} />;
    case 'paragraph':
      return (
        <p className="my-3 max-w-[72ch]">
          <Inlines inlines={block.children} path={path} />
        </p>
      );
    case 'list':
      return <List block={block} path={path} copy={copy} />;
    case 'code':
      return <Code block={block} copy={copy} />;
    case 'table':
      return <DocumentTable block={block} caption={caption} path={path} />;
  }
}

type Of<Type extends Block['type']> = Extract<Block, { type: Type }>;

/** A heading that is a link to itself, for people to copy. */
function Heading({ block, path }: { block: Of<'heading'>; path: string }) {
  const { depth, id, children } = block;
  const Level = depth === 1 ? 'h1' : depth === 2 ? 'h2' : depth === 3 ? 'h3' : 'h4';
  const style = HEADINGS[depth === 1 ? 1 : depth === 2 ? 2 : depth === 3 ? 3 : 4];
  return (
    <Level id={id} className={`${style} scroll-mt-4 font-semibold tracking-tight wrap-anywhere`}>
      {depth === 1 ? (
        <Inlines inlines={children} path={path} />
      ) : (
        <a href={`#${id}`} className="no-underline hover:underline">
          <Inlines inlines={children} path={path} />
        </a>
      )}
    </Level>
  );
}

function List({ block, path, copy }: { block: Of<'list'>; path: string; copy: string }) {
  const Kind = block.ordered ? 'ol' : 'ul';
  return (
    <Kind className={`my-3 grid max-w-[72ch] gap-1.5 pl-5 ${block.ordered ? 'list-decimal' : 'list-disc'}`}>
      {block.items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the items of a document never change their places
        <li key={index} className="marker:text-ink-soft [&>p]:my-0 [&>ul]:my-1.5">
          <Blocks blocks={item} path={path} copy={copy} />
        </li>
      ))}
    </Kind>
  );
}

/** Commands and programs have a button that copies them; a drawing keeps its lines. */
function Code({ block: { language, text }, copy }: { block: Of<'code'>; copy: string }) {
  const label = LANGUAGES[language];
  if (label !== undefined)
    return (
      <div className="my-3 max-w-[80ch]">
        <CodeBlock label={label} text={text} copy={copy} />
      </div>
    );
  const lines = NOT_CODE[language];
  if (lines === undefined) throw new Error(`Say in LANGUAGES what ${language} is called.`);
  return (
    <pre
      // What scrolls must be reachable by keyboard (WCAG 2.1.1).
      tabIndex={language === '' ? 0 : undefined}
      className={`border-line bg-canvas my-3 rounded-md border p-3 font-mono text-xs leading-relaxed ${lines}`}
    >
      {text}
    </pre>
  );
}

function DocumentTable({ block, caption, path }: { block: Of<'table'>; caption: string; path: string }) {
  const labels = block.head.map(plainText);
  return (
    <div className="border-line bg-surface my-4 rounded-lg border">
      <Table caption={caption} cards>
        {labels.some((label) => label !== '') ? (
          <thead>
            <tr>
              {block.head.map((cell, index) =>
                cell.length === 0 ? (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns never change their places
                  <Cell key={index} />
                ) : (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns never change their places
                  <HeaderCell key={index}>
                    <Inlines inlines={cell} path={path} />
                  </HeaderCell>
                ),
              )}
            </tr>
          </thead>
        ) : null}
        <tbody>
          {block.rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows never change their places
            <tr key={at}>
              {row.map((cell, index) => {
                const label = labels[index] ?? '';
                return (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns never change their places
                  <Cell key={index} {...(label === '' ? {} : { label })}>
                    <Inlines inlines={cell} path={path} />
                  </Cell>
                );
              })}
            </tr>
          ))}
        </tbody>
      </Table>
    </div>
  );
}
