import { expect, test } from 'vitest';
import {
  GAME_PLATFORMS,
  IDENTITY_RULES,
  identityByForm,
  identityKey,
  identityKeys,
  readIdentity,
} from '#src/game-identities.ts';

test.each([
  ['minecraft', ' Block_Breaker1 ', 'Block_Breaker1'],
  ['minecraft', 'Bob', 'Bob'],
  ['minecraft', 'x'.repeat(16), 'x'.repeat(16)],
  ['minecraft_uuid', '069A79F444E94726A5BEFCA90E38AAF5', '069a79f4-44e9-4726-a5be-fca90e38aaf5'],
  ['minecraft_uuid', '069a79f4-44e9-4726-a5be-fca90e38aaf5', '069a79f4-44e9-4726-a5be-fca90e38aaf5'],
  ['steam', '76561197960287930', '76561197960287930'],
  ['steam', 'STEAM_0:0:11101', '76561197960287930'],
  ['steam', 'steam_1:0:11101', '76561197960287930'],
  ['steam', '[U:1:22202]', '76561197960287930'],
  ['steam', 'u:1:1', '76561197960265729'],
  ['steam', 'STEAM_0:1:2147483647', '76561202255233023'],
  ['steam', '[U:1:4294967295]', '76561202255233023'],
  ['eos', '0002A10B3C4D5E6F70819293A4B5C6D7', '0002a10b3c4d5e6f70819293a4b5c6d7'],
  ['xbox', 'Major Nelson#1234', 'Major Nelson#1234'],
  ['xbox', 'X', 'X'],
  ['xbox', 'Abc Def Ghi Jkl#1', 'Abc Def Ghi Jkl#1'],
  ['xbox', 'Major7 8Nelson', 'Major7 8Nelson'],
  ['other', 'Zoë 高橋', 'Zoë 高橋'],
  ['other', 'x'.repeat(64), 'x'.repeat(64)],
] as const)('an identity of %s is kept in one spelling: %s', (platform, text, kept) => {
  expect(readIdentity(platform, text)).toBe(kept);
});

test.each([
  ['minecraft', ''],
  ['minecraft', 'ab'],
  ['minecraft', 'x'.repeat(17)],
  ['minecraft', 'Steve; op Steve'],
  ['minecraft', '@a'],
  ['minecraft', 'Steve\n'.concat('op Steve')],
  ['minecraft', 'ＳＴＥＶＥ'],
  ['minecraft_uuid', '069a79f4-44e94726a5befca90e38aaf5'],
  ['minecraft_uuid', '069a79f444e94726a5befca90e38aaf'],
  ['minecraft_uuid', '069a79f444e94726a5befca90e38aaf55'],
  ['minecraft_uuid', 'x069a79f4-44e9-4726-a5be-fca90e38aaf5'],
  ['minecraft_uuid', '069a79g444e94726a5befca90e38aaf5'],
  ['steam', '7656119796028793'],
  ['steam', 'x76561197960287930'],
  ['steam', '76561197960287930x'],
  ['steam', 'STEAM_2:0:11101'],
  ['steam', 'STEAM_0:2:11101'],
  ['steam', 'STEAM_0:0:'],
  ['steam', 'STEAM_0:0:00000011101'],
  ['steam', 'xSTEAM_0:0:11101'],
  ['steam', 'STEAM_0:0:11101x'],
  ['steam', '[U:1:0]'],
  ['steam', '[U:1:00000022202]'],
  ['steam', 'x[U:1:22202]'],
  ['steam', '[U:1:22202]x'],
  ['steam', '76561197960265728'],
  ['steam', '76561202255233024'],
  ['steam', '99999999999999999'],
  ['steam', 'STEAM_0:0:4294967296'],
  ['steam', '٧٦٥٦١١٩٧٩٦٠٢٨٧٩٣٠'],
  ['eos', '0002a10b'],
  ['eos', '0002a10b3c4d5e6f70819293a4b5c6d7f'],
  ['eos', 'g002a10b3c4d5e6f70819293a4b5c6d7'],
  ['xbox', '1Nelson'],
  ['xbox', 'MajorNelsonTheFirst'],
  ['xbox', 'Major  Nelson'],
  ['xbox', 'Major Nelson #1'],
  ['xbox', 'Major Nelson#'],
  ['xbox', 'Major Nelson#12345'],
  ['xbox', 'Major Nelson#12a4'],
  ['xbox', 'Major_Nelson'],
  ['other', ' '],
  ['other', '\u0007Steve'],
  ['other', 'Steve\u2029op Steve'],
  ['other', 'Steve\u202Eevets'],
  ['other', 'Steve\u2028op Steve'],
  ['other', 'Steve\u0007'],
  ['other', 'x'.repeat(65)],
] as const)('what is no identity of %s is refused: %j', (platform, text) => {
  expect(readIdentity(platform, text)).toBeNull();
});

test.each([
  [' 76561197960287930', { platform: 'steam', identity: '76561197960287930' }],
  ['STEAM_0:0:11101', { platform: 'steam', identity: '76561197960287930' }],
  ['[U:1:22202]', { platform: 'steam', identity: '76561197960287930' }],
  [
    '069A79F4-44e9-4726-a5be-fca90e38aaf5',
    { platform: 'minecraft_uuid', identity: '069a79f4-44e9-4726-a5be-fca90e38aaf5' },
  ],
  ['069a79f444e94726a5befca90e38aaf5', null],
  ['0002a10b3c4d5e6f70819293a4b5c6d7', null],
  ['BlockBreaker', null],
  ['820612853235974144', null],
  ['', null],
])('by its form alone %j is %o', (text, told) => {
  expect(identityByForm(text)).toEqual(told);
});

test('every spelling that is kept is read as itself', () => {
  for (const platform of GAME_PLATFORMS) {
    for (const text of ['Block_Breaker', '76561197960287930', '0002a10b3c4d5e6f70819293a4b5c6d7']) {
      const kept = readIdentity(platform, text);
      if (kept !== null) expect(readIdentity(platform, kept)).toBe(kept);
    }
  }
});

test('an identity is found in whatever case its letters are', () => {
  expect(identityKey('Block_BREAKER')).toBe('block_breaker');
});

test('what an identity must be is said for each kind, and no two kinds are the same', () => {
  const rules = GAME_PLATFORMS.map((platform) => IDENTITY_RULES[platform]);
  for (const rule of rules) expect(rule).toMatch(/^It must be .+\.$/);
  expect(new Set(rules).size).toBe(GAME_PLATFORMS.length);
});

test.each([
  ['BlockBreaker', ['blockbreaker']],
  [' Zoë 高橋 ', [' zoë 高橋 ', 'zoë 高橋']],
  ['STEAM_0:0:11101', ['steam_0:0:11101', '76561197960287930']],
  [
    '069A79F444E94726A5BEFCA90E38AAF5',
    ['069a79f444e94726a5befca90e38aaf5', '069a79f4-44e9-4726-a5be-fca90e38aaf5'],
  ],
])('%j can stand for the identities with the keys %j', (text, keys) => {
  expect(identityKeys(text)).toEqual(keys);
});
