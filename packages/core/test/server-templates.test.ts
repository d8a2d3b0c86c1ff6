import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  fillTemplate,
  flawOfTemplate,
  GAME_PLATFORMS,
  GAMES,
  type Game,
  isCommandAllowed,
  PLATFORMS_OF_GAME,
  RCON_COMMAND_BYTES,
  readIdentity,
  SAMPLE_VALUES,
  TEMPLATE_ACTIONS,
  TEMPLATE_PRESETS,
  type TemplateAction,
} from '#src/index.ts';
import { verifies } from '#src/testing.ts';

const SAMPLE = SAMPLE_VALUES.minecraft;

test.each([
  ['minecraft', 'ban', 'ban BlockBreaker Griefing at spawn'],
  ['minecraft', 'unban', 'pardon BlockBreaker'],
  ['source', 'kick', 'kickid STEAM_1:1:19867136 Griefing at spawn'],
  ['source', 'ban', 'banid 1440 STEAM_1:1:19867136 kick'],
  ['rust', 'ban', 'banid 76561198000000001 "76561198000000001" "Griefing at spawn"'],
  ['ark', 'kick', 'KickPlayer 76561198000000001'],
  ['squad', 'announce', 'AdminBroadcast Griefing at spawn'],
] as const)('a server of %s is sent its own command to %s', (game, action, command) => {
  verifies('servers.templates');
  const template = TEMPLATE_PRESETS[game][action];
  expect(fillTemplate(game, action, template, SAMPLE_VALUES[game])).toEqual({ ok: true, command });
});

test('every preset can be saved and gives a command for its sample player', () => {
  for (const game of GAMES) {
    for (const action of TEMPLATE_ACTIONS) {
      const template = TEMPLATE_PRESETS[game][action];
      expect(flawOfTemplate(action, template)).toBeNull();
      if (template !== '') {
        expect(fillTemplate(game, action, template, SAMPLE_VALUES[game])).toMatchObject({ ok: true });
      }
    }
  }
});

test.each([
  ['two commands', 'ban', 'ban {player}; say gone'],
  ['two lines', 'ban', 'ban {player}\nsay gone'],
  ['another bar', 'ban', 'ban {player} | say gone'],
  ['an escape', 'ban', 'ban "\\{player}"'],
  ['no player', 'ban', 'ban {reason}'],
  ['a placeholder that nobody knows', 'ban', 'ban {player} {moderator}'],
  ['half a placeholder', 'ban', 'ban {player} {reason'],
  ['a value for a command', 'kick', '{player} kick'],
  ['a value for a command, in quotation marks', 'announce', ' "{reason}"'],
  ['a quotation mark alone', 'kick', 'kick {player} "{reason}'],
  ['nothing to announce', 'announce', 'say hello'],
  ['a player in an announcement', 'announce', 'say {player} {reason}'],
  ['a character that nobody sees', 'kick', 'kick {player}\u202e'],
  ['too many characters', 'kick', `kick {player} ${'x'.repeat(300)}`],
] as const)('a template with %s is refused, and gives no command', (_what, action, template) => {
  verifies('servers.templates.checked');
  expect(flawOfTemplate(action, template)).not.toBeNull();
  expect(fillTemplate('other', action, template, SAMPLE)).toEqual({ ok: false, flaw: 'NO_TEMPLATE' });
});

test.each([
  ['everybody, as Minecraft selects them', 'minecraft', 'minecraft', '@a'],
  ['everybody, behind another kind', 'other', 'other', '@a'],
  ['two words for one', 'other', 'xbox', 'Major Nelson'],
  ['a second command', 'other', 'other', 'alex; op alex'],
  ['a quotation', 'other', 'other', 'alex" "op'],
  ['an option', 'other', 'other', '-all'],
  ['a variable', 'other', 'other', '$alex'],
  ['a placeholder', 'other', 'other', '{reason}'],
] as const)('a player whose name is %s is refused and never changed', (_what, game, platform, player) => {
  verifies('servers.templates.one-command');
  const values = { ...SAMPLE, platform, player };
  expect(fillTemplate(game, 'kick', 'kick {player}', values)).toEqual({ ok: false, flaw: 'PLAYER_TEXT' });
});

test('a name with a space is sent where the template has it in quotation marks', () => {
  const values = { ...SAMPLE, platform: 'xbox', player: 'Major Nelson#1234' } as const;
  expect(fillTemplate('other', 'kick', 'kick "{player}"', values)).toEqual({
    ok: true,
    command: 'kick "Major Nelson#1234"',
  });
  expect(fillTemplate('other', 'ban', 'ban "{player}" {player}', values)).toMatchObject({ ok: false });
});

test('a game is not sent an identity of another', () => {
  const values = { ...SAMPLE, platform: 'other', player: 'BlockBreaker' } as const;
  expect(fillTemplate('minecraft', 'ban', 'ban {player}', values)).toEqual({
    ok: false,
    flaw: 'PLAYER_KIND',
  });
});

