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

test('every game has each command, but Squad none that lifts a ban, and other games have none', () => {
  const without = GAMES.flatMap((game) =>
    TEMPLATE_ACTIONS.filter((action) => TEMPLATE_PRESETS[game][action] === '').map(
      (action) => `${game} ${action}`,
    ),
  );
  expect(without).toEqual(['squad unban', ...TEMPLATE_ACTIONS.map((action) => `other ${action}`)]);
});

test.each([
  ['two commands', 'ban', 'ban {player}; say gone', 'COMMANDS'],
  ['two lines', 'ban', 'ban {player}\nsay gone', 'HIDDEN'],
  ['two lines of Unicode', 'ban', 'ban {player}\u2028say gone', 'HIDDEN'],
  ['two paragraphs', 'ban', 'ban {player}\u2029say gone', 'HIDDEN'],
  ['another bar', 'ban', 'ban {player} | say gone', 'COMMANDS'],
  ['a backtick', 'ban', 'ban {player} `id`', 'COMMANDS'],
  ['an escape', 'ban', 'ban "\\{player}"', 'COMMANDS'],
  ['no player', 'ban', 'ban {reason}', 'NO_PLAYER'],
  ['no player to let in again', 'unban', 'pardon', 'NO_PLAYER'],
  ['a placeholder that nobody knows', 'ban', 'ban {player} {moderator}', 'PLACEHOLDER'],
  ['half a placeholder', 'ban', 'ban {player} {reason', 'PLACEHOLDER'],
  ['the other half of one', 'ban', 'ban {player} reason}', 'PLACEHOLDER'],
  ['a value for a command', 'kick', '{player} kick', 'BEGINNING'],
  ['a value for a command behind a slash', 'kick', '/{player} kick', 'BEGINNING'],
  ['a value for a command, in quotation marks', 'announce', ' "{reason}"', 'BEGINNING'],
  ['a quotation mark alone', 'kick', 'kick {player} "{reason}', 'QUOTATION'],
  ['nothing to announce', 'announce', 'say hello', 'NO_REASON'],
  ['a player in an announcement', 'announce', 'say {player} {reason}', 'REASON_ONLY'],
  ['a length in an announcement', 'announce', 'say {minutes} {reason}', 'REASON_ONLY'],
  ['a character that nobody sees', 'kick', 'kick {player}\u202e', 'HIDDEN'],
  ['too many characters', 'kick', `kick {player} ${'x'.repeat(287)}`, 'LONG'],
] as const)('a template with %s is refused, and gives no command', (_what, action, template, fault) => {
  verifies('servers.templates.checked');
  expect(flawOfTemplate(action, template)).toBe(fault);
  expect(fillTemplate('other', action, template, SAMPLE)).toEqual({ ok: false, flaw: 'NO_TEMPLATE' });
});

test('a template of 300 characters is taken, and none gives no command', () => {
  expect(flawOfTemplate('kick', `kick {player} ${'x'.repeat(286)}`)).toBeNull();
  expect(flawOfTemplate('kick', '')).toBeNull();
  expect(fillTemplate('minecraft', 'kick', '', SAMPLE)).toEqual({ ok: false, flaw: 'NO_TEMPLATE' });
});

test.each([
  ['minecraft', 'by @a §4now', 'by (at)a 4now'],
  ['minecraft', '// {a} | $b', '// {a} | $b'],
  ['source', 'https://a.example///b @a | {c}', 'https:/a.example/b @a | {c}'],
  ['rust', '@ § | // {x} $', '@ § | // {x} $'],
  ['ark', 'a|b//c', 'a/b//c'],
  ['squad', 'a|b@c', 'a/b@c'],
  ['other', 'a`$&<>%^{}@§|//b', 'a(at)/b'],
  ['rust', ' a \n\t b\u2028c\u2029d\u0085e ', 'a b c d e'],
  ['rust', 'a\u202eb\u200bc', 'abc'],
  ['rust', 'a;b\uff1bc\u037ed', 'a,b,c,d'],
  ['rust', '"a" \u201cb\u201d \u201ec\u201f \uff02d\uff02', "'a' 'b' 'c' 'd'"],
  ['rust', 'C:\\a', 'C:/a'],
  ['rust', 'e\u0301 \ud800', '\u00e9 \ufffd'],
  ['rust', '😀'.repeat(201), '😀'.repeat(200)],
  ['rust', `${'x'.repeat(199)} y`, 'x'.repeat(199)],
  ['rust', ` ${'x'.repeat(200)}`, 'x'.repeat(200)],
] as const)('to players of %s the reason %j is told as %j', (game, reason, told) => {
  const filled = fillTemplate(game, 'announce', 'say {reason}', { ...SAMPLE, reason });
  expect(filled).toEqual({ ok: true, command: `say ${told}` });
  const quoted = fillTemplate(game, 'announce', 'say "{reason}"', { ...SAMPLE, reason });
  expect(quoted).toEqual({ ok: true, command: `say "${told}"` });
});

