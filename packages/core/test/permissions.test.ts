import { expect, test } from 'vitest';
import {
  DISCORD_PERMISSIONS,
  type DiscordPermission,
  moderatingPermissions,
  POWER_PERMISSIONS,
  permissionBits,
  permissionTitle,
} from '#src/permissions.ts';

const NAMES = Object.keys(DISCORD_PERMISSIONS) as DiscordPermission[];
const MODERATE: readonly DiscordPermission[] = [
  'KickMembers',
  'BanMembers',
  'Administrator',
  'ManageChannels',
  'ViewAuditLog',
  'ManageMessages',
  'ManageRoles',
  'ManageThreads',
  'ModerateMembers',
];

test.each([
  ['Administrator', 'Administrator'],
  ['BanMembers', 'Ban Members'],
  ['SendMessagesInThreads', 'Send Messages In Threads'],
] as const)('%s is called %s', (name, title) => {
  expect(permissionTitle(name)).toBe(title);
});

test.each(NAMES)('a role with %s alone moderates only if that is what it lets its holders do', (name) => {
  const moderates = MODERATE.includes(name);
  expect(moderatingPermissions(DISCORD_PERMISSIONS[name])).toEqual(moderates ? [name] : []);
  expect((POWER_PERMISSIONS & DISCORD_PERMISSIONS[name]) !== 0n).toBe(moderates);
});

test('a role moderates in each way that it has, and an administrator in all of them', () => {
  const bits = permissionBits(['SendMessages', 'KickMembers', 'BanMembers']);
  expect(moderatingPermissions(bits)).toEqual(['BanMembers', 'KickMembers']);
  expect(moderatingPermissions(bits | permissionBits(['Administrator']))).toEqual(['Administrator']);
  expect(moderatingPermissions(permissionBits([]))).toEqual([]);
});

test.each([
  ['Manage Server', 1n << 5n],
  ['Mute Members', 1n << 22n],
  ['Deafen Members', 1n << 23n],
  ['Move Members', 1n << 24n],
  ['Manage Nicknames', 1n << 27n],
  ['Manage Webhooks', 1n << 29n],
  ['Manage Expressions', 1n << 30n],
  ['Manage Events', 1n << 33n],
  ['Pin Messages', 1n << 51n],
])('a role with %s has power over others', (_name, bit) => {
  expect(POWER_PERMISSIONS & bit).toBe(bit);
});
