import { expect, test } from 'vitest';
import { renamed, wholeName } from '#src/index.ts';

test.each([
  ['otto.b', 'Otto', 'Otto (@otto.b)'],
  ['otto.b', 'otto.b', '@otto.b'],
  ['otto.b', null, '@otto.b'],
  [null, 'Otto', 'Otto'],
  [null, null, null],
])('who is @%s and shown as %s is called %s', (username, display_name, called) => {
  expect(wholeName({ username, display_name })).toBe(called);
});

test.each([
  [{ old_username: 'otto.b', old_display_name: 'Otto' }, 'Otto (@otto.b)', 'Ottilie (@otti)'],
  [{ old_username: 'otto.b', old_display_name: null }, '@otto.b', '@otti'],
  [{ old_username: null, old_display_name: null }, null, '@otti'],
])('a change from %j is told with what is known of both names', (old, from, to) => {
  expect(renamed({ username: 'otti', display_name: 'Ottilie', ...old })).toEqual({ from, to });
});
