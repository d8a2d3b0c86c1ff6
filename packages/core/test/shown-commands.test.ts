import { expect, test } from 'vitest';
import { CAPABILITIES } from '#src/capabilities.ts';
import { permissionBits } from '#src/permissions.ts';
import { shownCommands } from '#src/shown-commands.ts';
import { verifies } from '#src/testing.ts';

test('a role that was granted what its permissions show needs nothing', () => {
  verifies('bot.shown-by-grants');
  const granted = ['bans.read', 'bans.write'] as const;
  const bits = permissionBits(['BanMembers', 'KickMembers', 'ModerateMembers']);
  expect(shownCommands(granted, bits).missing).toEqual([]);
  expect(shownCommands(CAPABILITIES, permissionBits(['Administrator']))).toEqual({
    missing: [],
    needless: [],
  });
});

test('a command that was granted and is not shown is missing', () => {
  verifies('bot.shown-by-grants');
  expect(shownCommands(['servers.rcon'], 0n)).toEqual({ missing: ['server', 'rcon'], needless: [] });
  expect(shownCommands(['bans.write'], permissionBits(['BanMembers']))).toEqual({
    missing: ['kick', 'case'],
    needless: [],
  });
  // Whoever may purge, or close tickets, may stop that.
  expect(shownCommands(['messages.purge'], 0n).missing).toEqual(['purge', 'stop']);
  // Reading one kind of cases is enough for commands about all of them.
  expect(shownCommands(['mutes.read'], 0n)).toEqual({ missing: ['case', 'history'], needless: [] });
});

test('a command that is shown and was not granted is needless', () => {
  verifies('bot.shown-by-grants');
  expect(shownCommands([], permissionBits(['BanMembers', 'KickMembers']))).toEqual({
    missing: [],
    needless: ['ban', 'softban', 'banlength', 'unban', 'massban', 'massunban', 'kick'],
  });
  expect(shownCommands(['messages.purge'], permissionBits(['ManageMessages']))).toEqual({
    missing: [],
    needless: [],
  });
  // Discord hides nothing from administrators.
  expect(shownCommands([], permissionBits(['Administrator']))).toEqual({ missing: [], needless: [] });
});

test('what everybody sees is neither, whatever a role was granted', () => {
  const { missing, needless } = shownCommands(['tickets.write'], permissionBits(['ManageMessages']));
  expect([...missing, ...needless]).not.toContain('ticket');
  expect([...missing, ...needless]).not.toContain('whoami');
});
