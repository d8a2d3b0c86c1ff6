import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Markdown, readMarkdown } from '#src/discord-markdown.ts';
import { growthOfWork, MOST_GROWTH } from '#src/testing.ts';

/** The text that a reader sees, without marks. */
function textOf(nodes: readonly Markdown[]): string {
  return nodes
    .map((node) =>
      'children' in node
        ? textOf(node.children)
        : 'text' in node
          ? node.text
          : 'id' in node
            ? node.id
            : node.iso,
    )
    .join('');
}

const text = (said: string): Markdown => ({ type: 'text', text: said });
const link = (to: string): Markdown => ({ type: 'link', text: to });
const time = (iso: string): Markdown => ({ type: 'time', iso });
const emphasis = (type: 'bold' | 'italic') => (said: string | Markdown) =>
  ({ type, children: [typeof said === 'string' ? text(said) : said] }) satisfies Markdown;
const [bold, italic] = [emphasis('bold'), emphasis('italic')];

it.each<[string, Markdown[]]>([
  ['plain', [text('plain')]],
  [
    '**bold** and *thin*',
    [{ type: 'bold', children: [text('bold')] }, text(' and '), { type: 'italic', children: [text('thin')] }],
  ],
  ['__under__', [{ type: 'underline', children: [text('under')] }]],
  [
    '~~gone~~ ||secret||',
    [
      { type: 'strike', children: [text('gone')] },
      text(' '),
      { type: 'spoiler', children: [text('secret')] },
    ],
  ],
  [
    '**a *b* c**',
    [{ type: 'bold', children: [text('a '), { type: 'italic', children: [text('b')] }, text(' c')] }],
  ],
  ['snake_case_name and 2 * 3 * 4', [text('snake_case_name and 2 * 3 * 4')]],
  ['**never closed', [text('**never closed')]],
  ['\\*not thin\\*', [text('*not thin*')]],
  ['`**code**`', [{ type: 'code', text: '**code**' }]],
  ['```js\nlet a;\n```', [{ type: 'block', text: 'let a;' }]],
  ['```never closed', [text('```never closed')]],
  ['> quoted\nnot', [{ type: 'quote', children: [text('quoted')] }, text('not')]],
  [
    '<@820612853235974144> <@&820612853235974145> <#820612853235974146>',
    [
      { type: 'user', id: '820612853235974144' },
      text(' '),
      { type: 'role', id: '820612853235974145' },
      text(' '),
      { type: 'channel', id: '820612853235974146' },
    ],
  ],
  ['<a:wave:820612853235974144>', [{ type: 'emoji', text: ':wave:' }]],
  ['<t:0:R>', [{ type: 'time', iso: '1970-01-01T00:00:00.000Z' }]],
  [
    'see https://a.example/x_y_z.',
    [text('see '), { type: 'link', text: 'https://a.example/x_y_z' }, text('.')],
  ],
  ['_thin_ and *thin*s', [italic('thin'), text(' and '), italic('thin'), text('s')]],
  ['a*b*c', [text('a'), italic('b'), text('c')]],
  ['* a* and *a *', [text('* a* and *a *')]],
  ['*\ta* *', [text('*\ta* *')]],
  ['a_b_ _c_d', [text('a_b_ _c_d')]],
  ['_a_b c_', [italic('a_b c')]],
  ['*a**b*', [italic('a**b')]],
  ['**a** **b**', [bold('a'), text(' '), bold('b')]],
  ['**a_b** _c_', [bold('a_b'), text(' '), italic('c')]],
  ['** a** **b **', [bold(' a'), text(' '), bold('b ')]],
  ['**', [text('**')]],
  ['a\\b \\* \\_ \\~ \\| \\` \\< \\> \\# \\- \\\\', [text('a\\b * _ ~ | ` < > # - \\')]],
  ['`a\nb``', [text('`a\nb``')]],
  ['say `a` twice', [text('say '), { type: 'code', text: 'a' }, text(' twice')]],
  ['```\na\n\nb\n```', [{ type: 'block', text: 'a\n\nb' }]],
  ['```c++\na```b', [{ type: 'block', text: 'a' }, text('b')]],
  ['```not a word\na```', [{ type: 'block', text: 'not a word\na' }]],
  ['```js```', [{ type: 'block', text: 'js' }]],
  ['```a``` b ```c', [{ type: 'block', text: 'a' }, text(' b ```c')]],
  ['a\n> b\n> *c*\nd\ne', [text('a'), { type: 'quote', children: [text('b\n'), italic('c')] }, text('d\ne')]],
  ['>a\n>> b', [text('>a\n>> b')]],
  ['> a', [{ type: 'quote', children: [text('a')] }]],
  ['<@!820612853235974144>', [{ type: 'user', id: '820612853235974144' }]],
  ['<@1> <@&1> <#1> <:x:1>', [text('<@1> <@&1> <#1> <:x:1>')]],
  ['<:wave_2:820612853235974144>', [{ type: 'emoji', text: ':wave_2:' }]],
  [
    '<t:1700000000> <t:1:x> <t:123456789012>',
    [time('2023-11-14T22:13:20.000Z'), text(' <t:1:x> <t:123456789012>')],
  ],
  ...[...'tTdDfFR'].map((style): [string, Markdown[]] => [
    `<t:60:${style}>`,
    [time('1970-01-01T00:01:00.000Z')],
  ]),
  [
    'http://a.example/?b=(c), <https://a.example>',
    [link('http://a.example/?b=(c'), text('), <'), link('https://a.example'), text('>')],
  ],
  ...['https://', 'http://.', 'https://['].map((said): [string, Markdown[]] => [said, [text(said)]]),
  ['**https://a.example**', [bold(link('https://a.example'))]],
  ['javascript:alert(1) <img src=x>', [text('javascript:alert(1) <img src=x>')]],
  ['[click](javascript:alert(1))', [text('[click](javascript:alert(1))')]],
])('%j is read as people write it', (said, nodes) => {
  expect(readMarkdown(said)).toEqual(nodes);
});

