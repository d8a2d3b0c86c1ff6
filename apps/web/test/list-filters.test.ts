import { verifies } from '@bailiff/core/testing';
import { expect, it } from 'vitest';
import { chipsOf, isNarrowed, type ListFilter, nameIn, readFilters } from '#src/list-filters.ts';

const HUGO = '200000000000000001';
const FILTERS: readonly ListFilter[] = [
  { name: 'status', label: 'State', place: 'tabs', options: [{ value: 'closed', label: 'Closed' }] },
  { name: 'q', label: 'Search', place: 'search' },
  { name: 'kind', label: 'Kind', options: [{ value: 'ban', label: 'Ban' }] },
  { name: 'by', label: 'Moderator', is: 'person' },
  { name: 'from', label: 'From', is: 'day' },
  { name: 'about', label: 'Target', is: 'target' },
  { name: 'token', label: 'Token', place: 'more' },
];

it('each filter that is set is a chip with names, whose address is the list without it', () => {
  verifies('dashboard.filter-chips');
  const query = { q: 'noise', kind: 'ban', by: HUGO, from: '2026-11-20', status: 'closed' };
  const chips = chipsOf('/cases', readFilters(query, FILTERS), { [HUGO]: 'Hugo' });
  expect(chips.map(({ text, href }) => [text, href])).toEqual([
    ['“noise”', `/cases?status=closed&kind=ban&by=${HUGO}&from=2026-11-20`],
    ['Kind: Ban', `/cases?status=closed&q=noise&by=${HUGO}&from=2026-11-20`],
    ['Moderator: Hugo', '/cases?status=closed&q=noise&kind=ban&from=2026-11-20'],
    ['From: 2026-11-20', `/cases?status=closed&q=noise&kind=ban&by=${HUGO}`],
  ]);
  expect(chipsOf('/cases', readFilters({}, FILTERS), {})).toEqual([]);
});

it.each([
  ['kind', 'tickle', 'choice'],
  ['status', 'ajar', 'choice'],
  ['by', 'Hugo', 'person'],
  ['about', 'Hugo', 'person'],
  ['from', '2026-02-31', 'day'],
  ['from', 'yesterday', 'day'],
  ['token', 'tok_1', 'text'],
  ['kind', ['ban', 'ban'], 'twice'],
])('%s=%s is a wrong value, which its chip shows', (name, value, problem) => {
  verifies('dashboard.filter-wrong');
  const filters = readFilters({ [name]: value }, FILTERS, name === 'token' ? ['token'] : []);
  const wrong = filters.filter((filter) => filter.problem !== null);
  expect(wrong.map((filter) => [filter.name, filter.problem])).toEqual([[name, problem]]);
  const [chip] = chipsOf('/cases', filters, {});
  expect(chip).toMatchObject({
    wrong: true,
    href: '/cases',
    text: expect.stringContaining([value].flat()[0] ?? ''),
  });
});

it.each(['constructor', 'toString', '__proto__'])('a chip shows the text %s as it was typed', (text) => {
  const query = { q: text, by: text };
  const chips = chipsOf('/cases', readFilters(query, FILTERS), { [HUGO]: 'Hugo' });
  expect(chips.map((chip) => chip.text)).toEqual([`“${text}”`, `Moderator: ${text}`]);
  expect(nameIn({ [HUGO]: 'Hugo' }, text)).toBeUndefined();
});

it('a tab narrows nothing, and right values are not wrong', () => {
  const filters = readFilters({ status: 'closed' }, FILTERS);
  expect(isNarrowed(filters)).toBe(false);
  expect(filters.every(({ problem }) => problem === null)).toBe(true);
  expect(isNarrowed(readFilters({ kind: 'ban' }, FILTERS))).toBe(true);
  for (const about of [HUGO, `tok_${'0'.repeat(32)}`])
    expect(readFilters({ about }, FILTERS).every(({ problem }) => problem === null)).toBe(true);
});
