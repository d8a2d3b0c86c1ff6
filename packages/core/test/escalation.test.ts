import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type CountedStrike,
  EscalationInput,
  type EscalationPolicy,
  type EscalationStep,
  escalationOf,
  isSameStep,
  NO_ESCALATION,
  pointsOf,
} from '#src/index.ts';

const DAY_MS = 86_400_000;
const NOW = new Date('2026-06-01T12:00:00.000Z');
const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS);

const MUTE: EscalationStep = { points: 3, sanction: 'mute', durationMinutes: 60 };
const POLICY: EscalationPolicy = {
  minorPoints: 1,
  majorPoints: 3,
  decayDays: 30,
  steps: [
    MUTE,
    { points: 6, sanction: 'mute', durationMinutes: 1440 },
    { points: 9, sanction: 'ban', durationMinutes: null },
  ],
};

const strike = (more: Partial<CountedStrike> = {}): CountedStrike => ({
  severity: 'minor',
  issuedAt: NOW,
  active: true,
  byPerson: true,
  ...more,
});
const pointsReached = (strikes: readonly CountedStrike[], policy = POLICY) =>
  escalationOf(policy, strikes, NOW).step?.points ?? null;

test('the strike that reaches a step leads to it, and the next one does not again', () => {
  const minor = strike();
  expect([1, 2, 3, 4, 5, 6].map((count) => pointsReached(Array(count).fill(minor)))).toEqual([
    ...[null, null, 3, null, null, 6],
  ]);
});

test('a strike that reaches several steps at once leads to the highest', () => {
  const heavy = { ...POLICY, majorPoints: 7 };
  expect(escalationOf(heavy, [strike({ severity: 'major' })], NOW)).toEqual({
    pointsBefore: 0,
    pointsAfter: 7,
    step: POLICY.steps[1],
  });
});

test('a strike counts until it decays, to the moment, and not once it is removed', () => {
  const almost = strike({ issuedAt: new Date(daysAgo(30).getTime() + 1) });
  const decayed = strike({ issuedAt: daysAgo(30) });
  expect(pointsOf(POLICY, [almost, decayed, strike({ active: false })], NOW)).toBe(1);
  expect(pointsOf({ ...POLICY, decayDays: null }, [decayed], NOW)).toBe(1);
});

test('the strike of a token leads to nothing; what it reached falls due with the next strike of a person', () => {
  const byToken = strike({ byPerson: false });
  expect(pointsReached([strike(), byToken, byToken])).toBeNull();
  expect(pointsReached([strike(), byToken, byToken, strike()])).toBe(3);
  expect(pointsReached([strike(), byToken, byToken, strike(), strike()])).toBeNull();
});

test('no strike, a removed one, or one in a guild without a policy leads to nothing', () => {
  expect(escalationOf(POLICY, [], NOW)).toEqual({ pointsBefore: 0, pointsAfter: 0, step: null });
  const byToken = strike({ byPerson: false });
  expect(pointsReached([strike(), byToken, byToken, strike({ active: false })])).toBeNull();
  const severe = strike({ severity: 'major' });
  expect(escalationOf(NO_ESCALATION, [strike(), severe], NOW)).toEqual({
    ...{ pointsBefore: 1, pointsAfter: 4, step: null },
  });
});

test.each<[string, EscalationStep | null, EscalationStep | null, boolean]>([
  ['nothing and nothing', null, null, true],
  ['nothing and a mute', null, MUTE, false],
  ['a mute and nothing', MUTE, null, false],
  ['a mute and the same one', MUTE, { ...MUTE }, true],
  ['a mute and a longer one', MUTE, { ...MUTE, durationMinutes: 61 }, false],
  ['a mute and a ban as long', MUTE, { ...MUTE, sanction: 'ban' }, false],
  ['a mute and one for other points', MUTE, { ...MUTE, points: 4 }, false],
])('as the sanction that a moderator has seen, %s are the same: %#', (_, one, other, same) => {
  expect(isSameStep(one, other)).toBe(same);
});

const policies = fc.record({
  minorPoints: fc.integer({ min: 0, max: 3 }),
  majorPoints: fc.integer({ min: 0, max: 5 }),
  decayDays: fc.option(fc.integer({ min: 1, max: 40 })),
  steps: fc
    .uniqueArray(fc.integer({ min: 1, max: 20 }), { maxLength: 5 })
    .map((points) =>
      points
        .toSorted((a, b) => a - b)
        .map((each) => ({ points: each, sanction: 'mute' as const, durationMinutes: each })),
    ),
});
const severities = fc.constantFrom('minor' as const, 'major' as const);
const events = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('strike' as const), severity: severities, byPerson: fc.boolean() }),
    fc.record({ kind: fc.constant('remove' as const), nth: fc.nat({ max: 30 }) }),
    fc.record({ kind: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 20 }) }),
  ),
  { maxLength: 30 },
);

