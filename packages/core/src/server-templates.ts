import { RCON_COMMAND_BYTES } from './command-policy.ts';
import { type GamePlatform, readIdentity } from './game-identities.ts';

/** The games that Bailiff knows the commands of. `other` is for all others, with the strictest rules of all. */
export const GAMES = ['minecraft', 'source', 'rust', 'ark', 'squad', 'other'] as const;
export type Game = (typeof GAMES)[number];

/** What a game server's templates are for. */
export const TEMPLATE_ACTIONS = ['kick', 'ban', 'unban', 'announce'] as const;
export type TemplateAction = (typeof TEMPLATE_ACTIONS)[number];

/** The templates that are about a player. */
export const GAME_SANCTIONS = ['kick', 'ban', 'unban'] as const satisfies readonly TemplateAction[];
export type GameSanction = (typeof GAME_SANCTIONS)[number];

/** A game server's command for each of these, with placeholders. An empty one says that the game has no such command. */
export type ServerTemplates = Readonly<Record<TemplateAction, string>>;

/** The longest template, in characters. */
export const MOST_TEMPLATE_CHARACTERS = 300;
/** How much of a reason a command carries, in characters. */
export const MOST_REASON_IN_GAME = 200;

/** No commands: what a server has before its owner writes any. */
export const NO_TEMPLATES: ServerTemplates = { kick: '', ban: '', unban: '', announce: '' };

/** The commands that come with each game. Squad lifts bans in a file and not by a command. */
export const TEMPLATE_PRESETS: Readonly<Record<Game, ServerTemplates>> = {
  minecraft: {
    kick: 'kick {player} {reason}',
    ban: 'ban {player} {reason}',
    unban: 'pardon {player}',
    announce: 'say {reason}',
  },
  source: {
    kick: 'kickid {player} {reason}',
    ban: 'banid {minutes} {player} kick',
    unban: 'removeid {player}',
    announce: 'say {reason}',
  },
  rust: {
    kick: 'kick {player} "{reason}"',
    ban: 'banid {player} "{player}" "{reason}"',
    unban: 'unban {player}',
    announce: 'say "{reason}"',
  },
  ark: {
    kick: 'KickPlayer {player}',
    ban: 'BanPlayer {player}',
    unban: 'UnbanPlayer {player}',
    announce: 'Broadcast {reason}',
  },
  squad: {
    kick: 'AdminKick {player} {reason}',
    ban: 'AdminBan {player} 0 {reason}',
    unban: '',
    announce: 'AdminBroadcast {reason}',
  },
  other: NO_TEMPLATES,
};

/** The kinds of identity by which each game's commands name somebody. */
export const PLATFORMS_OF_GAME: Readonly<Record<Game, readonly GamePlatform[]>> = {
  minecraft: ['minecraft'],
  source: ['steam'],
  rust: ['steam'],
  ark: ['steam', 'eos'],
  squad: ['steam', 'eos'],
  other: ['minecraft', 'minecraft_uuid', 'steam', 'eos', 'xbox', 'other'],
};

/** Values of the placeholders. */
export interface TemplateValues {
  readonly platform: GamePlatform;
  /** Any spelling of the identity. Not used by an announcement. */
  readonly player: string;
  readonly reason: string;
  /** How long a ban lasts. Null for one without an end, which games write as 0. */
  readonly minutes: number | null;
}

export type TemplateFlaw =
  | 'NO_TEMPLATE'
  | 'PLAYER_KIND'
  | 'PLAYER_TEXT'
  | 'NO_REASON'
  | 'MINUTES'
  | 'TOO_LONG';

export type FilledTemplate =
  | { readonly ok: true; readonly command: string }
  | { readonly ok: false; readonly flaw: TemplateFlaw };

/** A player of each game, for previews and for the check by the server's policy. */
export const SAMPLE_VALUES: Readonly<Record<Game, TemplateValues>> = {
  minecraft: sample('minecraft', 'BlockBreaker'),
  source: sample('steam', '76561198000000001'),
  rust: sample('steam', '76561198000000001'),
  ark: sample('steam', '76561198000000001'),
  squad: sample('steam', '76561198000000001'),
  other: sample('other', 'BlockBreaker'),
};

function sample(platform: GamePlatform, player: string): TemplateValues {
  return { platform, player, reason: 'Griefing at spawn', minutes: 1440 };
}

const PLACEHOLDER = /\{(player|reason|minutes)\}/g;

/** What can be wrong with a template itself, whatever its placeholders are filled with. */
export type TemplateFault =
  | 'LONG'
  | 'HIDDEN'
  | 'COMMANDS'
  | 'PLACEHOLDER'
  | 'BEGINNING'
  | 'QUOTATION'
  | 'REASON_ONLY'
  | 'NO_REASON'
  | 'NO_PLAYER';

/**
 * What is wrong with a template, or null. It is one command on one line, it begins with a word of its own, and its
 * quotation marks come in pairs, so that no value can end one and begin the next.
 */
