import { expect, test } from 'vitest';
import { CASE_KIND_NAMES, CaseId, ID_PREFIXES, id, kindOfCaseId, madeAt, Snowflake } from '#src/index.ts';

const HEX = '0190b7c44a3c7d3a9c3f2f6f0e8a1b2c';
const isTokenId = (text: string) => id('token').safeParse(text).success;

test('each kind of id has a prefix of three letters of its own', () => {
  const prefixes = Object.values(ID_PREFIXES);
  for (const prefix of prefixes) expect(prefix).toMatch(/^[a-z]{3}$/);
  expect(new Set(prefixes).size).toBe(prefixes.length);
});

test('an id is its prefix and 32 hexadecimal digits, and no other text', () => {
  expect(isTokenId(`tok_${HEX}`)).toBe(true);
  for (const wrong of [
    `win_${HEX}`,
    `tok_${HEX}0`,
    `xtok_${HEX}`,
    `tok_${HEX.slice(1)}`,
    `tok_${HEX.toUpperCase()}`,
  ]) {
    expect(isTokenId(wrong)).toBe(false);
  }
  expect(id('token').safeParse('x').error?.issues[0]?.message).toBe('must be an id that begins with tok_');
});

test('a case of any kind is known by its id, and nothing else is a case', () => {
  for (const kind of CASE_KIND_NAMES) expect(kindOfCaseId(`${ID_PREFIXES[kind]}_${HEX}`)).toBe(kind);
  for (const wrong of [`tok_${HEX}`, `ban_${HEX}0`, `xban_${HEX}`, `ban_${HEX.slice(1)}`, 'ban_', '']) {
    expect(kindOfCaseId(wrong)).toBeNull();
  }
  expect(CaseId.safeParse(`tok_${HEX}`).error?.issues[0]?.message).toBe('must be the id of a case');
});

test('the examples of ids are ids', () => {
  for (const schema of [id('server'), CaseId, Snowflake]) {
    expect(schema.meta()?.examples).toEqual([expect.schemaMatching(schema)]);
  }
});

test.each(['12345678901234567', '123456789012345678', '9999999999999999999', '17999999999999999999'])(
  '%s is an id of Discord',
  (text) => expect(Snowflake.parse(text)).toBe(text),
);

test.each([
  '1234567890123456',
  '012345678901234567',
  '18000000000000000000',
  '20000000000000000000',
  '123456789012345678901',
  'x12345678901234567',
  '12345678901234567x',
  '１２３４５６７８９０１２３４５６７',
])('%s is no id of Discord', (text) => {
  expect(Snowflake.safeParse(text).error?.issues[0]?.message).toBe(
    'must be a Discord id: a string of 17 to 20 digits',
  );
});

test("an id of Discord tells when it was made, as in Discord's own example", () => {
  expect(madeAt('175928847299117063').toISOString()).toBe('2016-04-30T11:18:25.796Z');
});