const written = fc.string({
  unit: fc.constantFrom(
    ...'ab _*~|`>\\\n<@&#:!t0123456789',
    '```',
    '**',
    '||',
    'https://a.b/',
    '<@820612853235974144>',
  ),
  maxLength: 400,
});

it('whatever is written, no letter of it is lost and every link is one of the web', () => {
  const letters = (said: string) => said.replace(/[^ab]/g, '');
  const links = (nodes: readonly Markdown[]): string[] =>
    nodes.flatMap((node) =>
      'children' in node ? links(node.children) : node.type === 'link' ? [node.text] : [],
    );
  fc.assert(
    fc.property(written, (said) => {
      const nodes = readMarkdown(said);
      const block = /```[\w+-]*\n/.test(said) || /<a?:/.test(said);
      if (!block) expect(letters(textOf(nodes))).toBe(letters(said));
      for (const link of links(nodes)) expect(link).toMatch(/^https?:\/\//);
    }),
    { numRuns: 500 },
  );
});

it.each([
  '*',
  '**',
  '_',
  '__',
  '~~',
  '||',
  '`',
  '```',
  '<@',
  '> ',
  '\\',
  '*_',
  '**a',
  'https://',
  '_a',
  ' *a',
  ' _a',
])('what is far longer than any message and nothing but %j is read in time', (part) => {
  const parts = Math.ceil(25_000 / part.length);
  expect(growthOfWork(parts, (count) => readMarkdown(part.repeat(count)))).toBeLessThan(MOST_GROWTH);
});

it('an address with far more punctuation than any message is read in time', () => {
  const growth = growthOfWork(25_000, (count) => readMarkdown(`https://a${'.'.repeat(count)}b`));
  expect(growth).toBeLessThan(MOST_GROWTH);
});
