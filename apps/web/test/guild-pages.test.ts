import { CAPABILITIES, type Capability } from '@bailiff/core';
import { LOCALES } from '@bailiff/messages';
import { translator } from '@bailiff/messages/dashboard';
import { expect, it } from 'vitest';
import { guildPagesFor } from '#src/guild-pages.ts';

const OWNER = { isOwner: true, capabilities: CAPABILITIES };
const QUIET = { developerMode: false, pending: 0 };

const moderator = (...capabilities: Capability[]) => ({ isOwner: false, capabilities });
const namesOf = (...given: Parameters<typeof guildPagesFor>) =>
  guildPagesFor(...given).map(({ name }) => name);

it('an owner finds every page, those for programs in Developer Mode', () => {
  const everyday = [
    'overview',
    'cases',
    'members',
    'inForce',
    'tickets',
    'appeals',
    'reports',
    'servers',
    'audit',
    'moderators',
    'settings',
  ];
  expect(namesOf(OWNER, QUIET)).toEqual(everyday);
  const all = namesOf(OWNER, { developerMode: true, pending: 0 });
  expect(all).toEqual([...everyday, 'tokens', 'approvals', 'guard', 'apiReference']);
});

it('a call that waits brings the owner to the approvals without Developer Mode', () => {
  expect(namesOf(OWNER, { developerMode: false, pending: 1 })).toContain('approvals');
});

it('a moderator finds what their capabilities open, and nothing that is the owner’s', () => {
  expect(namesOf(moderator('mutes.read'), { developerMode: true, pending: 1 })).toEqual([
    ...['overview', 'cases', 'settings', 'apiReference'],
  ]);
  expect(namesOf(moderator('roles.write'), QUIET)).toEqual(['overview', 'inForce', 'settings']);
  expect(namesOf(moderator('servers.rcon', 'audit.read', 'tickets.read'), QUIET)).toEqual([
    ...['overview', 'tickets', 'servers', 'audit', 'moderators', 'settings'],
  ]);
});

it('every page has an address of its own and a name in every language', () => {
  const places = guildPagesFor(OWNER, { developerMode: true, pending: 0 });
  expect(new Set(places.map(({ href }) => href('831908736493682688'))).size).toBe(places.length);
  for (const locale of LOCALES) {
    const t = translator(locale, 'shell');
    expect(new Set(places.map(({ name }) => t(name))).size, locale).toBe(places.length);
  }
});
