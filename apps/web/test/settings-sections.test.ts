import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { anchorIn } from '#src/settings-sections.ts';

const FORMER = { 'part-Rôles': '/guilds/1/settings/roles' };

test.each([
  ['#part-R%C3%B4les', { anchor: 'part-Rôles', page: '/guilds/1/settings/roles' }],
  ['#log-channel', { anchor: 'log-channel', page: null }],
  ['', { anchor: '', page: null }],
  ['#100%', { anchor: '100%', page: null }],
  ['#constructor', { anchor: 'constructor', page: null }],
])('an address that ends with %j leads to a place, or stays where it is', (hash, expected) => {
  verifies('settings.sections');
  expect(anchorIn(hash, FORMER)).toEqual(expected);
});
