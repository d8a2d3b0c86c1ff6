/** A player on the offline game server. */
export interface SandboxPlayer {
  readonly name: string;
  /** The number of their Steam account. */
  readonly account: number;
  readonly eos: string;
}

/** Games whose servers have a command `ListPlayers`, with answers of their own. */
export const LISTINGS = ['ark', 'squad'] as const;
export type Listing = (typeof LISTINGS)[number];

/** Who is online at the start. */
export const PLAYERS: readonly SandboxPlayer[] = ['Alex', 'Steve', 'harbour_cat'].map((name, index) => ({
  name,
  account: 11_101 + index,
  eos: `0002a10b3c4d5e6f70819293a4b5c6d${index}`,
}));

const FIRST_STEAM_ID = 76_561_197_960_265_728n;
const SLOTS = 20;

function steamId64({ account }: SandboxPlayer): string {
  return String(FIRST_STEAM_ID + BigInt(account));
}

/** What a Source server answers to `status`. */
export function statusOf(hostname: string, players: readonly SandboxPlayer[]): string {
  return [
    `hostname: ${hostname}`,
    'version : 8835751/24 8835751 secure',
    'udp/ip  : 192.0.2.10:27015',
    'map     : harbour at: 0 x, 0 y, 0 z',
    `players : ${players.length} humans, 0 bots (${SLOTS} max)`,
    '',
    '# userid name                uniqueid            connected ping loss state  adr',
    ...players.map(
      ({ name, account }, index) =>
        `# ${String(index + 2).padStart(6)} "${name}" STEAM_1:${account % 2}:${(account - (account % 2)) / 2} ` +
        `05:1${index} ${50 + index} 0 active 192.0.2.${20 + index}:27005`,
    ),
    '#end',
  ].join('\n');
}

/** What Minecraft answers to `list`. */
export function minecraftList(players: readonly SandboxPlayer[]): string {
  const names = players.map(({ name }) => name).join(', ');
  return `There are ${players.length} of a max of ${SLOTS} players online: ${names}`;
}

/** What Rust answers to `playerlist`. */
export function rustList(players: readonly SandboxPlayer[]): string {
  const list = players.map((player, index) => ({
    SteamID: steamId64(player),
    OwnerSteamID: '0',
    DisplayName: player.name,
    Ping: 50 + index,
    Address: `192.0.2.${20 + index}:27005`,
    EntityId: 1000 + index,
    ConnectedSeconds: 300 + index,
    VoiationLevel: 0,
    CurrentLevel: 0,
    UnspentXp: 0,
    Health: 100,
  }));
  return JSON.stringify(list, null, 2);
}

/** What ARK answers to `ListPlayers`. */
export function arkList(players: readonly SandboxPlayer[]): string {
  if (players.length === 0) return 'No Players Connected \n ';
  return `\n${players.map((player, index) => `${index}. ${player.name}, ${steamId64(player)}`).join(' \n')} \n `;
}

/** What Squad answers to `ListPlayers`. */
export function squadList(players: readonly SandboxPlayer[]): string {
  return [
    '----- Active Players -----',
    ...players.map(
      (player, index) =>
        `ID: ${index} | Online IDs: EOS: ${player.eos} steam: ${steamId64(player)} | Name:  ${player.name} ` +
        '| Team ID: 1 | Squad ID: N/A | Is Leader: False | Role: USA_Rifleman_01',
    ),
    '----- Recently Disconnected Players [Max of 15] -----',
    'ID: 9 | Online IDs: EOS: 0002aaaabbbbccccddddeeeeffff0000 steam: 76561198000000999 ' +
      '| Since Disconnect: 02m.14s | Name:  Gone',
  ].join('\n');
}
