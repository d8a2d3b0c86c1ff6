import { verifies } from '@bailiff/core/testing';
import { expect, it } from 'vitest';
import { filtersIn, readViews, withView } from '#src/saved-views.ts';

const view = (name: string, query = 'kind=ban') => ({ name, query });

it('filters are kept under a name, and other filters under the same name take their place', () => {
  verifies('dashboard.saved-views');
  const two = withView(withView([], view('Night')) ?? [], view('Bans')) ?? [];
  expect(two).toEqual([view('Bans'), view('Night')]);
  expect(withView(two, view('Night', 'kind=mute'))).toEqual([view('Bans'), view('Night', 'kind=mute')]);
});

it('twenty are kept at most', () => {
  verifies('dashboard.saved-views');
  const full = Array.from({ length: 20 }, (_, n) => view(`View ${n}`));
  expect(withView(full.slice(1), view('One more'))).toHaveLength(20);
  expect(withView(full, view('One more'))).toBeNull();
  expect(withView(full, view('View 3', 'kind=mute'))).toHaveLength(20);
  expect(readViews(JSON.stringify([...full, view('One more')]))).toHaveLength(20);
});

it('a view has the filters of an address and not its page', () => {
  expect(filtersIn(new URLSearchParams('kind=ban&before=77&q=lamp'))).toBe('kind=ban&q=lamp');
  expect(filtersIn(new URLSearchParams('after=12'))).toBe('');
});

it.each([
  null,
  '',
  'no json',
  '{}',
  '[null, 3, {"name": ""}, {"name": "x"}, {"name": 1, "query": ""}]',
  JSON.stringify([view('x'.repeat(61))]),
])('%o, kept by whatever, is no view', (kept) => {
  expect(readViews(kept)).toEqual([]);
});
