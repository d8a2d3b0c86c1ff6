import { verifies } from '@bailiff/core/testing';
import { expect, it } from 'vitest';
import type { TranscriptMessage } from '#src/tickets/ticket-list.ts';
import {
  MOST_TRANSCRIPT_BYTES,
  type SharedTranscript,
  transcriptPage,
} from '#src/tickets/transcript-page.ts';

const MESSAGE: TranscriptMessage = {
  id: '300000000000000001',
  author_id: '200000000000000001',
  author_name: 'Sam',
  author_is_bot: false,
  sent_at: '2026-11-23T10:00:00.000Z',
  text: 'Hello',
  attachments: [],
  reply_to: null,
};
const SHARED: SharedTranscript = {
  guildName: 'The Burrow',
  number: 7,
  subject: 'Griefed',
  category: null,
  answers: [],
  openedAt: new Date('2026-11-23T09:00:00Z'),
  closedAt: new Date('2026-11-23T11:00:00Z'),
  messages: [MESSAGE],
  isCut: false,
  names: {},
};

const page = (changes: Partial<SharedTranscript>, most?: number) =>
  transcriptPage({ ...SHARED, ...changes }, 'en', undefined, most);

/** The tags of a page, with their attributes. */
const tagsOf = (html: string) => html.match(/<[a-z!/][^>]*>/g) ?? [];

it('says what was written, by whom, when, and what was answered', async () => {
  const html = await page({
    category: 'Houses',
    answers: [{ question: 'Where?', answer: 'At the river' }],
    messages: [
      { ...MESSAGE, text: '**Look** <@200000000000000001> at https://example.com/a?b=1&c=2.' },
      { ...MESSAGE, id: '300000000000000002', reply_to: MESSAGE.id, text: '', attachments: ['roof.png'] },
    ],
  });
  expect(html).toContain('<title>Ticket #7 · The Burrow</title>');
  expect(html).toContain('<dt><bdi>Where?</bdi></dt><dd><bdi>At the river</bdi></dd>');
  expect(html).toContain('<strong>Look</strong> <span class="mention">@<bdi>Sam</bdi></span> at <a');
  expect(html).toContain('href="https://example.com/a?b=1&amp;c=2"');
  expect(html).toContain('<time datetime="2026-11-23T10:00:00.000Z">Nov 23, 2026, 10:00 AM</time>');
  expect(html).toContain('href="#m300000000000000001"><bdi>In reply to Sam</bdi></a>');
  expect(html).toContain('Attached: <bdi>roof.png</bdi>');
  expect(html).toContain('<dt><bdi>Opened</bdi></dt><dd><time datetime="2026-11-23T09:00:00.000Z">');
  const closed = '<dt><bdi>Closed</bdi></dt>';
  expect(html).toContain(`${closed}<dd><time datetime="2026-11-23T11:00:00.000Z">`);
  expect(await page({ closedAt: null })).not.toContain(closed);
});