test('over any history, a strike leads to what a count by hand says', () => {
  fc.assert(
    fc.property(policies, events, (policy, history) => {
      let day = 0;
      const given: { day: number; worth: number; removed: boolean; byPerson: boolean; of: CountedStrike }[] =
        [];
      for (const event of history) {
        if (event.kind === 'wait') day += event.days;
        if (event.kind === 'remove' && given.length > 0) {
          const removed = given[event.nth % given.length];
          if (removed === undefined) continue;
          removed.removed = true;
          removed.of = { ...removed.of, active: false };
        }
        if (event.kind !== 'strike') continue;
        const { severity, byPerson } = event;
        const now = new Date(NOW.getTime() + day * DAY_MS);
        // The expected points now and at the last strike by a person, worked out strike by strike.
        const worth = severity === 'major' ? policy.majorPoints : policy.minorPoints;
        const lastSeen = given.map((each) => each.byPerson).lastIndexOf(true);
        let total = worth;
        let seen = 0;
        for (const [index, each] of given.entries()) {
          if (each.removed || (policy.decayDays !== null && day - each.day >= policy.decayDays)) continue;
          total += each.worth;
          if (index <= lastSeen) seen += each.worth;
        }
        let expected: number | null = null;
        for (let points = seen + 1; points <= total && byPerson; points += 1) {
          if (policy.steps.some((step) => step.points === points)) expected = points;
        }
        const of = strike({ severity, byPerson, issuedAt: now });
        given.push({ day, worth, removed: false, byPerson, of });
        const told = escalationOf(
          policy,
          given.map((each) => each.of),
          now,
        );
        expect([told.pointsBefore, told.pointsAfter, told.step?.points ?? null]).toEqual([
          total - worth,
          total,
          expected,
        ]);
      }
    }),
    { numRuns: 500 },
  );
});

test('where nothing is removed and nothing decays, each step follows once at most, and the highest is never missed', () => {
  const strikes = fc.array(fc.record({ severity: severities, byPerson: fc.boolean() }), { maxLength: 20 });
  fc.assert(
    fc.property(policies, strikes, (given, drawn) => {
      const policy = { ...given, decayDays: null };
      const all = [...drawn.map((each) => strike(each)), strike()];
      const followed = all.flatMap((_, index) => pointsReached(all.slice(0, index + 1), policy) ?? []);
      expect(new Set(followed).size).toBe(followed.length);
      const total = pointsOf(policy, all, NOW);
      const highest = policy.steps.findLast(({ points }) => points <= total)?.points;
      expect(followed.at(-1)).toBe(highest);
    }),
    { numRuns: 500 },
  );
});

test('a policy is read with its steps sorted, and what is absent is null', () => {
  const steps = [
    { points: 9, sanction: 'ban' },
    { points: 3, sanction: 'mute', duration_minutes: 60 },
  ];
  expect(EscalationInput.parse({ minor_points: 1, major_points: 3, steps })).toEqual({
    minorPoints: 1,
    majorPoints: 3,
    decayDays: null,
    steps: [MUTE, { points: 9, sanction: 'ban', durationMinutes: null }],
  });
});

test.each([
  [
    'a mute without a length',
    { steps: [{ points: 3, sanction: 'mute' }] },
    'steps.0.duration_minutes: a mute has a length',
  ],
  [
    'two steps with as many points',
    {
      steps: [
        { points: 3, sanction: 'ban' },
        { points: 3, sanction: 'ban', duration_minutes: 60 },
      ],
    },
    'steps.1.points: another step has as many points',
  ],
  ['negative points', { minor_points: -1 }, 'minor_points: Too small: expected number to be >=0'],
  ['a misspelled field', { decay_day: 30 }, ': Unrecognized key: "decay_day"'],
  ['decay within no time', { decay_days: 0 }, 'decay_days: Too small: expected number to be >=1'],
])('%s is no policy', (_, wrong, issue) => {
  const parsed = EscalationInput.safeParse({ minor_points: 1, major_points: 3, steps: [], ...wrong });
  expect(parsed.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)).toEqual([issue]);
});
