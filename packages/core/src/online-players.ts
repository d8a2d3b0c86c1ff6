import { type GamePlatform, identityKey, readIdentity } from './game-identities.ts';
import type { Game } from './server-templates.ts';
import { showUnseen } from './unseen.ts';

/** The command with which each game tells who is online. Null: nobody knows one. */
export const PLAYER_COMMANDS: Readonly<Record<Game, string | null>> = {
  minecraft: 'list',
  source: 'status',
  rust: 'playerlist',
  ark: 'ListPlayers',
  squad: 'ListPlayers',
  other: null,
};

/** The most players of an answer that are kept. The others are only counted. */
export const MOST_ONLINE_PLAYERS = 250;
/** The longest name that is kept, in characters. No game allows a longer one. */
export const MOST_PLAYER_NAME = 64;
/** Longer lines are no line of a player, whatever is in them. */
const MOST_LINE = 1_000;

/** An id by which a game server knows a player. */
export interface PlayerIdentity {
  readonly platform: GamePlatform;
  readonly in_game_id: string;
}

/** A player, as a game server says. */
export interface OnlinePlayer {
  /** What they are called there. It proves nothing: in most games everybody chooses it themselves. */
  readonly name: string;
  /** Empty if the server tells none, or says the same of another player too. */
  readonly identities: readonly PlayerIdentity[];
}

export interface OnlinePlayers {
  readonly players: readonly OnlinePlayer[];
  /** Players beyond the most that are kept. */
  readonly more: number;
  /** How many the server counts that its answer does not name in a way that can be read. */
  readonly unread: number;
}

/** The players in an answer, and how many there are as the answer counts them, if it does. */
interface Listed {
  readonly players: readonly OnlinePlayer[];
  readonly counted?: number;
  readonly unread?: number;
}

/**
 * Who is online, from a game's answer to its command of PLAYER_COMMANDS. Null if it is no such answer. The server may be
 * hostile and players choose their names: what does not look exactly as the game writes it is not read, and ids are taken
 * from where no name can reach.
 */
export function readOnlinePlayers(game: Game, output: string): OnlinePlayers | null {
  const listed = READ[game](output);
  if (listed === null) return null;
  const { players, counted = players.length, unread = 0 } = listed;
  return {
    players: withoutDoubles(players).slice(0, MOST_ONLINE_PLAYERS),
    more: Math.max(0, players.length - MOST_ONLINE_PLAYERS),
    unread: Math.max(unread, Math.min(counted, MOST_COUNTED) - players.length, 0),
  };
}

/** No server has more. What says so imitates one. */
const MOST_COUNTED = 100_000;

const READ: Readonly<Record<Game, (output: string) => Listed | null>> = {
  minecraft,
  source,
  rust,
  ark,
  squad,
  other: () => null,
};

