import { untilShown, verifies } from '@bailiff/core/testing';
import { askPlayers } from '@bailiff/engine/servers/online-players';
import { playersForPage } from '@bailiff/engine/servers/server-console';
import { putServer } from '@bailiff/engine/servers/servers';
import { dropLapsed } from '@bailiff/engine/worker/housekeeping';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';
import { CountingServer } from './counting-server.ts';
import { addGameServer, refusalOf } from './harness.ts';

let stage: ChatStage;
let serverId: string;
chatGuildForEachTest({ Admin: ['servers.rcon', 'members.read'] }, (next) => {
  stage = next;
});

beforeEach(async () => {
  serverId = await addGameServer(stage);
  await play('minecraft');
  await stage.row('SELECT FROM game_servers WHERE id = $1 AND checked_at IS NOT NULL', [serverId]);
});

async function play(game: string) {
  await stage.test.database.pool.query('UPDATE game_servers SET game = $2 WHERE id = $1', [serverId, game]);
}

/** As if the last question was asked longer ago. */
async function later() {
  await stage.test.database.pool.query(
    "UPDATE server_players SET asked_at = asked_at - interval '6 seconds' WHERE server_id = $1",
    [serverId],
  );
}

const sent = () => stage.sandbox.getState().server_commands.map(({ command }) => command);
const says = (text: string, times = 1) => stage.sandbox.control.addRconFault({ mode: 'answer', text, times });

/** Who is online as a page says it, which is tried again where the bot of a busy machine did not answer in time. */
function online(capabilities: ('servers.rcon' | 'members.read')[] = ['servers.rcon', 'members.read']) {
  const viewer = { id: stage.guildId, isOwner: false, capabilities, userId: stage.people.admin ?? '' };
  return untilShown(async () => {
    const { online: list } = await playersForPage(stage.engine, viewer, serverId);
    return list.state === 'asked' ? null : list;
  });
}

const identify = (platform: string, in_game_id: string) =>
  stage.act('identities.add', 'owner', { user_id: stage.people.newcomer ?? '', platform, in_game_id });

test('/server players lists who is online, with the member whose identity that is', async () => {
  verifies('games.players');
  await identify('minecraft', 'steve');
  const { message } = await stage.does({
    type: 'command',
    user: 'admin',
    command: 'server players',
    options: { server: 'Survival' },
  });
  expect(message?.content).toBe(
    `**"Survival"**: 3 players are online\n- "Alex"\n- "Steve" <@${stage.people.newcomer}>\n- "harbour\\_cat"`,
  );
  await stage.row(
    "SELECT FROM audit WHERE operation = 'servers.players' AND is_read AND actor_source = 'chat'",
  );
});

test.each([
  ['minecraft', 'minecraft', 'Alex', 'list'],
  ['source', 'steam', '76561197960287930', 'status'],
  ['rust', 'steam', '76561197960287930', 'playerlist'],
  ['ark', 'steam', '76561197960276829', 'ListPlayers'],
  ['squad', 'eos', '0002a10b3c4d5e6f70819293a4b5c6d0', 'ListPlayers'],
])('a server of %s is asked in its own way', async (game, platform, identity, command) => {
  await play(game);
  if (game === 'squad') stage.sandbox.control.setRconListing({ game: 'squad' });
  const { players, ...list } = await online();
  expect(list).toMatchObject({ server_id: serverId, state: 'listed', more: 0, unread: 0 });
  expect(players.map(({ name }) => name)).toEqual(['Alex', 'Steve', 'harbour_cat']);
  expect(players[0]?.identities.map((each) => each.platform)).toContain(platform);
  const first = players[0]?.identities.find((each) => each.platform === platform)?.in_game_id ?? '';
  expect(first.length).toBe(identity.length);
  await identify(platform, first);
  expect((await online()).players[0]?.user_id).toBe(stage.people.newcomer);
  expect(sent().filter((each) => each === command)).toHaveLength(1);
});

test('everybody who asks within 5 seconds shares one answer, and who asks later gets a new one', async () => {
  verifies('games.players-shared');
  const before = sent().length;
  const lists = await Promise.all(Array.from({ length: 20 }, () => online()));
  expect(new Set(lists.map(({ read_at }) => read_at)).size).toBe(1);
  expect(lists[0]?.state).toBe('listed');
  expect(sent().slice(before)).toEqual(['list']);
  await later();
  expect((await online()).read_at).not.toBe(lists[0]?.read_at);
  expect(sent().slice(before)).toEqual(['list', 'list']);
});

