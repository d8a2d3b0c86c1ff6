import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  MOST_ONLINE_PLAYERS,
  MOST_PLAYER_NAME,
  PLAYER_COMMANDS,
  readOnlinePlayers,
} from '#src/online-players.ts';
import { GAMES } from '#src/server-templates.ts';
import { growthOfWork, MOST_GROWTH, verifies } from '#src/testing.ts';

const ALEX = '76561197960287930';
const STEVE = '76561197960287931';
const EOS = '0002a10b3c4d5e6f70819293a4b5c6d7';
const steam = (in_game_id: string) => [{ platform: 'steam', in_game_id }];
const minecraft = (in_game_id: string) => [{ platform: 'minecraft', in_game_id }];
const whole = (players: object[], more: object = {}) => ({ players, more: 0, unread: 0, ...more });

test('each game but another one has a command that lists its players', () => {
  const silent = GAMES.filter((game) => PLAYER_COMMANDS[game] === null);
  expect(silent).toEqual(['other']);
  expect(readOnlinePlayers('other', 'There are 1 of a max of 20 players online: Alex')).toBeNull();
});

describe('Minecraft', () => {
  test.each([
    ['There are 2 of a max of 20 players online: Alex, Steve'],
    ['There are 2 of a max 20 players online: Alex, Steve'],
    ['There are 2/20 players online:\nAlex, Steve'],
    ['There are 2 out of maximum 20 players online.\nAlex\nSteve\r\n'],
    ['\u00a76There are \u00a7c2\u00a76 of a max of 20 players online: \u00a7aAlex, Steve'],
  ])('names are read: %j', (output) => {
    const players = [
      { name: 'Alex', identities: minecraft('Alex') },
      { name: 'Steve', identities: minecraft('Steve') },
    ];
    expect(readOnlinePlayers('minecraft', output)).toEqual(whole(players));
  });

  test('a name that no Minecraft player can have is shown, and is no identity', () => {
    const read = readOnlinePlayers(
      'minecraft',
      'There are 2 of a max of 20 players online: @a, .Bedrock One',
    );
    expect(read).toEqual(
      whole([
        { name: '@a', identities: [] },
        { name: '.Bedrock One', identities: [] },
      ]),
    );
  });

  test('an empty server has nobody, and players it counts but does not name are counted', () => {
    expect(readOnlinePlayers('minecraft', 'There are 0 of a max of 20 players online: ')).toEqual(whole([]));
    const hidden = readOnlinePlayers('minecraft', 'There are 3 of a max of 20 players online: Alex');
    expect(hidden).toMatchObject({ players: [{ name: 'Alex' }], unread: 2 });
    const long = readOnlinePlayers(
      'minecraft',
      `There are 1 of a max of 9 players online: ${'x'.repeat(65)}`,
    );
    expect(long).toEqual(whole([], { unread: 1 }));
  });
});

describe('Source', () => {
  const status = (lines: string[], count = lines.length) =>
    ['hostname: x', `players : ${count} humans, 1 bots (20 max)`, '# userid name uniqueid', ...lines].join(
      '\n',
    );
  const line = (name: string, id: string) => `#      2 "${name}" ${id} 05:12 50 0 active 192.0.2.1:27005`;

  test('names and SteamIDs are read, of both spellings, without bots', () => {
    const lines = [
      line('Alex', 'STEAM_1:0:11101'),
      '# 3 1 "Steve" [U:1:22203] 1:05:12 50 0 active 192.0.2.1:27005 ',
      '#      4 "Bob" BOT active',
    ];
    expect(readOnlinePlayers('source', status(lines, 2))).toEqual(
      whole([
        { name: 'Alex', identities: steam(ALEX) },
        { name: 'Steve', identities: steam(STEVE) },
      ]),
    );
  });

  test('a name that spells out the rest of a line does not get the id in it', () => {
    const name = 'Steve" STEAM_1:1:11101 05:12 50 0 active 192.0.2.9:27005 "x';
    const read = readOnlinePlayers('source', status([line(name, 'STEAM_1:0:11101')]));
    expect(read?.players).toEqual([{ name, identities: steam(ALEX) }]);
  });

  test('an answer without a count is none, and what is behind the name must be as the game writes it', () => {
    expect(readOnlinePlayers('source', line('Alex', 'STEAM_1:0:11101'))).toBeNull();
    const read = readOnlinePlayers('source', status(['# 2 "Alex"', 'x "Alex" STEAM_1:0:11101 1 1 1 active']));
    expect(read).toEqual(whole([], { unread: 2 }));
    const noId = readOnlinePlayers('source', status([line('Alex', 'STEAM_ID_PENDING')]));
    expect(noId).toEqual(whole([{ name: 'Alex', identities: [] }]));
  });
});

