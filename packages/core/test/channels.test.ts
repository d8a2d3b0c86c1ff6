import { expect, test } from 'vitest';
import {
  DISCORD_PERMISSIONS as Bits,
  type ChannelOverwrite,
  inDiscordOrder,
  permissionBits,
  permissionsInChannel,
  permissionsLacking,
} from '#src/index.ts';

const GUILD = '100000000000000001';
const ROLE = '100000000000000002';
const OTHER_ROLE = '100000000000000003';
const BOT = '100000000000000004';
const holder = {
  guildId: GUILD,
  userId: BOT,
  roleIds: [ROLE, OTHER_ROLE],
  permissions: permissionBits(['ViewChannel', 'SendMessages']),
};
const overwrite = (id: string, { allow = 0n, deny = 0n }): ChannelOverwrite => ({
  id,
  allow: String(allow),
  deny: String(deny),
});
const sends = (...overwrites: ChannelOverwrite[]) =>
  (permissionsInChannel(holder, overwrites) & Bits.SendMessages) !== 0n;

test.each([
  ['nothing is said of the channel', [], true],
  ['@everyone is denied it', [overwrite(GUILD, { deny: Bits.SendMessages })], false],
  [
    'a role is allowed what @everyone is denied',
    [overwrite(ROLE, { allow: Bits.SendMessages }), overwrite(GUILD, { deny: Bits.SendMessages })],
    true,
  ],
  [
    'one role is denied what another one is allowed',
    [overwrite(ROLE, { allow: Bits.SendMessages }), overwrite(OTHER_ROLE, { deny: Bits.SendMessages })],
    true,
  ],
  [
    'the member is denied what a role is allowed',
    [overwrite(BOT, { deny: Bits.SendMessages }), overwrite(ROLE, { allow: Bits.SendMessages })],
    false,
  ],
  ['a role that the member lacks is denied it', [overwrite('5', { deny: Bits.SendMessages })], true],
])('who may write in a channel where %s', (_where, overwrites, expected) => {
  expect(sends(...overwrites)).toBe(expected);
});

test('@everyone is asked before the roles, even if it is listed among them', () => {
  const listed = { ...holder, roleIds: [GUILD, ROLE] };
  const overwrites = [
    overwrite(GUILD, { allow: Bits.SendMessages }),
    overwrite(ROLE, { deny: Bits.SendMessages }),
  ];
  expect(permissionsInChannel(listed, overwrites) & Bits.SendMessages).toBe(0n);
});

test('an administrator may do everything, whatever a channel says', () => {
  const administrator = { ...holder, permissions: Bits.Administrator };
  const overwrites = [overwrite(BOT, { deny: Bits.ViewChannel })];
  expect(
    permissionsLacking(permissionsInChannel(administrator, overwrites), ['ViewChannel', 'BanMembers']),
  ).toEqual([]);
});

test('each permission that is lacking is named', () => {
  const bits = permissionsInChannel(holder, [overwrite(GUILD, { deny: Bits.ViewChannel })]);
  expect(permissionsLacking(bits, ['ViewChannel', 'SendMessages', 'EmbedLinks'])).toEqual([
    'ViewChannel',
    'EmbedLinks',
  ]);
});

test('channels come as Discord lists them', () => {
  const channel = (id: string, kind: string, position: number, parentId: string | null = null) => ({
    id,
    kind,
    position,
    parentId,
  });
  const listed = inDiscordOrder([
    channel('1', 'category', 1),
    channel('2', 'voice', 0, '1'),
    channel('3', 'text', 7, '1'),
    channel('4', 'category', 0),
    channel('5', 'stage', 0),
    channel('6', 'text', 3),
    channel('11', 'text', 2, '4'),
    channel('9', 'text', 2, '4'),
    channel('7', 'text', 4, 'a category that is gone'),
  ]);
  expect(listed.map(({ id }) => id)).toEqual(['6', '7', '5', '4', '9', '11', '1', '3', '2']);
});