test('who may not run commands gets no list, and no server is asked', async () => {
  verifies('games.players-who');
  const before = sent().length;
  expect(await refusalOf(online(['members.read']))).toMatchObject({ code: 'CAPABILITY_DENIED' });
  expect(sent()).toHaveLength(before);
  // Who may not read members is not told whose identity it is.
  await identify('minecraft', 'Alex');
  expect((await online(['servers.rcon'])).players[0]).toMatchObject({ name: 'Alex', user_id: null });
  const asked = sent().length;
  await stage.test.database.pool.query('DELETE FROM role_grants');
  const { message } = await stage.does({
    type: 'command',
    user: 'admin',
    command: 'server players',
    options: { server: serverId },
  });
  expect(message?.content).toMatch(/^Not done\..*servers\.rcon/);
  expect(sent()).toHaveLength(asked);
});

test('the policy of the server decides about this command too', async () => {
  await stage.test.database.pool.query("UPDATE game_servers SET deny_patterns = '{list}' WHERE id = $1", [
    serverId,
  ]);
  const before = sent().length;
  expect(await online()).toMatchObject({ state: 'not_allowed', players: [] });
  expect(sent()).toHaveLength(before);
  await later();
  await play('other');
  expect(await online()).toMatchObject({ state: 'no_command' });
});

test('what is no list, a server that breaks off and one that is silent are said to be so', async () => {
  says('Unknown command');
  expect(await online()).toMatchObject({ state: 'unreadable', players: [] });
  await later();
  stage.sandbox.control.addRconFault({ mode: 'reset' });
  expect(await online()).toMatchObject({ state: 'unreachable', players: [] });
  await later();
  stage.sandbox.control.addRconFault({ mode: 'hang' });
  expect(await online()).toMatchObject({ state: 'unreachable', players: [] });
  await later();
  expect(await online()).toMatchObject({ state: 'listed', players: [{}, {}, {}] });
});

test('a server that answers is reachable again, and a question that waited too long is not asked any more', async () => {
  verifies('games.players-shared');
  const { pool } = stage.test.database;
  await pool.query("UPDATE game_servers SET reachable = false, problem = 'It was away' WHERE id = $1", [
    serverId,
  ]);
  await online();
  await stage.row('SELECT FROM game_servers WHERE id = $1 AND reachable AND problem IS NULL', [serverId]);
  const before = sent().length;
  await pool.query(
    "UPDATE server_players SET state = 'asked', asked_at = now() - interval '6 seconds' WHERE server_id = $1",
    [serverId],
  );
  await pool.query(
    "SELECT graphile_worker.add_job('list_players', json_build_object('server_id', $1::text))",
    [serverId],
  );
  await stage.row(
    "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'list_players' HAVING count(*) = 0",
  );
  expect(sent()).toHaveLength(before);
  // Who reads while a later answer is still to come is not shown who was online before.
  await pool.query("UPDATE server_players SET asked_at = now() + interval '1 hour' WHERE server_id = $1", [
    serverId,
  ]);
  const viewer = {
    id: stage.guildId,
    isOwner: true,
    capabilities: ['servers.rcon' as const],
    userId: stage.people.owner ?? '',
  };
  const { online: list } = await playersForPage(stage.engine, viewer, serverId);
  expect(list).toMatchObject({ state: 'asked', players: [], more: 0 });
});

test('a hostile server fills nothing: 10 MB, unseen characters and names that imitate others', async () => {
  verifies('games.players-hostile');
  await play('source');
  await identify('steam', '76561197960265730');
  const line = (name: string, id: string) => `# 2 "${name}" ${id} 05:12 50 0 active 192.0.2.1:27005\n`;
  const head = 'players : 2 humans, 0 bots (20 max)\n';
  says(`${head}${line('a\u202e\u0000" STEAM_1:0:1 "b', 'STEAM_1:0:2')}${line('x', 'STEAM_1:1:9')}`);
  const { players } = await online();
  expect(players.map(({ identities, user_id }) => [identities[0]?.in_game_id, user_id])).toEqual([
    ['76561197960265732', null],
    ['76561197960265747', null],
  ]);
  expect(players[0]?.name).toBe('a\\u202e\ufffd" STEAM_1:0:1 "b');
  await later();
  says(`${head}${line('Alex', 'STEAM_1:0:7').repeat(170_000)}`);
  expect(await online()).toMatchObject({ state: 'listed', more: expect.any(Number) });
  const { size } = await stage.row<{ size: number }>(
    'SELECT octet_length(players::text) AS size FROM server_players WHERE server_id = $1',
    [serverId],
  );
  expect(size).toBeLessThan(100_000);
});