export function flawOfTemplate(action: TemplateAction, template: string): TemplateFault | null {
  if (template === '') return null;
  if (template.length > MOST_TEMPLATE_CHARACTERS) return 'LONG';
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(template)) return 'HIDDEN';
  if (/[;|`\\]/.test(template)) return 'COMMANDS';
  const fixed = template.replace(PLACEHOLDER, '');
  if (/[{}]/.test(fixed)) return 'PLACEHOLDER';
  if (/^[\s"'/]*\{/.test(template)) return 'BEGINNING';
  if ((template.match(/"/g) ?? []).length % 2 === 1) return 'QUOTATION';
  const has = (name: string) => template.includes(`{${name}}`);
  if (action === 'announce') {
    if (!has('reason')) return 'NO_REASON';
    return has('player') || has('minutes') ? 'REASON_ONLY' : null;
  }
  return has('player') ? null : 'NO_PLAYER';
}

/**
 * The command of a template with its placeholders filled in, or why there is none. A player who cannot be named
 * without changing their name is refused: a changed name is somebody else's. What a reason says is rewritten instead,
 * so that it stays one part of one command (decisions: Game servers).
 */
export function fillTemplate(
  game: Game,
  action: TemplateAction,
  template: string,
  values: TemplateValues,
): FilledTemplate {
  if (template === '' || flawOfTemplate(action, template) !== null) return { ok: false, flaw: 'NO_TEMPLATE' };
  const player = action === 'announce' ? '' : playerIn(game, template, values);
  if (typeof player !== 'string') return { ok: false, flaw: player.flaw };
  const minutes = values.minutes ?? 0;
  if (!Number.isSafeInteger(minutes) || minutes < 0) return { ok: false, flaw: 'MINUTES' };
  const reason = reasonIn(game, values.reason);
  if (action === 'announce' && reason === '') return { ok: false, flaw: 'NO_REASON' };
  const filled: Readonly<Record<string, string>> = { player, reason, minutes: String(minutes) };
  // One pass: a placeholder that a reason spells out stays text.
  const command = template.replace(PLACEHOLDER, (_, name: string) => filled[name] ?? '').trim();
  const isShort = new TextEncoder().encode(command).length <= RCON_COMMAND_BYTES;
  return isShort ? { ok: true, command } : { ok: false, flaw: 'TOO_LONG' };
}

/** The characters of players' names that no game gives a meaning. Spaces and # only within quotation marks. */
const PLAIN_PLAYER = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.:-]*$/u;
const QUOTED_PLAYER = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.:# -]*$/u;

function playerIn(
  game: Game,
  template: string,
  { platform, player }: TemplateValues,
): string | { readonly flaw: TemplateFlaw } {
  if (!PLATFORMS_OF_GAME[game].includes(platform)) return { flaw: 'PLAYER_KIND' };
  const identity = readIdentity(platform, player);
  if (identity === null) return { flaw: 'PLAYER_TEXT' };
  const spelled = game === 'source' ? steam2Of(identity) : identity;
  const isQuoted = !template.replaceAll('"{player}"', '').includes('{player}');
  return (isQuoted ? QUOTED_PLAYER : PLAIN_PLAYER).test(spelled) ? spelled : { flaw: 'PLAYER_TEXT' };
}

/** A SteamID64 as Source servers read it in `banid` and `kickid`. */
function steam2Of(steamId64: string): string {
  const account = BigInt(steamId64) - 76_561_197_960_265_728n;
  return `STEAM_1:${account % 2n}:${account / 2n}`;
}

type Rewrite = readonly [what: RegExp, into: string];

/** In every game: one line, and nothing that ends a quotation or a command, or escapes what follows. */
const EVERYWHERE: readonly Rewrite[] = [
  [/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' '],
  [/\p{C}/gu, ''],
  [/[;\uff1b]/g, ','],
  [/["\u201c-\u201f\uff02]/g, "'"],
  [/\\/g, '/'],
];

/** Minecraft reads @ as a selector of players, and § as a colour. */
const MINECRAFT: readonly Rewrite[] = [
  [/@/g, '(at)'],
  [/§/g, ''],
];
/** Source servers read the rest of a line behind // as a comment. */
const SOURCE: readonly Rewrite[] = [[/\/{2,}/g, '/']];
/** Unreal Engine reads | as the end of a command. */
const UNREAL: readonly Rewrite[] = [[/\|/g, '/']];
/** Shells and scripts read these in one way or another. */
const SCRIPTS: readonly Rewrite[] = [
  [/[`$&<>%^]/g, ''],
  [/[{}]/g, ''],
];

const REWRITES: Readonly<Record<Game, readonly Rewrite[]>> = {
  minecraft: MINECRAFT,
  source: SOURCE,
  rust: [],
  ark: UNREAL,
  squad: UNREAL,
  // Source's comes last: what others leave out or put in could make two slashes of it.
  other: [...SCRIPTS, ...MINECRAFT, ...UNREAL, ...SOURCE],
};

/** A reason as a part of one command of the game. */
function reasonIn(game: Game, reason: string): string {
  const rewritten = [...EVERYWHERE, ...REWRITES[game]].reduce(
    (text, [what, into]) => text.replace(what, into),
    reason.toWellFormed().normalize('NFC'),
  );
  return [...rewritten.trim()].slice(0, MOST_REASON_IN_GAME).join('').trim();
}
