import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeCursor, encodeCursor } from '#src/index.ts';
import { anyCharacter, GUILD, STRIKE, USER } from '#src/testing-samples.ts';

const SCOPE = { list: 'strikes.list', guildId: GUILD, filters: { severity: 'minor', active: true } };
const CURSOR = encodeCursor({ ...SCOPE, after: STRIKE });

test('a cursor gives back the id it was made of', () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[a-z]{3}_[0-9a-f]{32}$/),
      fc.dictionary(fc.string(), fc.jsonValue()),
      (after, filters) => {
        const scope = { ...SCOPE, filters };
        expect(decodeCursor(encodeCursor({ ...scope, after }), scope)).toBe(after);
      },
    ),
  );
});

test('a cursor of another list, guild or filter is none', () => {
  expect(decodeCursor(CURSOR, SCOPE)).toBe(STRIKE);
  expect(decodeCursor(CURSOR, { ...SCOPE, list: 'bans.list' })).toBeNull();
  expect(decodeCursor(CURSOR, { ...SCOPE, guildId: USER })).toBeNull();
  expect(decodeCursor(CURSOR, { ...SCOPE, filters: { severity: 'minor' } })).toBeNull();
  expect(decodeCursor(CURSOR, { ...SCOPE, filters: { severity: 'minor', active: false } })).toBeNull();
  expect(decodeCursor(CURSOR, { ...SCOPE, filters: { severity: 'minor', active: 'true' } })).toBeNull();
});

test('the order of the filters, absent ones and the page size do not matter', () => {
  const filters = { active: true, user_id: undefined, severity: 'minor', limit: 7, cursor: CURSOR };
  expect(decodeCursor(CURSOR, { ...SCOPE, filters })).toBe(STRIKE);
});

test('every altered cursor is none', () => {
  fc.assert(
    fc.property(
      fc.nat(CURSOR.length - 1),
      fc.constantFrom(...'ABCabc012-_=+/ .'),
      fc.constantFrom(0, 1),
      (at, character, removed) => {
        const altered = CURSOR.slice(0, at) + character + CURSOR.slice(at + removed);
        fc.pre(altered !== CURSOR);
        expect(decodeCursor(altered, SCOPE)).toBeNull();
      },
    ),
    { numRuns: 2000 },
  );
  for (const altered of [
    `${CURSOR}=`,
    `${CURSOR}\n`,
    ` ${CURSOR}`,
    CURSOR.slice(1),
    CURSOR.slice(0, -1),
    '',
  ]) {
    expect(decodeCursor(altered, SCOPE)).toBeNull();
  }
});

test('a cursor of no row is none', () => {
  expect(decodeCursor(encodeCursor({ ...SCOPE, after: '' }), SCOPE)).toBeNull();
});

test('no text makes it throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      expect(decodeCursor(text, SCOPE)).toBeNull();
    }),
  );
});

test('a cursor goes into a query as it is, within the bound of its field', () => {
  expect(CURSOR).toMatch(/^[\w-]+$/);
  expect(CURSOR.length).toBeLessThan(512);
});

test('a cursor that leads to no id is none, although its checksum is right', () => {
  for (const after of ['\0', `${STRIKE}\0`, `\0${STRIKE}`, "str_' OR true", 'zzz', ''])
    expect(decodeCursor(encodeCursor({ ...SCOPE, after }), SCOPE)).toBeNull();
});

test('a place in a list that is sorted by time, and the number of a case, are kept within their bounds', () => {
  const decoded = (after: string) => decodeCursor(encodeCursor({ ...SCOPE, after }), SCOPE);
  for (const after of [`${STRIKE}@1732000000000`, `${STRIKE}@0`, '1', '12', '123456789', '7@1732000000000'])
    expect(decoded(after)).toBe(after);
  for (const after of [
    `${STRIKE}@`,
    `${STRIKE}@x`,
    `${STRIKE}@${'9'.repeat(15)}`,
    '0',
    '01',
    '1x',
    '1234567890',
  ])
    expect(decoded(after)).toBeNull();
});
