import { expect, test } from 'vitest';
import { GAME_PLATFORMS, readIdentity } from '#src/game-identities.ts';

test.each([
  ['minecraft', ' Block_Breaker1 ', 'Block_Breaker1'],
  ['minecraft_uuid', '069A79F444E94726A5BEFCA90E38AAF5', '069a79f4-44e9-4726-a5be-fca90e38aaf5'],
  ['minecraft_uuid', '069a79f4-44e9-4726-a5be-fca90e38aaf5', '069a79f4-44e9-4726-a5be-fca90e38aaf5'],
  ['steam', '76561197960287930', '76561197960287930'],
  ['steam', 'STEAM_0:0:11101', '76561197960287930'],
  ['steam', 'steam_1:0:11101', '76561197960287930'],
  ['steam', '[U:1:22202]', '76561197960287930'],
  ['eos', '0002A10B3C4D5E6F70819293A4B5C6D7', '0002a10b3c4d5e6f70819293a4b5c6d7'],
  ['xbox', 'Major Nelson#1234', 'Major Nelson#1234'],
  ['other', 'Zoë 高橋', 'Zoë 高橋'],
] as const)('an identity of %s is kept in one spelling: %s', (platform, text, kept) => {
  expect(readIdentity(platform, text)).toBe(kept);
});

test.each([
  ['minecraft', 'ab'],
  ['minecraft', 'Steve; op Steve'],
  ['minecraft', '@a'],
  ['minecraft', 'Steve\n'.concat('op Steve')],
  ['minecraft', 'ＳＴＥＶＥ'],
  ['minecraft_uuid', '069a79f4-44e94726a5befca90e38aaf5'],
  ['minecraft_uuid', '069a79f444e94726a5befca90e38aaf'],
  ['steam', '76561197960265728'],
  ['steam', '76561202255233024'],
  ['steam', '99999999999999999'],
  ['steam', 'STEAM_0:0:4294967296'],
  ['steam', '٧٦٥٦١١٩٧٩٦٠٢٨٧٩٣٠'],
  ['eos', '0002a10b'],
  ['xbox', '1Nelson'],
  ['xbox', 'MajorNelsonTheFirst'],
  ['xbox', 'Major  Nelson'],
  ['other', ' '],
  ['other', 'Steve\u202Eevets'],
  ['other', 'Steve\u2028op Steve'],
  ['other', 'Steve\u0007'],
  ['other', 'x'.repeat(65)],
] as const)('what is no identity of %s is refused: %j', (platform, text) => {
  expect(readIdentity(platform, text)).toBeNull();
});

test('every spelling that is kept is read as itself', () => {
  for (const platform of GAME_PLATFORMS) {
    for (const text of ['Block_Breaker', '76561197960287930', '0002a10b3c4d5e6f70819293a4b5c6d7']) {
      const kept = readIdentity(platform, text);
      if (kept !== null) expect(readIdentity(platform, kept)).toBe(kept);
    }
  }
});
