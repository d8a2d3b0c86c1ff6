import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  canBeDestructive,
  entryOf,
  expectedSentinel,
  matchesSentinel,
  normalise,
  OPERATION_NAMES,
  type OperationName,
} from '#src/index.ts';
import { verifies } from '#src/testing.ts';
import {
  anyCharacter,
  destructiveCall,
  GUILD,
  inputOf,
  SAMPLES,
  snowflake,
  USER,
} from '#src/testing-samples.ts';

test('a choice is filled with the literal that fits the call', () => {
  const ban = { user_id: USER, reason: 'x', duration_minutes: 90 };
  expect(expectedSentinel('bans.add', GUILD, ban).concrete).toMatch(/ DURATION 90$/);
  const strike = { user_id: USER, reason: 'x', severity: 'major' } as const;
  expect(expectedSentinel('strikes.add', GUILD, strike).concrete).toMatch(/ SEVERITY MAJOR$/);
});

test('letter case does not matter', () => {
  verifies('sentinel.normalise.case', 'sentinel.normalise.both-sides');
  for (const name of OPERATION_NAMES.filter(canBeDestructive)) {
    const { concrete } = expectedSentinel(name, GUILD, SAMPLES[name]);
    expect(matchesSentinel(name, GUILD, SAMPLES[name], concrete.toLowerCase())).toBe(true);
  }
});

test('whitespace runs count as one space, and none around the sentinel counts', () => {
  verifies('sentinel.normalise.whitespace', 'sentinel.normalise.trim');
  const sentinel = `\t ${'BAN USER'}\r\n\r\n${USER}  IN \t GUILD ${GUILD} PERMANENT \n`;
  expect(matchesSentinel('bans.add', GUILD, SAMPLES['bans.add'], sentinel)).toBe(true);
});

test.each([
  ['absent', undefined],
  ['empty', ''],
  ['the template', 'BAN USER {user_id} IN GUILD {guildId} {PERMANENT or DURATION N}'],
  ['the placeholder of the choice', `BAN USER ${USER} IN GUILD ${GUILD} {PERMANENT or DURATION N}`],
  ['the other choice', `BAN USER ${USER} IN GUILD ${GUILD} DURATION 60`],
  ['misspelt', `BAN USR ${USER} IN GUILD ${GUILD} PERMANENT`],
  ['short of a word', `BAN ${USER} IN GUILD ${GUILD} PERMANENT`],
  ['one word longer', `BAN USER ${USER} IN GUILD ${GUILD} PERMANENT NOW`],
  ['reordered', `USER BAN ${USER} IN GUILD ${GUILD} PERMANENT`],
  ['of another user', `BAN USER ${GUILD} IN GUILD ${GUILD} PERMANENT`],
  ['of another guild', `BAN USER ${USER} IN GUILD ${USER} PERMANENT`],
  ['spaced with a no-break space', `BAN\u00a0USER ${USER} IN GUILD ${GUILD} PERMANENT`],
  ['spaced with a form feed', `BAN\fUSER ${USER} IN GUILD ${GUILD} PERMANENT`],
  ['written with a dotless i', `BAN USER ${USER} ın GUILD ${GUILD} PERMANENT`],
  ['written with full-width letters', `ＢＡＮ USER ${USER} IN GUILD ${GUILD} PERMANENT`],
  ['joined without spaces', `BANUSER ${USER} IN GUILD ${GUILD} PERMANENT`],
  ['padded with a zero-width space', `BAN USER ${USER} IN GUILD ${GUILD} PERMANENT\u200b`],
])('a sentinel that is %s does not match', (_, sentinel) => {
  expect(matchesSentinel('bans.add', GUILD, SAMPLES['bans.add'], sentinel)).toBe(false);
});

test.each([
  ['  ban \t\r\n user  ', 'BAN USER'],
  ['straße', 'STRAßE'],
  ['ı İ i', 'ı İ I'],
  ['a\u00a0b', 'A\u00a0B'],
  ['\u2003a\u2003', '\u2003A\u2003'],
  ['ﬁ', 'ﬁ'],
  ['   ', ''],
])('%j is normalised to %j', (text, normal) => {
  expect(normalise(text)).toBe(normal);
});

test('normalising is idempotent and touches nothing but ASCII', () => {
  verifies('H19');
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const normal = normalise(text);
      expect(normalise(normal)).toBe(normal);
      expect(normal.replace(/[\0-\x7f]/g, '')).toBe(text.replace(/[\0-\x7f]/g, ''));
    }),
  );
});

test('a sentinel is accepted exactly when it is equal after normalising', () => {
  verifies('H19');
  const near = fc.tuple(
    destructiveCall,
    fc.nat(),
    fc.constantFrom('', ' ', '\u00a0', 'x', 'ı', '0', '\t', 'İ'),
  );
  fc.assert(
    fc.property(near, ([call, at, insert]) => {
      const { concrete } = expectedSentinel(call.name, GUILD, inputOf(call));
      const cut = at % (concrete.length + 1);
      const sentinel = concrete.slice(0, cut) + insert + concrete.slice(cut);
      const equal = asciiWords(sentinel) === asciiWords(concrete);
      expect(matchesSentinel(call.name, GUILD, inputOf(call), sentinel)).toBe(equal);
    }),
    { numRuns: 2000 },
  );
});

test('the sentinel of one call fits another only where every field it names is the same', () => {
  verifies('G9');
  fc.assert(
    fc.property(destructiveCall, destructiveCall, (one, other) => {
      const fits = matchesSentinel(
        other.name,
        GUILD,
        inputOf(other),
        expectedSentinel(one.name, GUILD, inputOf(one)).concrete,
      );
      expect(fits).toBe(
        one.name === other.name && bound(one.name, one.input) === bound(other.name, other.input),
      );
    }),
    { numRuns: 1000 },
  );
});

test('the sentinel of one guild never fits another', () => {
  fc.assert(
    fc.property(destructiveCall, snowflake, (call, other) => {
      fc.pre(other !== GUILD);
      const { concrete } = expectedSentinel(call.name, other, inputOf(call));
      expect(matchesSentinel(call.name, GUILD, inputOf(call), concrete)).toBe(false);
    }),
  );
});

test('what is expected is upper-case, single-spaced, without placeholders, and fits when sent back', () => {
  verifies('sentinel.canonical');
  fc.assert(
    fc.property(destructiveCall, (call) => {
      const { concrete } = expectedSentinel(call.name, GUILD, inputOf(call));
      expect(concrete).toMatch(/^[A-Z0-9_]+( [A-Z0-9_]+)*$/);
      expect(matchesSentinel(call.name, GUILD, inputOf(call), concrete)).toBe(true);
    }),
  );
});

test('an operation without a sentinel expects none', () => {
  expect(() => expectedSentinel('bans.list', GUILD, SAMPLES['bans.list'])).toThrow(
    'bans.list has no sentinel',
  );
});

function asciiWords(text: string): string {
  const upper = [...text]
    .map((character) => (/[a-z]/.test(character) ? character.toUpperCase() : character))
    .join('');
  return upper
    .split(/[ \t\r\n]+/)
    .filter((word) => word !== '')
    .join(' ');
}

/** The fields that a sentinel of this operation contains, as one text. */
function bound(name: OperationName, input: Record<string, unknown>): string {
  const template = entryOf(name).sentinel?.template ?? '';
  const fields = [...template.matchAll(/\{(\w+)\}/g)].map(([, field]) => input[String(field)]);
  const choices = name === 'strikes.add' ? [input.severity] : [input.duration_minutes];
  return JSON.stringify([...fields, ...choices]);
}
