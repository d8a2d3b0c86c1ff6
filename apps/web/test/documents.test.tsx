import { existsSync, globSync, readFileSync } from 'node:fs';
import { posix, resolve } from 'node:path';
import { CAPABILITIES, CHAT_OPERATION_NAMES, entryOf } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { CATALOGUES, translator } from '@bailiff/messages/dashboard';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { Blocks } from '#components/documents/blocks.tsx';
import { DocumentList } from '#components/documents/documents-frame.tsx';
import { MessagesProvider } from '#components/messages-provider.tsx';
import { textOf } from '#src/documents/files.ts';
import { DONE_IN_DISCORD, GUIDE_TOPICS } from '#src/documents/guide-topics.ts';
import { DOCUMENT_SLUGS, type Document, documentAt, slugOf } from '#src/documents/library.ts';
import { hrefOf, markdownOf } from '#src/documents/links.ts';
import { llmsText } from '#src/documents/llms.ts';
import { type Block, readMarkdown } from '#src/documents/markdown.ts';
import { searchSections } from '#src/documents/search.ts';
import { allSections } from '#src/documents/sections.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
const ORIGIN = 'https://bailiff.test';
const documents = DOCUMENT_SLUGS.flatMap((slug) => documentAt(slug) ?? []);

/** Addresses of the product that are no documents, and what is behind each. */
const OTHER_PAGES = ['/docs', '/docs/api', '/openapi.json'];

const anchors = new Map(documents.map(({ slug, blocks }) => [`/docs/${slug}`, idsOf(blocks)]));

function idsOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => (block.type === 'heading' ? [block.id] : []));
}

function htmlOf({ blocks, path }: Pick<Document, 'blocks' | 'path'>): string {
  return renderToStaticMarkup(
    <MessagesProvider locale="en" namespaces={['ui']} compiled={{}}>
      <Blocks blocks={blocks} path={path} copy="Copy" />
    </MessagesProvider>,
  );
}

/** Whether an address within the product leads somewhere, its anchor included. */
function isThere(href: string): boolean {
  const [page = '', fragment] = href.split('#');
  if (fragment === undefined) return anchors.has(page) || OTHER_PAGES.includes(page);
  return anchors.get(page)?.includes(fragment) ?? false;
}