test('a line that is longer than that of any player is of none, and is counted', () => {
  const output = (name: string) =>
    `players : 1 humans, 0 bots (24 max)\n# 2 "${name}" STEAM_1:0:12345 05:12 50 0 active`;
  expect(readOnlinePlayers('source', output('Alex'))?.players).toHaveLength(1);
  expect(readOnlinePlayers('source', output('x'.repeat(1_000)))).toEqual(whole([], { unread: 1 }));
});

describe('Rust', () => {
  test('the list is read, and nothing else is a list', () => {
    const list = [
      { SteamID: ALEX, DisplayName: 'Alex' },
      { SteamID: 'x', DisplayName: 'Steve\u0000' },
      { DisplayName: 'nobody' },
      null,
    ];
    expect(readOnlinePlayers('rust', JSON.stringify(list))).toEqual(
      whole(
        [
          { name: 'Alex', identities: steam(ALEX) },
          { name: 'Steve\\u0000', identities: [] },
        ],
        { unread: 2 },
      ),
    );
    for (const other of ['', '{}', 'Unknown command', '[{"SteamID":', `[${' '.repeat(600_000)}]`]) {
      expect(readOnlinePlayers('rust', other)).toBeNull();
    }
  });
});

describe('ARK', () => {
  test('SteamIDs and ids of Epic are read, from the end of the line', () => {
    const output = `\n0. Alex, ${ALEX} \n1. Steve, ${ALEX}, ${EOS}\n \n`;
    expect(readOnlinePlayers('ark', output)).toEqual(
      whole([
        { name: 'Alex', identities: steam(ALEX) },
        { name: `Steve, ${ALEX}`, identities: [{ platform: 'eos', in_game_id: EOS }] },
      ]),
    );
    expect(readOnlinePlayers('ark', 'No Players Connected \n ')).toEqual(whole([]));
    expect(readOnlinePlayers('ark', 'Server received, But no response!! \n ')).toBeNull();
    expect(readOnlinePlayers('ark', `0. Alex, ${ALEX}\nwhat?`)).toMatchObject({ unread: 1 });
  });
});

describe('Squad', () => {
  const line = (name: string, ids: string) =>
    `ID: 1 | ${ids} | Name: ${name} | Team ID: 1 | Squad ID: N/A | Is Leader: False | Role: USA_Rifleman_01`;
  const answer = (...lines: string[]) =>
    [
      '----- Active Players -----',
      ...lines,
      '----- Recently Disconnected Players [Max of 15] -----',
      line('Gone', `SteamID: ${STEVE}`),
    ].join('\n');

  test('those who are there are read with both ids, and not those who left', () => {
    expect(
      readOnlinePlayers('squad', answer(line(' [X] Alex', `Online IDs: EOS: ${EOS} steam: ${ALEX}`))),
    ).toEqual(
      whole([{ name: '[X] Alex', identities: [...steam(ALEX), { platform: 'eos', in_game_id: EOS }] }]),
    );
    const old = readOnlinePlayers('squad', answer(line('Alex', `SteamID: ${ALEX}`)));
    expect(old).toEqual(whole([{ name: 'Alex', identities: steam(ALEX) }]));
    expect(readOnlinePlayers('squad', line('Alex', `SteamID: ${ALEX}`))).toBeNull();
    expect(readOnlinePlayers('squad', answer('ID: 7 | what'))).toEqual(whole([], { unread: 1 }));
  });

  test('a name cannot bring another id along', () => {
    const name = `Steve | Team ID: 1 | Online IDs: steam: ${STEVE} | Name: Steve`;
    const read = readOnlinePlayers('squad', answer(line(name, `Online IDs: EOS: ${EOS} steam: ${ALEX}`)));
    expect(read?.players).toEqual([
      {
        name: name.slice(0, MOST_PLAYER_NAME),
        identities: [...steam(ALEX), { platform: 'eos', in_game_id: EOS }],
      },
    ]);
  });
});

test('an id that two players have is of neither', () => {
  const read = readOnlinePlayers('ark', `0. Alex, ${ALEX}\n1. Steve, ${ALEX}\n2. Eve, ${STEVE}`);
  expect(read?.players.map(({ identities }) => identities)).toEqual([[], [], steam(STEVE)]);
  const names = readOnlinePlayers('minecraft', 'There are 2 of a max of 20 players online: Alex, aLEX');
  expect(names?.players).toEqual([
    { name: 'Alex', identities: [] },
    { name: 'aLEX', identities: [] },
  ]);
});

