/** What kind of identity a person has in a game. Each kind is checked and written in its own way. */
export const GAME_PLATFORMS = ['minecraft', 'minecraft_uuid', 'steam', 'eos', 'xbox', 'other'] as const;
export type GamePlatform = (typeof GAME_PLATFORMS)[number];

/** The longest identity, in characters. */
export const MOST_IDENTITY_CHARACTERS = 64;

/** What an identity of each kind must be. */
export const IDENTITY_RULES: Readonly<Record<GamePlatform, string>> = {
  minecraft: 'It must be the name of a Minecraft player: 3 to 16 letters, digits and _.',
  minecraft_uuid:
    'It must be the UUID of a Minecraft player: 32 hexadecimal digits, with or without hyphens.',
  steam: 'It must be a SteamID: 17 digits, STEAM_0:1:123 or [U:1:123].',
  eos: 'It must be an id of Epic Online Services: 32 hexadecimal digits.',
  xbox: 'It must be a gamertag: a letter, then up to 14 letters, digits and spaces, and # with digits if it has them.',
  other: 'It must be a name on one line, without characters that nobody sees.',
};

/** The one spelling of an identity, in which it is kept and sent to game servers. Null if it is none of this kind. */
export function readIdentity(platform: GamePlatform, text: string): string | null {
  const given = text.trim();
  return given.length > MOST_IDENTITY_CHARACTERS ? null : READ[platform](given);
}

/** The identity that a text is by its form alone, in its one spelling. Null if it could be of several kinds. */
export function identityByForm(
  text: string,
): { readonly platform: GamePlatform; readonly identity: string } | null {
  const steam = readIdentity('steam', text);
  if (steam !== null) return { platform: 'steam', identity: steam };
  // Without hyphens it could be an id of Epic's as well.
  const uuid = text.includes('-') ? readIdentity('minecraft_uuid', text) : null;
  return uuid === null ? null : { platform: 'minecraft_uuid', identity: uuid };
}

/** The text by which an identity is found and compared. Games do not tell upper case from lower case. */
export function identityKey(identity: string): string {
  return identity.toLowerCase();
}

/** The keys of all identities that a text can stand for: it is read as each kind, and as it is. */
export function identityKeys(text: string): readonly string[] {
  const spelled = GAME_PLATFORMS.map((platform) => readIdentity(platform, text) ?? text);
  return [...new Set(spelled.map(identityKey))];
}

const fitting = (pattern: RegExp) => (text: string) => (pattern.test(text) ? text : null);

const READ: Readonly<Record<GamePlatform, (text: string) => string | null>> = {
  minecraft: fitting(/^[A-Za-z0-9_]{3,16}$/),
  minecraft_uuid: (text) => {
    const plain = text.toLowerCase();
    const parts = /^([0-9a-f]{8})(-?)([0-9a-f]{4})\2([0-9a-f]{4})\2([0-9a-f]{4})\2([0-9a-f]{12})$/.exec(
      plain,
    );
    if (parts === null) return null;
    const [, a, , b, c, d, e] = parts;
    return [a, b, c, d, e].join('-');
  },
  steam: steamId,
  eos: (text) => fitting(/^[0-9a-f]{32}$/)(text.toLowerCase()),
  xbox: fitting(/^(?=[^#]{1,15}(?:#|$))[A-Za-z][A-Za-z0-9]*(?: [A-Za-z0-9]+)*(?:#\d{1,4})?$/),
  other: fitting(/^[^\p{C}\p{Zl}\p{Zp}]+$/u),
};

/** SteamID64 of the account 0: an individual account of Steam's public universe has this and its number. */
const FIRST_STEAM_ID = 76_561_197_960_265_728n;
const MOST_STEAM_ACCOUNTS = 2n ** 32n;

/** A SteamID64, from any of the three ways in which Steam and its games write it. */
function steamId(text: string): string | null {
  const account = steamAccount(text);
  return account !== null && account > 0n && account < MOST_STEAM_ACCOUNTS
    ? String(FIRST_STEAM_ID + account)
    : null;
}

function steamAccount(text: string): bigint | null {
  if (/^\d{17}$/.test(text)) return BigInt(text) - FIRST_STEAM_ID;
  const old = /^STEAM_[01]:([01]):(\d{1,10})$/i.exec(text);
  if (old !== null) return BigInt(old[2] ?? '') * 2n + BigInt(old[1] ?? '');
  const modern = /^\[?U:1:(\d{1,10})\]?$/i.exec(text);
  return modern === null ? null : BigInt(modern[1] ?? '');
}