/** `There are 2 of a max of 20 players online: Alex, Steve`. Older servers write the names on a line of their own. */
function minecraft(output: string): Listed | null {
  const plain = output.slice(0, MOST_OUTPUT).replace(/\u00a7[0-9a-fk-orx]/gi, '');
  const head =
    /^\s*There are (\d{1,6})(?: of a max(?: of)? |\/| out of maximum )\d{1,9} players online[.:]?/.exec(
      plain,
    );
  if (head === null) return null;
  const names = plain
    .slice(head[0].length)
    .split(/[,\r\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const readable = names.filter((name) => name.length <= MOST_PLAYER_NAME);
  return {
    players: readable.map((name) => playerOf(name, [['minecraft', name]])),
    counted: Number(head[1]),
    unread: names.length - readable.length,
  };
}

/** `# 2 "Alex" STEAM_1:0:12345 05:12 50 0 active 192.0.2.1:27005`, below a line that counts the players. */
function source(output: string): Listed | null {
  const lines = linesOf(output);
  const count = lines.map((line) => /^players\s*: (\d{1,6})(?: humans?, \d{1,6} bots?)? \(/.exec(line)?.[1]);
  const counted = count.find((each) => each !== undefined);
  if (counted === undefined) return null;
  const players = lines.flatMap((line) => {
    // A name may contain quotation marks and whole lines of others, but nothing behind the last mark.
    const from = line.indexOf('"');
    const to = line.lastIndexOf('"');
    if (to <= from || !/^#\s*\d{1,9}(?:\s+\d{1,9})?\s+$/.test(line.slice(0, from))) return [];
    const id = /^\s{1,9}(\S{1,40})(?:\s{1,9}\S{1,40}){0,8}\s*$/.exec(line.slice(to + 1))?.[1];
    if (id === undefined || id === 'BOT' || id === 'HLTV') return [];
    return [playerOf(line.slice(from + 1, to), [['steam', id]])];
  });
  return { players, counted: Number(counted) };
}

/** `[{"SteamID": "76561198000000001", "DisplayName": "Alex", …}]` */
function rust(output: string): Listed | null {
  const list = jsonOf(output);
  if (!Array.isArray(list)) return null;
  const players = list.flatMap((each: unknown) => {
    if (typeof each !== 'object' || each === null) return [];
    const { SteamID: id, DisplayName: name } = each as Readonly<Record<string, unknown>>;
    return typeof name === 'string' && typeof id === 'string' ? [playerOf(name, [['steam', id]])] : [];
  });
  return { players, counted: list.length };
}

/** `0. Alex, 76561198000000001`. Since the game is in Epic's shop too, the id may be Epic's. */
function ark(output: string): Listed | null {
  const lines = linesOf(output).filter((line) => line !== '');
  if (lines.length === 1 && /^No Players Connected$/i.test(lines[0] ?? '')) return { players: [] };
  const players = lines.flatMap((line) => {
    const [, name, id] = /^\d{1,4}\. (.*), ([0-9a-f]{32}|\d{17})$/is.exec(line) ?? [];
    return name === undefined || id === undefined
      ? []
      : [playerOf(name, [[id.length === 17 ? 'steam' : 'eos', id]])];
  });
  return players.length === 0 ? null : { players, counted: lines.length };
}

/** `ID: 0 | Online IDs: EOS: 0002… steam: 7656… | Name: Alex | Team ID: 1 | …`, until those who left. */
function squad(output: string): Listed | null {
  const lines = linesOf(output);
  const begin = lines.findIndex((line) => /^-+ Active Players -+$/.test(line));
  if (begin === -1) return null;
  const rest = lines.slice(begin + 1);
  const end = rest.findIndex((line) => /^-+ Recently Disconnected Players/.test(line));
  const active = (end === -1 ? rest : rest.slice(0, end)).filter((line) => line.startsWith('ID: '));
  const players = active.flatMap((line) => {
    const [, ids, name] = /^ID: \d{1,6} \| ([^|]{1,200}) \| Name: (.*) \| Team ID: /s.exec(line) ?? [];
    if (ids === undefined || name === undefined) return [];
    const eos = /(?:^|\s)EOS: ([0-9a-f]{32})(?:\s|$)/i.exec(ids)?.[1];
    const steam = /(?:^|\s)(?:steam|SteamID): (\d{17})(?:\s|$)/i.exec(ids)?.[1];
    const known: [GamePlatform, string][] = [];
    if (steam !== undefined) known.push(['steam', steam]);
    if (eos !== undefined) known.push(['eos', eos]);
    return [playerOf(name, known)];
  });
  return { players, counted: active.length };
}

/** More of an answer is not looked at. A thousand players take less. */
const MOST_OUTPUT = 512 * 1024;

function linesOf(output: string): string[] {
  return output
    .slice(0, MOST_OUTPUT)
    .split('\n')
    .map((line) => (line.length > MOST_LINE ? '' : line.trim()));
}

function jsonOf(output: string): unknown {
  if (output.length > MOST_OUTPUT) return null;
  try {
    return JSON.parse(output);
  } catch {
    return null;
  }
}

function playerOf(
  name: string,
  ids: readonly (readonly [platform: GamePlatform, id: string])[],
): OnlinePlayer {
  const identities = ids.flatMap(([platform, id]) => {
    const identity = readIdentity(platform, id);
    return identity === null ? [] : [{ platform, in_game_id: identity }];
  });
  return { name: nameOf(name), identities };
}

/** A name as it can be kept and shown: on one line, with characters that nobody sees written out. */
function nameOf(name: string): string {
  return [...showUnseen(name.slice(0, MOST_LINE).trim())].slice(0, MOST_PLAYER_NAME).join('');
}

/** An id that two players have tells neither of them apart, so it is nobody's. */
function withoutDoubles(players: readonly OnlinePlayer[]): readonly OnlinePlayer[] {
  const keyOf = ({ platform, in_game_id }: PlayerIdentity) => `${platform}:${identityKey(in_game_id)}`;
  const seen = new Map<string, number>();
  for (const key of players.flatMap(({ identities }) => identities.map(keyOf))) {
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  return players.map(({ name, identities }) => ({
    name,
    identities: identities.filter((identity) => seen.get(keyOf(identity)) === 1),
  }));
}