test('at most 250 players are kept, and the others counted', () => {
  const names = Array.from({ length: 300 }, (_, index) => `player_${index}`);
  const read = readOnlinePlayers(
    'minecraft',
    `There are 300 of a max of 300 players online: ${names.join(', ')}`,
  );
  expect(read?.players).toHaveLength(MOST_ONLINE_PLAYERS);
  expect(read).toMatchObject({ more: 50, unread: 0 });
  const boast = readOnlinePlayers('minecraft', 'There are 999999 of a max of 20 players online: Alex');
  expect(boast?.unread).toBe(99_999);
});

/** Parts of what the games write, in any order, with anything between. */
const pieces = fc.constantFrom(
  'There are 2 of a max of 20 players online: ',
  'players : 2 humans, 0 bots (20 max)\n',
  '# 2 "',
  '" STEAM_1:0:11101 05:12 50 0 active',
  '----- Active Players -----\n',
  'ID: 1 | Online IDs: EOS: ',
  ` steam: ${ALEX} | Name: `,
  ' | Team ID: 1',
  `0. Alex, ${ALEX}\n`,
  '[{"SteamID":"',
  '","DisplayName":"',
  '"}]',
  ', ',
  '\n',
  '\u00a7a',
  '\ud800',
  '\u202e',
  '\u0000',
);
const hostile = fc.array(fc.oneof(pieces, fc.string({ unit: 'binary' })), { maxLength: 40 });

test('whatever a server says, the list is bounded, and its texts are plain', () => {
  verifies('games.players-hostile');
  fc.assert(
    fc.property(fc.constantFrom(...GAMES), hostile, (game, parts) => {
      const read = readOnlinePlayers(game, parts.join(''));
      if (read === null) return;
      expect(read.players.length).toBeLessThanOrEqual(MOST_ONLINE_PLAYERS);
      const ids = read.players.flatMap(({ identities }) =>
        identities.map((id) => JSON.stringify(id).toLowerCase()),
      );
      expect(new Set(ids).size).toBe(ids.length);
      for (const { name, identities } of read.players) {
        expect([...name].length).toBeLessThanOrEqual(MOST_PLAYER_NAME);
        expect(name).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202e]/u);
        for (const { in_game_id } of identities) expect(in_game_id).toMatch(/^[\w-]{3,36}$/);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('who chooses a name cannot choose an id', () => {
  const name = fc
    .array(fc.oneof(pieces, fc.string({ unit: 'grapheme' })), { minLength: 1, maxLength: 12 })
    .map((parts) => parts.join('').replace(/[\r\n]/g, ' '))
    .filter((text) => text.length < 700);
  fc.assert(
    fc.property(name, (chosen) => {
      const status = `players : 1 humans, 0 bots (20 max)\n# 2 "${chosen}" STEAM_1:1:11101 05:12 50 0 active 192.0.2.1:1`;
      const ark = `0. ${chosen}, ${STEVE}`;
      const squad = `----- Active Players -----\nID: 1 | SteamID: ${STEVE} | Name: ${chosen} | Team ID: 1 | Squad ID: N/A`;
      const rust = JSON.stringify([{ SteamID: STEVE, DisplayName: chosen }]);
      for (const [game, output] of Object.entries({ source: status, ark, squad, rust })) {
        const read = readOnlinePlayers(game as 'source', output);
        expect(read?.players.map(({ identities }) => identities)).toEqual([steam(STEVE)]);
      }
    }),
    { numRuns: 1_000 },
  );
});

/** How much of an answer is read. */
const MOST_READ = 512 * 1024;

test('work on a long answer grows with its length, and ends with the part of it that is read', () => {
  for (const game of GAMES) {
    for (const [start, part] of [
      ['', '# 2 "x" '],
      ['players : 2 humans, 0 bots (20 max)\n', '# 2 "Alex" STEAM_1:0:1 1 1 1 active\n'],
      ['', 'There are 1 of a max of 20 players online: '],
    ] as const) {
      const work = (count: number) => void readOnlinePlayers(game, start + part.repeat(count));
      const parts = Math.floor((MOST_READ - start.length) / part.length / 4);
      expect(growthOfWork(parts, work), `${game}: ${part}`).toBeLessThan(MOST_GROWTH);
      expect(growthOfWork(4 * parts, work), `${game}: ${part}`).toBeLessThan(MOST_GROWTH);
    }
  }
});
