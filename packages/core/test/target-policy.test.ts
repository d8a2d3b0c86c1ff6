import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DISCORD_PERMISSIONS, isAbove, isSpared, type TargetQuestion, targetRefusal } from '#src/index.ts';

const role = (position: number, id = String(position)) => ({ id, position });

/** A moderator (role 5) acts on a member (role 1), with the bot at 9. */
const FINE: TargetQuestion = {
  guildOwnerId: '1',
  botId: '2',
  actorId: '3',
  targetId: '4',
  actorTopRole: role(5),
  botTopRole: role(9),
  targetTopRole: role(1),
  botHasPermission: true,
};

const CASES: readonly (readonly [string, Partial<TargetQuestion>, string | null])[] = [
  ['a moderator acts on a member', {}, null],
  ['the target is the owner', { targetId: '1' }, 'TARGET_IS_OWNER'],
  ['the owner is the target of the owner', { targetId: '1', actorId: '1' }, 'TARGET_IS_OWNER'],
  ['the target is the bot', { targetId: '2' }, 'TARGET_IS_BOT'],
  ['the target is the actor', { targetId: '3' }, 'TARGET_IS_SELF'],
  [
    'the target is the owner and nothing else is right',
    { targetId: '1', targetTopRole: role(99), botHasPermission: false },
    'TARGET_IS_OWNER',
  ],
  [
    'the target is the bot and above the actor',
    { targetId: '2', targetTopRole: role(9), botHasPermission: false },
    'TARGET_IS_BOT',
  ],
  ['the target is the actor and above the bot', { targetId: '3', targetTopRole: role(99) }, 'TARGET_IS_SELF'],
  ['the target has the same role', { targetTopRole: role(5) }, 'ROLE_HIERARCHY'],
  ['the target is above the actor', { targetTopRole: role(6) }, 'ROLE_HIERARCHY'],
  ['the target is above the bot only', { actorTopRole: role(20), targetTopRole: role(10) }, 'ROLE_HIERARCHY'],
  [
    'the target has the same role as the bot',
    { actorTopRole: role(20), targetTopRole: role(9) },
    'ROLE_HIERARCHY',
  ],
  [
    'the owner acts on a member above all roles of the owner',
    { actorId: '1', actorTopRole: role(0), targetTopRole: role(8) },
    null,
  ],
  ['the owner acts on a member above the bot', { actorId: '1', targetTopRole: role(10) }, 'ROLE_HIERARCHY'],
  ['the target is no member', { targetTopRole: null }, null],
  ['the target is no member, nor the actor', { targetTopRole: null, actorTopRole: null }, null],
  ['the actor is no member', { actorTopRole: null }, 'ROLE_HIERARCHY'],
  ['the bot is no member', { botTopRole: null }, 'ROLE_HIERARCHY'],
  ['the bot lacks the permission', { botHasPermission: false }, 'BOT_MISSING_PERMISSION'],
  [
    'the bot lacks the permission and the target is above',
    { botHasPermission: false, targetTopRole: role(6) },
    'ROLE_HIERARCHY',
  ],
  [
    'the bot lacks the permission for someone who is no member',
    { botHasPermission: false, targetTopRole: null },
    'BOT_MISSING_PERMISSION',
  ],
  [
    'two roles share a position, the older one acts',
    { actorTopRole: role(5, '100'), targetTopRole: role(5, '101') },
    null,
  ],
  [
    'two roles share a position, the newer one acts',
    { actorTopRole: role(5, '101'), targetTopRole: role(5, '100') },
    'ROLE_HIERARCHY',
  ],
  ['ids are compared as numbers', { actorTopRole: role(5, '99'), targetTopRole: role(5, '100') }, null],
];

test.each(CASES)('when %s', (_, change, refusal) => {
  expect(targetRefusal({ ...FINE, ...change })).toBe(refusal);
});

test('an operation that needs no permission of the bot asks for none', () => {
  const { botHasPermission: _, ...question } = FINE;
  expect(targetRefusal(question)).toBeNull();
});

const anyRole = fc.record({ position: fc.nat(5), id: fc.bigInt({ min: 1n, max: 5n }).map(String) });

test('the order of roles is strict and total', () => {
  fc.assert(
    fc.property(anyRole, anyRole, anyRole, (a, b, c) => {
      const same = a.id === b.id && a.position === b.position;
      expect(Number(isAbove(a, b)) + Number(isAbove(b, a))).toBe(same ? 0 : 1);
      if (isAbove(a, b) && isAbove(b, c)) expect(isAbove(a, c)).toBe(true);
    }),
  );
});

test('who may act on someone may act on everyone below', () => {
  fc.assert(
    fc.property(anyRole, anyRole, anyRole, anyRole, (actorTopRole, botTopRole, target, lower) => {
      fc.pre(isAbove(target, lower));
      const reaches = (targetTopRole: TargetQuestion['targetTopRole']) =>
        targetRefusal({ ...FINE, actorTopRole, botTopRole, targetTopRole }) === null;
      if (reaches(target)) expect(reaches(lower)).toBe(true);
    }),
  );
});

test('Discord times out no administrator; nothing else spares them', () => {
  const { Administrator, BanMembers } = DISCORD_PERMISSIONS;
  expect(isSpared('mutes.add', Administrator | BanMembers)).toBe(true);
  expect(isSpared('mutes.add', BanMembers)).toBe(false);
  expect(isSpared('bans.add', Administrator)).toBe(false);
});

test('a role is not above itself', () => {
  expect(isAbove(role(5), role(5))).toBe(false);
});