describe.each(documents)('/docs/$slug', (document) => {
  it('has no link that leads nowhere', () => {
    verifies('docs.site');
    const links = [...htmlOf(document).matchAll(/ href="([^"]*)"/g)].map(([, href = '']) => href);
    const within = links.filter((href) => !/^(https?|mailto):/.test(href) && !/\.png$/.test(href));
    expect(
      within
        .map((href) => (href.startsWith('#') ? `/docs/${document.slug}${href}` : href))
        .filter((href) => !isThere(href)),
    ).toEqual([]);
  });

  it('has each id once', () => {
    const ids = [...htmlOf(document).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toEqual([...new Set(ids)]);
  });

  it('is Markdown for programs, with links that lead somewhere', () => {
    verifies('docs.llms');
    const links = readMarkdown(markdownOf(document, ORIGIN))
      .map((block) => JSON.stringify(block))
      .flatMap((block) => [...block.matchAll(/"type":"link","target":"([^"]*)"/g)])
      .map(([, target = '']) => target)
      .filter((target) => target.startsWith(ORIGIN) || !/^\w+:/.test(target));
    const dead = links.filter((target) => {
      const address = target.startsWith('#') ? `/docs/${document.slug}${target}` : target.replace(ORIGIN, '');
      return !isThere(address.replace(/\.md(?=#|$)/, ''));
    });
    expect(dead).toEqual([]);
  });
});

const FILES = globSync(['*.md', '{apps,packages}/*/README.md', 'docs/**/*.md'], { cwd: ROOT });

it.each(FILES)('every link and picture of %s leads to a file, and to a heading of it', (path) => {
  const targets = [...JSON.stringify(readFile(path)).matchAll(/"target":"([^"]+)"/g)].map(
    ([, target]) => target ?? '',
  );
  const dead = targets.filter((target) => {
    if (/^\w+:/.test(target)) return false;
    const [file = '', fragment] = target.split('#');
    const linked = file === '' ? path : posix.join(posix.dirname(path), file);
    if (fragment === undefined) return !existsSync(resolve(ROOT, linked));
    return !idsOf(readFile(linked)).includes(fragment);
  });
  expect(dead).toEqual([]);
});

function readFile(path: string): Block[] {
  return readMarkdown(readFileSync(resolve(ROOT, path), 'utf8'));
}

it('every sample of JSON can be parsed', () => {
  const samples = documents.flatMap(({ blocks }) => blocks.filter((block) => block.type === 'code'));
  for (const { language, text } of samples) {
    if (language === 'json') expect(() => JSON.parse(text), text).not.toThrow();
  }
});

it('what only the repository has is named and not linked', () => {
  expect(hrefOf('../deploy/systemd', 'docs/operations.md')).toBeNull();
  expect(markdownOf(documentAt('operations') ?? fail(), ORIGIN)).not.toContain('](../');
});

it('every guide of docs/ is on the site', () => {
  verifies('docs.site');
  expect(globSync('docs/**/*.md', { cwd: ROOT }).filter((path) => slugOf(path) === undefined)).toEqual([]);
});

function fail(): never {
  throw new Error('It is not there.');
}

describe('the guides', () => {
  it.each(Object.entries(GUIDE_TOPICS))('answer what the dashboard asks about %s', (topic, href) => {
    verifies('docs.guides');
    expect(isThere(href)).toBe(true);
    const sources = globSync('apps/web/app/**/*.tsx', { cwd: ROOT }).map((path) =>
      readFileSync(path, 'utf8'),
    );
    expect(sources.filter((source) => source.includes(`<GuideLink topic="${topic}" />`))).not.toEqual([]);
  });

  it.each(Object.values(DONE_IN_DISCORD))(
    'say how to do in Discord what cannot be done in the dashboard: %s',
    (href) => {
      verifies('docs.guides');
      expect(isThere(href)).toBe(true);
    },
  );

  it('for owners names every capability', () => {
    const guide = textOf('docs/owners.md');
    expect(CAPABILITIES.filter((capability) => !guide.includes(`\`${capability}\``))).toEqual([]);
  });

  it('for moderators names every command and every entry of a menu', () => {
    const guide = textOf('docs/moderators.md');
    const commands = CHAT_OPERATION_NAMES.map((name) => `/${entryOf(name).chat?.command}`);
    const shown = (command: string) =>
      [`\`${command}\``, `\n${command} `].some((form) => guide.includes(form));
    const menus = menusIn(CATALOGUES.en.operations);
    expect(menus).toContain('Strike for this message');
    expect(commands.filter((command) => !shown(command))).toEqual([]);
    const text = guide.replaceAll(/\s+/g, ' ');
    expect(menus.filter((menu) => !text.includes(`**Apps → ${menu}**`))).toEqual([]);
  });
});

/** What Discord's menus on people and messages offer. */
function menusIn(words: object): string[] {
  return Object.entries(words).flatMap(([key, inner]) => {
    if (typeof inner !== 'object') return [];
    return key === 'menus' ? Object.values<string>(inner) : menusIn(inner);
  });
}

it.each([
  ['owners', ['/docs/owners']],
  [undefined, []],
])('the list of documents marks the one that is read: %s', (current, marked) => {
  const html = renderToStaticMarkup(<DocumentList t={translator('en', 'docs')} current={current} />);
  const links = [...html.matchAll(/<a [^>]*>/g)].map(([link]) => link);
  expect(links.filter((link) => link.includes('href="/docs/owners"'))).toHaveLength(1);
  const here = links.filter((link) => link.includes('aria-current="page"'));
  expect(here.map((link) => / href="([^"]*)"/.exec(link)?.[1])).toEqual(marked);
});

it('llms.txt lists every document', () => {
  verifies('docs.llms');
  const text = llmsText({ publicUrl: ORIGIN, dashboardUrl: ORIGIN });
  expect(text).toMatch(/^# Bailiff\n\n> .+\n\n## /);
  const listed = [...text.matchAll(/^- \[.+\]\((.+)\): .+$/gm)].map(([, address]) => address);
  expect(listed.toSorted()).toEqual(
    [...DOCUMENT_SLUGS.map((slug) => `${ORIGIN}/docs/${slug}.md`), `${ORIGIN}/openapi.json`].toSorted(),
  );
});

describe('the search', () => {
  const find = (query: string) => searchSections(allSections(), query, 8);

  it('finds a section by the beginnings of its words, its heading first', () => {
    verifies('docs.search');
    expect(find('escal')[0]).toMatchObject({ heading: 'Escalation', href: '/docs/owners#escalation' });
    expect(find('window')[0]).toMatchObject({ heading: 'Windows', href: '/docs/owners#windows' });
    expect(find('two addresses')[0]?.href).toBe('/docs/operations#two-addresses');
  });

  it('finds only what has all of the words, and shows where', () => {
    verifies('docs.search');
    const [hit] = find('OAUTH_CLIENTS');
    expect(hit?.href).toBe('/docs/operations#programs-that-ask-for-tokens');
    expect(hit?.excerpt).toContain('OAUTH_CLIENTS');
    expect(find('OAUTH_CLIENTS zebra')).toEqual([]);
  });

  it('finds as many sections as were asked for, each with about a line of its text', () => {
    verifies('docs.search');
    const hits = find('the');
    expect(hits).toHaveLength(8);
    for (const { excerpt } of hits) expect(excerpt.replace(/^… | …$/g, '').length).toBeLessThanOrEqual(120);
    expect(Math.max(...hits.map(({ excerpt }) => excerpt.length))).toBeGreaterThan(100);
  });

  it.each(['', '   ', '…', '.*', '(', '\\'])('takes %j for nothing', (query) => {
    expect(find(query)).toEqual([]);
  });

  it('leads to sections that are there', () => {
    expect(allSections().filter(({ href }) => !isThere(href))).toEqual([]);
  });
});

describe('Markdown', () => {
  const htmlOfText = (source: string) => htmlOf({ blocks: readMarkdown(source), path: 'docs/mcp.md' });

  it('is read as it is written', () => {
    const html = htmlOfText(
      [
        '# A *title* with `code`',
        'A line that',
        'goes on with **bold `text`** and [a link](mcp.md#connect).',
        '',
        '- one',
        '  goes on',
        '  - inner',
        '- two',
        '',
        '1. first',
        '2. second',
        '',
        '| A | |',
        '|---|---|',
        '| `x \\| y` | <https://bailiff.example> |',
        '',
        '```sh',
        'a < b  # [not](a link)',
        '```',
        '```',
        '# no heading',
        '```',
        '<!-- nobody reads this -->',
      ].join('\n'),
    ).replaceAll(/ (?:class|style|tabindex)="[^"]*"/g, '');
    for (const part of [
      '<h1 id="a-title-with-code">A <em>title</em> with <code>code</code></h1>',
      '<p>A line that goes on with <strong>bold <code>text</code></strong> and <a data-follow="" href="/docs/mcp#connect">a link</a>.</p>',
      '<ul><li><p>one goes on</p><ul><li><p>inner</p></li></ul></li><li><p>two</p></li></ul>',
      '<ol><li><p>first</p></li><li><p>second</p></li></ol>',
      '<code>x | y</code>',
      '<a href="https://bailiff.example">https://bailiff.example</a>',
      'a &lt; b  # [not](a link)',
      '<pre># no heading</pre>',
    ])
      expect(html).toContain(part);
    expect(html).not.toContain('nobody reads this');
  });

  it.each([
    '<b>HTML</b>',
    'some <b>HTML</b>',
    '> a quotation',
    '    indented code',
    '```sh\nno end',
    '- a\nlazy',
    '**not closed',
    'a [name][nobody-knows]',
    '| a |\n| b |',
    '| a |\n|---|\n| b | c |',
  ])('is refused where it is not known: %j', (source) => {
    expect(() => readMarkdown(source)).toThrow();
  });
});
