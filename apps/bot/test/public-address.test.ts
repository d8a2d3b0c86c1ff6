import { expect, test } from 'vitest';
import { hasPublicAddress } from '#src/case-link.ts';

test.each([
  ['https://bailiff.example', true],
  ['http://203.0.113.7:3000', false],
  ['http://9.9.9.9:3000', true],
  ['https://[2606:4700::1111]', true],
  ['http://localhost:3000', false],
  ['http://bailiff.localhost', false],
  ['http://bailiff.local', false],
  ['http://bailiff.home.arpa', false],
  ['http://bailiff.internal', false],
  ['http://bailiff.test', false],
  ['http://bailiff', false],
  ['http://192.168.1.4', false],
  ['http://127.0.0.1:3000', false],
  ['http://[::1]:3000', false],
  ['http://2130706433', false],
])('whether %s is an address that everybody reaches', (url, is) => {
  expect(hasPublicAddress(url)).toBe(is);
});