it('says of channels, times, answers and texts that are not there what they are', async () => {
  const html = await page({
    names: { '400000000000000001': 'rules' },
    messages: [
      { ...MESSAGE, text: 'Read <#400000000000000001> or <#400000000000000002> by <t:1767323045:f>' },
      { ...MESSAGE, id: '300000000000000002', author_name: '', author_is_bot: true, text: '' },
      { ...MESSAGE, id: '300000000000000003', reply_to: '300000000000000009' },
    ],
  });
  expect(html).toContain('<span class="mention">#<bdi>rules</bdi></span>');
  expect(html).toContain('<span class="mention">#<bdi>400000000000000002</bdi></span>');
  expect(html).toContain('<time datetime="2026-01-02T03:04:05.000Z">Jan 2, 2026, 3:04 AM</time>');
  const [, second = '', third = ''] = html.match(/<li id="m.*?<\/li>/gs) ?? [];
  expect(second).toMatch(/<strong><bdi>–<\/bdi><\/strong> <span class="soft">\w+.*<div class="soft">/s);
  expect(second).not.toContain('class="text"');
  expect(third).toMatch(/^<li id="m300000000000000003"><div class="soft">In reply to/);
  expect(third).not.toContain('<a ');
});

it('shows hostile text as text, wherever it stands: no tag, no attribute, nothing that loads', async () => {
  verifies('tickets.transcript.safe');
  const evil = `"'><script>alert(1)</script><img src=x onerror=alert(1)></title></style><!-- &lt;b&gt; \u202e`;
  const hostile = await page({
    guildName: evil,
    subject: evil,
    category: evil,
    answers: [{ question: evil, answer: evil }],
    names: { '200000000000000009': evil },
    messages: [
      {
        ...MESSAGE,
        id: evil,
        author_name: evil,
        text: `${evil} **${evil}** \`${evil}\` ||${evil}|| <@200000000000000009> https://x.example/"onclick="a javascript:alert(1)`,
        attachments: [evil],
        reply_to: evil,
      },
      { ...MESSAGE, text: `\`\`\`html\n${evil}\n\`\`\`\n> ${evil}`, reply_to: evil },
    ],
  });
  const names = new Set(tagsOf(hostile).map((tag) => /^<[!/]?(\w+)/.exec(tag)?.[1]));
  for (const name of ['script', 'img', 'iframe', 'link', 'object', 'b']) expect(names).not.toContain(name);
  const allowed = /^(charset|http-equiv|content|name|lang|class|dir|id|href|rel|datetime|tabindex)$/;
  for (const tag of tagsOf(hostile)) {
    const bare = tag.replaceAll(/"[^"]*"/g, '""');
    for (const [, attribute = ''] of bare.matchAll(/\s([^\s=>/]+)=/g)) expect(attribute).toMatch(allowed);
  }
  for (const [, href] of hostile.matchAll(/href="([^"]*)"/g)) expect(href).toMatch(/^(https?:\/\/|#m)/);
  expect(hostile).toContain("default-src 'none'");
});

it('writes out what nobody would see, wherever it stands', async () => {
  verifies('tickets.transcript.unseen');
  const turned = 'a\u202egpj.exe\u200b';
  const html = await page({
    guildName: turned,
    subject: turned,
    category: turned,
    answers: [{ question: turned, answer: turned }],
    names: { '200000000000000009': turned },
    messages: [
      {
        ...MESSAGE,
        author_name: turned,
        text: `${turned} **${turned}** \`${turned}\` <@200000000000000009>\nhttps://x.example/${turned}`,
        attachments: [turned],
      },
      { ...MESSAGE, id: '300000000000000002', text: `\`\`\`${turned}\`\`\` 👩‍👩‍👧`, reply_to: MESSAGE.id },
    ],
  });
  // An address leads where it leads, percent-encoded by the browser.
  const shown = html.replaceAll(/href="[^"]*"/g, '');
  expect(shown).not.toMatch(/[\u202e\u200b]/);
  expect(shown.split('a\\u202egpj.exe\\u200b').length - 1).toBe(19);
  expect(shown).toContain('👩‍👩‍👧');
});

it('leaves out the oldest messages of a long ticket, and says how many', async () => {
  verifies('tickets.transcript.fits');
  const messages = Array.from({ length: 10_000 }, (_, n) => ({
    ...MESSAGE,
    id: String(300_000_000_000_000_000n + BigInt(n)),
    text: `${n} ${'ü'.repeat(1_990)}`,
  }));
  const html = await page({ messages });
  const size = Buffer.byteLength(html);
  expect(size).toBeLessThanOrEqual(MOST_TRANSCRIPT_BYTES);
  expect(size).toBeGreaterThan(MOST_TRANSCRIPT_BYTES * 0.95);
  const shown = html.match(/<li /g)?.length ?? 0;
  expect(html).toContain(`The oldest ${(10_000 - shown).toLocaleString('en')} messages are left out`);
  expect(html).toContain('9999 üüü');
  expect(html).not.toContain('>0 üüü');
});

it('holds 10,000 ordinary messages whole', async () => {
  const messages = Array.from({ length: 10_000 }, (_, n) => ({
    ...MESSAGE,
    id: String(n),
    text: 'x'.repeat(120),
  }));
  const html = await page({ messages });
  expect(html.match(/<li /g)).toHaveLength(10_000);
  expect(html).not.toContain('left out');
});

it('is made in steps, between which others have their turn', async () => {
  verifies('tickets.transcript.parts');
  const messages = Array.from({ length: 2_000 }, () => ({ ...MESSAGE, text: '*a* '.repeat(100) }));
  let steps = 0;
  const html = await transcriptPage({ ...SHARED, messages }, 'en', async (work) => {
    steps += 1;
    work();
  });
  expect(steps).toBeGreaterThan(html.length / 70_000);
  expect(html).not.toContain('missing');
});

it('says that messages are missing if the channel was gone before all were read', async () => {
  expect(await page({ isCut: true })).toContain('the channel was deleted before all were read');
  expect(await page({})).not.toContain('missing');
});
