import { verifies } from '@bailiff/core/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { localPath } from '#src/pages.ts';

const HOME = 'https://bailiff.example';

/** Where a browser on our site goes when it is redirected to this. */
const target = (path: string) => new URL(path, HOME);

it.each([
  'https://evil.example',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/%2e//evil.example',
  '/%2E%2e//evil.example',
  '/.%2F/evil.example',
  '/./\\evil.example',
  '/a/..//evil.example',
  '/a/../..//evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r\n//evil.example',
  '/.\t.//evil.example',
  ' //evil.example',
  '\u0000//evil.example',
  '/@evil.example',
  '@evil.example',
  '/:@evil.example//',
  'javascript:alert(1)',
  'data:text/html,x',
  'http:evil.example',
  'http:/evil.example',
  'evil.example',
  '',
  '//[',
  '/%5cevil.example',
  '/%2f%2fevil.example',
  '/／evil.example',
])('%j does not lead to another site', (trick) => {
  verifies('session.redirect');
  const path = localPath(trick);
  expect(path).toMatch(/^\/(?![/\\])/);
  expect(target(path).origin).toBe(HOME);
  expect(target(target(path).pathname).origin).toBe(HOME);
});

it('nothing that is written there does', () => {
  verifies('session.redirect');
  const piece = fc.constantFrom(
    '/',
    '\\',
    '.',
    '..',
    '%2e',
    '%2f',
    '%5c',
    '\t',
    '\n',
    '@',
    ':',
    'evil.example',
    '?',
    '#',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
      const path = localPath(pieces.join(''));
      expect(path).toMatch(/^\/(?![/\\])/);
      expect(target(path).origin).toBe(HOME);
    }),
    { numRuns: 2_000 },
  );
});

it('a path of ours is kept with its query, without what Next added', () => {
  expect(localPath('/guilds/1/audit?actor=2&page=3')).toBe('/guilds/1/audit?actor=2&page=3');
  expect(localPath('/guilds/1?_rsc=abc&tab=x')).toBe('/guilds/1?tab=x');
  for (const none of [undefined, ['/a', '/b'], '/\t/']) expect(localPath(none)).toBe('/');
});