test.each([
  [-1, 'MINUTES'],
  [1.5, 'MINUTES'],
  [Number.NaN, 'MINUTES'],
  [Number.POSITIVE_INFINITY, 'MINUTES'],
] as const)('a ban of %d minutes is refused', (minutes, flaw) => {
  const values = { ...SAMPLE_VALUES.source, minutes };
  expect(fillTemplate('source', 'ban', 'banid {minutes} {player}', values)).toEqual({ ok: false, flaw });
});

test('a ban without an end has 0 minutes, and an announcement needs words', () => {
  const forever = { ...SAMPLE_VALUES.source, minutes: null };
  expect(fillTemplate('source', 'ban', 'banid {minutes} {player}', forever)).toMatchObject({
    command: 'banid 0 STEAM_1:1:19867136',
  });
  const silent = { ...SAMPLE, reason: ' \n ' };
  expect(fillTemplate('minecraft', 'announce', 'say {reason}', silent)).toEqual({
    ok: false,
    flaw: 'NO_REASON',
  });
  const shouted = { ...SAMPLE, reason: '😀'.repeat(200) };
  const often = `say ${'{reason} '.repeat(9)}`;
  expect(fillTemplate('minecraft', 'announce', often, shouted)).toEqual({ ok: false, flaw: 'TOO_LONG' });
});

/** What games of each kind read as the end of a command, or as more than its own words. */
const ENDS: Readonly<Record<Game, RegExp>> = {
  minecraft: /[\n\r;@§]/,
  source: /[\n\r;]|\/\//,
  rust: /[\n\r;]/,
  ark: /[\n\r;|]/,
  squad: /[\n\r;|]/,
  other: /[\n\r;@§|`$&<>%^]|\/\//,
};

/** The words of a line as consoles read them: by spaces, except between quotation marks. */
function wordsOf(line: string): string[] {
  return line.match(/"[^"]*"|[^\s"]+/g) ?? [];
}

const hostile = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 80 }),
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc
    .array(
      fc.constantFrom(
        ...['"', ';', '\n', '\r', '\\', '\\"', '|', '//', '`', '$(stop)', '{player}', '{reason}', '@a', '§k'],
        ...[
          '\u037e',
          '\uff1b',
          '\uff02',
          '\u2028',
          '\u0085',
          '\u0000',
          '\u202e',
          '\ud800',
          ' ',
          'quit',
          'op x',
        ],
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join('')),
);

const identity = fc
  .constantFrom(...GAME_PLATFORMS)
  .chain((platform) =>
    fc
      .oneof(
        hostile,
        fc.constantFrom(
          'BlockBreaker',
          '76561198000000001',
          '0002a10b3c4d5e6f70819293a4b5c6d7',
          'Major Nelson',
        ),
      )
      .map((player) => ({ platform, player })),
  );

const OWN: Readonly<Record<TemplateAction, readonly string[]>> = {
  kick: ['kick "{player}" "{reason}"', 'kick "{reason}" {player}', 'sm_kick {player} {reason} {minutes}'],
  ban: ['ban {player} {minutes} {reason}', 'ban "{player}" "{player}" {reason}'],
  unban: ['unban "{player}"'],
  announce: ['say "{reason}"', 'broadcast {reason} {reason}'],
};

test('no identity and no reason ends the command, opens a quotation or becomes another word of it', () => {
  verifies('servers.templates.one-command');
  const filledOften = { count: 0 };
  fc.assert(
    fc.property(
      fc.constantFrom(...GAMES),
      fc.constantFrom(...TEMPLATE_ACTIONS),
      fc.nat(3),
      identity,
      hostile,
      fc.option(fc.nat(1_000_000)),
      (game, action, which, { platform, player }, reason, minutes) => {
        const template = [TEMPLATE_PRESETS[game][action], ...OWN[action]][which] || OWN[action][0] || '';
        const filled = fillTemplate(game, action, template, { platform, player, reason, minutes });
        if (!filled.ok) return;
        filledOften.count += 1;
        const { command } = filled;
        expect(command).not.toMatch(ENDS[game]);
        expect(command).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\\]/u);
        expect(command.match(/"/g)?.length).toBe(template.match(/"/g)?.length);
        expect(Buffer.byteLength(command)).toBeLessThanOrEqual(RCON_COMMAND_BYTES);
        const [first] = wordsOf(template);
        expect(wordsOf(command)[0]).toBe(first);
        // Who the command is about stands where the template says it, alone.
        const place = wordsOf(template).findIndex((word) => /^"?\{player\}"?$/.test(word));
        if (place > 0 && !template.slice(0, template.indexOf('{player}')).includes('{reason}')) {
          expect(PLATFORMS_OF_GAME[game]).toContain(platform);
          const named = wordsOf(command)[place]?.replaceAll('"', '') ?? '';
          expect(readIdentity(platform, named)).toBe(readIdentity(platform, player));
        }
        // A policy that allows only this command is content: there is no second one in it.
        expect(isCommandAllowed({ allow: [`${first} *`, first ?? ''], deny: [] }, command)).toBe(true);
      },
    ),
    { numRuns: 4_000 },
  );
  expect(filledOften.count).toBeGreaterThan(500);
});