test.each([
  ['minecraft', ['minecraft']],
  ['source', ['steam']],
  ['rust', ['steam']],
  ['ark', ['steam', 'eos']],
  ['squad', ['steam', 'eos']],
  ['other', GAME_PLATFORMS],
] as const)('a server of %s names players of %j', (game, platforms) => {
  const players = {
    minecraft: 'BlockBreaker',
    minecraft_uuid: '069a79f4-44e9-4726-a5be-fca90e38aaf5',
    steam: '76561198000000001',
    eos: '0002a10b3c4d5e6f70819293a4b5c6d7',
    xbox: 'Nelson',
    other: 'BlockBreaker',
  };
  const named = GAME_PLATFORMS.filter((platform) => {
    const values = { ...SAMPLE, platform, player: players[platform] };
    return fillTemplate(game, 'kick', 'kick {player}', values).ok;
  });
  expect(named).toEqual(platforms);
});

test.each([
  ['other', 'other', '_a.b:c-d', '{player}'],
  ['other', 'other', '1a', '{player}'],
  ['other', 'other', 'Zoe\u0308', '{player}'],
  ['other', 'other', 'Zoe\u0308 #1-a_b.c:d', '"{player}"'],
] as const)(
  'a player of a game of kind %s with the %s name %s is named by it',
  (game, platform, player, at) => {
    const values = { ...SAMPLE, platform, player };
    expect(fillTemplate(game, 'kick', `kick ${at}`, values)).toEqual({
      ok: true,
      command: `kick ${at.replace('{player}', player)}`,
    });
  },
);

test('an announcement needs no player, and no blanks stay around a command', () => {
  const values = { platform: 'other', player: '@a', reason: '', minutes: null } as const;
  const announced = fillTemplate('minecraft', 'announce', ' say {reason} ', { ...values, reason: 'Hello' });
  expect(announced).toEqual({ ok: true, command: 'say Hello' });
  expect(fillTemplate('other', 'kick', 'kick {player} {reason}', { ...values, player: 'alex' })).toEqual({
    ok: true,
    command: 'kick alex',
  });
});

test('a command has as many bytes as a game server takes, and no more', () => {
  const values = { ...SAMPLE, reason: `é${'x'.repeat(199)}` };
  const said = (more: number) =>
    fillTemplate('minecraft', 'announce', `say ${'x'.repeat(more)}${'{reason}'.repeat(7)}`, values);
  expect(said(RCON_COMMAND_BYTES - 4 - 7 * 201)).toMatchObject({ ok: true });
  expect(said(RCON_COMMAND_BYTES - 4 - 7 * 201 + 1)).toEqual({ ok: false, flaw: 'TOO_LONG' });
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
  ['a point and more', 'other', 'other', '.alex'],
  ['two words of many', 'other', 'other', 'alex #1'],
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
  for (const player of ['-all', '$alex', 'a;b']) {
    const hostile = { ...SAMPLE, platform: 'other', player } as const;
    expect(fillTemplate('other', 'kick', 'kick "{player}"', hostile)).toMatchObject({ flaw: 'PLAYER_TEXT' });
  }
});

test('a Source server is told the account of a player in its own spelling', () => {
  const values = { ...SAMPLE_VALUES.source, player: '76561197960287930' };
  expect(fillTemplate('source', 'unban', 'removeid {player}', values)).toEqual({
    ok: true,
    command: 'removeid STEAM_1:0:11101',
  });
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
