import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  CAPABILITIES,
  CAPABILITY_PRESETS,
  CapabilitySet,
  inTableOrder,
  intersect,
  isCapability,
  MODERATION_PERMISSIONS,
  proposeCapabilities,
  WITHOUT_PERMISSION,
} from '#src/index.ts';

const some = fc.subarray([...CAPABILITIES]);

test('the second name of strikes.write is stored as strikes.write, once', () => {
  expect(CapabilitySet.parse(['enforcement_strike_add', 'bans.read', 'strikes.write'])).toEqual([
    'strikes.write',
    'bans.read',
  ]);
});

test('a set repeats itself within a bound', () => {
  const times = (count: number) => Array.from({ length: count }, () => 'bans.read');
  expect(CapabilitySet.parse(times(100))).toEqual(['bans.read']);
  expect(CapabilitySet.safeParse(times(101)).success).toBe(false);
});

test.each(['', 'bans', 'BANS.READ', 'bans.write ', 'toString', '__proto__'])(
  '%j is no capability',
  (name) => {
    expect([CapabilitySet.safeParse([name]).success, isCapability(name)]).toEqual([false, false]);
  },
);

test('every capability is one; what an operation needs in place of one is none', () => {
  expect(CAPABILITIES.every(isCapability)).toBe(true);
  expect(['none', 'of_action', 'of_case'].some(isCapability)).toBe(false);
});

test('to kick, ban, time out, delete messages or administer makes a moderator', () => {
  const bits = [1n, 2n, 3n, 13n, 40n].map((place) => 1n << place);
  expect(MODERATION_PERMISSIONS).toBe(bits.reduce((all, bit) => all | bit));
});

test('an intersection holds what both hold, in table order', () => {
  fc.assert(
    fc.property(some, some, (snapshot, live) => {
      const both = intersect(snapshot.toReversed(), live);
      expect(both).toEqual(CAPABILITIES.filter((name) => snapshot.includes(name) && live.includes(name)));
    }),
  );
});

test('names of another version are dropped', () => {
  expect(inTableOrder(['bans.read', 'economy.write', 'bans.read'])).toEqual(['bans.read']);
});

const APPEALS = ['appeals.read', 'appeals.write'];
const MODERATES = ['tickets.read', 'tickets.write', 'reports.read', 'reports.write', 'members.read'];

test.each([
  [1n << 2n, ['bans.read', 'bans.write', ...APPEALS, ...MODERATES]],
  [1n << 40n, ['strikes.read', 'strikes.write', 'mutes.read', 'mutes.write', ...MODERATES]],
  [1n << 13n, ['messages.purge', ...MODERATES]],
  [(1n << 2n) | (1n << 13n), ['bans.read', 'bans.write', ...APPEALS, 'messages.purge', ...MODERATES]],
  [1n << 4n, ['channels.write']],
  [1n << 28n, ['roles.write']],
  [0n, []],
  [1n << 11n, []],
  [1n << 3n, CAPABILITIES],
])('the Discord permissions %i propose %j', (permissions, proposed) => {
  expect(proposeCapabilities(permissions)).toEqual(inTableOrder([...proposed]));
});

test('game servers and the audit log have no permission in Discord', () => {
  expect(WITHOUT_PERMISSION).toEqual(['servers.read', 'servers.rcon', 'audit.read']);
});

test('who picks moderation for a token gives it neither roles nor consoles nor the audit log', () => {
  const kept = CAPABILITIES.filter((name) => !CAPABILITY_PRESETS.moderation.some((each) => each === name));
  expect(kept).toEqual(['roles.write', 'servers.read', 'servers.rcon', 'audit.read']);
  expect(CAPABILITY_PRESETS.read.filter((name) => !name.endsWith('.read'))).toEqual([]);
});