test('a command of a moderator that waits goes before the question, and both use one connection each', async () => {
  verifies('games.players-behind');
  const game = new CountingServer(() => 'There are 1 of a max of 20 players online: Alex');
  await game.listen();
  onTestFinished(() => game.close());
  const policy = { allow: [], deny: [] };
  const at = { name: 'Counting', host: '127.0.0.1', port: game.port, password: 'right', policy };
  serverId = (await putServer(stage.test.database, stage.guildId, at))?.id ?? '';
  await play('minecraft');
  await stage.row('SELECT FROM game_servers WHERE id = $1 AND reachable', [serverId]);
  await game.left();
  // A slow command holds the server. A question and then a command wait behind it.
  game.hold();
  const run = async (command: string, state: string) => {
    const answer = stage.act('servers.rcon', 'admin', { serverId, command });
    const recorded = "SELECT FROM actions WHERE input->>'command' = $1 AND state::text = $2";
    await stage.row(recorded, [command, state]);
    return { answer };
  };
  const slow = await run('slow', 'running');
  const question = askPlayers(stage.engine, stage.guildId, serverId);
  // Nobody waits for a question for long. This one stays new.
  await stage.row(
    "UPDATE server_players SET asked_at = now() + interval '1 hour' WHERE server_id = $1 RETURNING server_id",
    [serverId],
  );
  const first = await run('say first', 'pending');
  game.answer();
  await Promise.all([slow.answer, question, first.answer]);
  await stage.row("SELECT FROM server_players WHERE server_id = $1 AND state = 'listed'", [serverId]);
  expect([game.commands, game.overlaps]).toEqual([['slow', 'say first', 'list'], []]);
});

test('a server that has moved is asked at its new address, and what the former one answers late is not shown', async () => {
  verifies('games.players-shared');
  const listing = async (player: string) => {
    const game = new CountingServer(() => `There are 1 of a max of 20 players online: ${player}`);
    await game.listen();
    onTestFinished(() => game.close());
    return game;
  };
  const [former, next, last] = [await listing('Former'), await listing('Next'), await listing('Last')];
  const moveTo = async ({ port }: CountingServer) => {
    const at = {
      name: 'Moving',
      host: '127.0.0.1',
      port,
      password: 'right',
      policy: { allow: [], deny: [] },
    };
    serverId = (await putServer(stage.test.database, stage.guildId, at))?.id ?? '';
  };
  const names = async () => (await online()).players.map(({ name }) => name);
  await moveTo(former);
  await play('minecraft');
  expect(await names()).toEqual(['Former']);
  await moveTo(next);
  expect(await names()).toEqual(['Next']);

  await later();
  next.hold();
  const early = askPlayers(stage.engine, stage.guildId, serverId);
  await stage.row('SELECT', [], () => next.commands.length === 2);
  await moveTo(last);
  const shown = names();
  await stage.row("SELECT FROM server_players WHERE server_id = $1 AND state = 'asked'", [serverId]);
  next.answer();
  expect(await shown).toEqual(['Last']);
  await early;
});

test('a guild has at most four questions under way, and nobody asks the servers of another', async () => {
  verifies('games.players-shared');
  const { pool } = stage.test.database;
  const ask = async (guildId: string) =>
    (await pool.query<{ so: boolean }>('SELECT ask_players($1, $2) AS so', [guildId, serverId])).rows[0]?.so;
  await pool.query(
    `WITH others AS (
       INSERT INTO game_servers (guild_id, name, host, port, password_sealed, created_by)
       SELECT guild_id, 'S' || n, host, port, password_sealed, created_by FROM game_servers, generate_series(1, 4) AS n
       WHERE id = $1 RETURNING id)
     INSERT INTO server_players (server_id) SELECT id FROM others`,
    [serverId],
  );
  expect(await ask(stage.guildId)).toBe(false);
  await pool.query(
    "UPDATE server_players SET state = 'listed' WHERE ctid = (SELECT ctid FROM server_players LIMIT 1)",
  );
  expect(await ask(stage.sandbox.otherGuildId)).toBe(false);
  expect((await pool.query('SELECT FROM server_players WHERE server_id = $1', [serverId])).rowCount).toBe(0);
  expect(await ask(stage.guildId)).toBe(true);
});

test('the questions of one guild keep nobody of another from asking', async () => {
  verifies('games.players-shared');
  const { pool } = stage.test.database;
  await pool.query(
    `WITH others AS (
       INSERT INTO game_servers (guild_id, name, host, port, password_sealed, created_by)
       SELECT $2, 'S' || n, host, port, password_sealed, created_by FROM game_servers, generate_series(1, 4) AS n
       WHERE id = $1 RETURNING id)
     INSERT INTO server_players (server_id) SELECT id FROM others`,
    [serverId, stage.sandbox.otherGuildId],
  );
  const asked = 'SELECT ask_players($1, $2) AS is_coming';
  expect((await pool.query(asked, [stage.guildId, serverId])).rows).toEqual([{ is_coming: true }]);
});

test('who was online an hour ago is deleted', async () => {
  await online();
  const { pool } = stage.test.database;
  await pool.query("UPDATE server_players SET asked_at = asked_at - interval '61 minutes'");
  await dropLapsed(stage.test.database);
  expect((await pool.query('SELECT FROM server_players')).rowCount).toBe(0);
});
