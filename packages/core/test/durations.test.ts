import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDuration, parseNumber } from '#src/durations.ts';
import { verifies } from '#src/testing.ts';

test.each([
  ['30m', 1_800],
  ['2d', 172_800],
  ['1w', 604_800],
  ['1d 12h', 129_600],
  ['90', 'bare'],
  ['0', 0],
  ['000', 0],
  ['2 hours', 7_200],
  ['30 min', 1_800],
  ['30 Min.', 1_800],
  ['1 jour', 86_400],
  ['2 Stunden', 7_200],
  ['1 semana', 604_800],
  ['1 día, 12 horas', 129_600],
  ['1 dia e 12 horas', 129_600],
  ['2 hours and 30 minutes', 9_000],
  ['2 Stunden und 30 Minuten', 9_000],
  ['3 semanas', 1_814_400],
  ['2h30', 9_000],
  ['2 h 05', 7_500],
  ['2h5', 7_500],
  ['1h5 min', 3_900],
  ['1 h  and  5 m', 3_900],
  ['1.5 hours', 5_400],
  ['1,5 Std.', 5_400],
  ['0,25 h', 900],
  ['1.440 Minuten', 86_400],
  ['1,440 minutes', 86_400],
  ['1 440 minutes', 86_400],
  ['12,345 minutes', 740_700],
  ['1,234,567 s', 1_234_567],
  ['1,234,56 s', undefined],
  ['12.5 h', 45_000],
  ['1.2345 h', undefined],
  ['an hour', 3_600],
  ['une semaine', 604_800],
  ['einen Tag', 86_400],
  ['un día', 86_400],
  ['uma hora', 3_600],
  ['1 month', 2_592_000],
  ['1 año', 31_536_000],
  ['1 y 100 d', 40_176_000],
  ['1  Y  100 h', 31_896_000],
  ['1 y 6 mo', 47_088_000],
  ['1 y y 2 h', 31_543_200],
  ['1 día y 12 horas', 129_600],
  ['1 día, y 12 horas', 129_600],
  ['1 e 100 d', undefined],
  ['１０ｍ', 600],
  ['Permanent', null],
  ['  für immer ', null],
  ['2 moons', undefined],
  ['2 hours 30', undefined],
  ['2h90', undefined],
  ['1.2.3 h', undefined],
  ['1,44 0 min', undefined],
  ['soon', undefined],
  ['hour', undefined],
  ['-5m', undefined],
  ['m', undefined],
  ['', undefined],
  ['   ', undefined],
  ['1e3 h', undefined],
  ['999999999 years', undefined],
  ['1d '.repeat(40), undefined],
  [`${'1d '.repeat(26)}1d`, 2_332_800],
  [`${'1d '.repeat(26)}1 d`, undefined],
])('"%s" is a duration of %s seconds', (text, seconds) => {
  verifies('durations.read');
  expect(parseDuration(text)).toBe(seconds);
});

test.each([
  ['1,440', 1_440],
  ['1.440', 1_440],
  ['1 440', 1_440],
  ['10,080', 10_080],
  ['1\u202f440', 1_440],
  ['1,5', 1.5],
  ['1.25', 1.25],
  [' 90 ', 90],
  ['１０', 10],
  ['1,44', 1.44],
  ['1,4400', undefined],
  ['1e3', undefined],
  ['-5', undefined],
  ['an', undefined],
  ['', undefined],
])('"%s" is the number %s', (text, number) => {
  verifies('durations.read');
  expect(parseNumber(text)).toBe(number);
});

const UNITS = { s: 1, min: 60, Std: 3_600, jours: 86_400, semanas: 604_800, y: 31_536_000 } as const;

test('the parts of a duration add up, in any case and with any space between them', () => {
  verifies('durations.read');
  const part = fc.tuple(fc.integer({ min: 0, max: 9_999 }), fc.constantFrom(...Object.keys(UNITS)));
  const between = fc.constantFrom(' ', '', '  ', ', ', ' and ', ' und ', ' et ', ' y ', ' e ');
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 5 }),
      between,
      fc.boolean(),
      (parts, gap, isUpper) => {
        const text = parts.map(([amount, unit]) => `${amount} ${unit}`).join(gap);
        const sum = parts.reduce(
          (all, [amount, unit]) => all + amount * (UNITS[unit as keyof typeof UNITS] ?? Number.NaN),
          0,
        );
        expect(parseDuration(isUpper ? text.toUpperCase() : text)).toBe(sum);
      },
    ),
  );
});

test('a number alone is never taken for a length, and no text is more than refused', () => {
  verifies('durations.bare');
  fc.assert(
    fc.property(fc.integer({ min: 1 }), (amount) => {
      expect(parseDuration(String(amount))).toBe('bare');
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      const read = parseDuration(text);
      const isFine =
        read === null || read === undefined || read === 'bare' || (Number.isSafeInteger(read) && read >= 0);
      expect(isFine).toBe(true);
    }),
  );
});
