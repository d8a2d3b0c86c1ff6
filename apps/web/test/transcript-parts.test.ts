import { partOf } from '@bailiff/engine/tickets/transcript-parts';
import { expect, test } from 'vitest';
import { hrefOfMessage, partStartIn, partsBeside } from '#src/transcript-parts.ts';

const PATH = '/guilds/1/tickets/2';
const messages = Array.from({ length: 401 }, (_, n) => ({
  ...{ id: String(n + 1), author_id: '2', author_name: 'Alex', sent_at: '2026-11-01T00:00:00.000Z' },
  ...{ text: 'Hi', attachments: [] },
}));

/** The numbers of the messages that an address shows, and where its links lead. */
function at(address: string) {
  const query = Object.fromEntries(new URL(address, 'http://bailiff.test').searchParams);
  const part = partOf(messages, partStartIn(query));
  return { ids: part.messages.map(({ id }) => Number(id)), ...partsBeside(PATH, part, messages.length) };
}

test('the links from part to part of a transcript leave out no message, show none twice, and end at both ends', () => {
  const backward: number[] = [];
  let shown = at(PATH);
  expect(shown.newerHref).toBeNull();
  for (let href: string | null = PATH; href !== null; href = shown.olderHref) {
    shown = at(href);
    backward.unshift(...shown.ids);
  }
  expect(backward).toEqual(messages.map(({ id }) => Number(id)));
  const forward: number[] = [];
  for (let href: string | null = `${PATH}?from=1`; href !== null; href = shown.newerHref) {
    shown = at(href);
    forward.push(...shown.ids);
  }
  expect(forward).toEqual(backward);
});

test('the link to a message of another part leads to that part, and there to the message', () => {
  const href = hrefOfMessage(PATH, 42, '1042');
  expect(at(href).ids[0]).toBe(42);
  expect(href.split('#')[1]).toBe('m1042');
});
