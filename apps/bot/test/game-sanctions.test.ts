import { type GameSanction, TEMPLATE_PRESETS } from '@bailiff/core';
import { untilShown, verifies } from '@bailiff/core/testing';
import { gameSanctionsOfCase } from '@bailiff/engine/servers/game-sanctions-of-case';
import { sanctionInGames } from '@bailiff/engine/servers/sanction-in-games';
import { beforeEach, expect, test } from 'vitest';
import { gamesText } from '#src/chat/games.ts';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';
import { addGameServer, newMember, refusalOf } from './harness.ts';

let stage: ChatStage;
let serverId: string;
/** Who is banned, who they are on the server, and which record says so. */
let target: string;
let identityId: string;
const moderating = ['bans.read', 'bans.write', 'strikes.write', 'members.read'];
const { spoil } = chatGuildForEachTest({ Admin: moderating, Helper: ['strikes.read'] }, (next) => {
  stage = next;
});

beforeEach(async () => {
  serverId = await addGameServer(stage);
  // It logs in once to see that it is there, which must not meet a fault that is meant for a command.
  await stage.row('SELECT FROM game_servers WHERE id = $1 AND checked_at IS NOT NULL', [serverId]);
  await useTemplates(TEMPLATE_PRESETS.minecraft);
  target = stage.people.newcomer ?? '';
  identityId = await addIdentity('Alex');
});

async function useTemplates(
  { kick, ban, unban }: { kick: string; ban: string; unban: string },
  game = 'minecraft',
) {
  await stage.test.database.pool.query(
    `UPDATE game_servers SET game = $2, kick_template = $3, ban_template = $4, unban_template = $5 WHERE id = $1`,
    [serverId, game, kick, ban, unban],
  );
}

async function addIdentity(player: string, userId = target): Promise<string> {
  const input = { user_id: userId, platform: 'minecraft', in_game_id: player };
  const { body } = await stage.act('identities.add', 'owner', input);
  return (body as { identity: { id: string } }).identity.id;
}

/** The commands that reached the server since the test began. */
const sent = () => stage.sandbox.getState().server_commands.map(({ command }) => command);

/** The whole answer to a command, with what became of it on game servers. */
async function saysInGames(command: string, options: Record<string, string | boolean>, end: RegExp) {
  const answered = await stage.does({ type: 'command', user: 'admin', command, options });
  const content = () =>
    stage.sandbox.getState().interactions.find(({ id }) => id === answered.id)?.message?.content ?? '';
  await stage.sandbox.until(() => end.test(content()), 60_000, String(end));
  return content();
}

async function banned(): Promise<number> {
  const { body } = await stage.act('bans.add', 'owner', { user_id: target, reason: 'griefing' });
  return (body as { ban: { case_number: number } }).ban.case_number;
}

const inGame = (caseNumber: number, does: GameSanction, more: object = {}) =>
  stage.act('servers.sanction', 'admin', {
    server_id: serverId,
    user_id: target,
    identity_id: identityId,
    case_number: caseNumber,
    does,
    ...more,
  });

async function everywhere(caseNumber: number, does: GameSanction) {
  const actor = { source: 'dashboard', userId: stage.people.admin ?? '' } as const;
  const of = { guildId: stage.guildId, userId: target, caseNumber, does, actor, address: null };
  const outcomes = await sanctionInGames(stage.engine, of);
  return outcomes.map(({ outcome, said, error }) => [outcome, said, error?.details ?? null]);
}

test('a ban in chat is also carried to the game server where the person is known, and so is its lifting', async () => {
  verifies('games.ban-too', 'games.unban-too');
  const before = sent().length;
  const ban = await saysInGames(
    'ban',
    { user: target, reason: 'griefing', duration: '1d', game_servers: true },
    /It answered/,
  );
  expect(ban).toContain('On game servers');
  expect(ban).toContain('"Survival": the ban of "Alex" was sent. It answered "Banned Alex: griefing".');
  // The command of Minecraft names no end.
  expect(ban).toContain('There it stays until somebody lifts it.');
  const lifted = await saysInGames('unban', { user: target, game_servers: true }, /It answered/);
  expect(lifted).toContain('the lifting of the ban of "Alex" was sent. It answered "Unbanned Alex".');
  expect(sent().slice(before)).toEqual(['ban Alex griefing', 'pardon Alex']);
  const { rows } = await stage.test.database.pool.query(
    `SELECT outcome, actor_source, target_id FROM audit WHERE operation = 'servers.sanction' AND guild_id = $1 ORDER BY id`,
    [stage.guildId],
  );
  const row = (outcome: string) => ({ outcome, actor_source: 'chat', target_id: target });
  expect(rows).toEqual([row('requested'), row('performed'), row('requested'), row('performed')]);
});

test('what was sent to a game server for a case is shown in the log channel, without the answer', async () => {
  verifies('bot.log-actions');
  const log = stage.sandbox.channels.mod_log;
  await stage.test.database.pool.query('UPDATE guilds SET log_channel_id = $2 WHERE id = $1', [
    stage.guildId,
    log,
  ]);
  const number = await banned();
  await inGame(number, 'ban');
  const { id } = await stage.row<{ id: string }>(
    "SELECT id FROM actions WHERE guild_id = $1 AND operation = 'servers.sanction' AND state = 'done'",
    [stage.guildId],
  );
  const embed = await stage.sandbox.until((state) =>
    state.guilds
      .find((guild) => guild.id === stage.guildId)
      ?.channels.find((channel) => channel.id === log)
      ?.messages.flatMap(({ embeds }) => embeds)
      .find(({ footer }) => footer?.text === id),
  );
  const does = `Ban user ${target} on the game server Survival (${serverId})`;
  expect(embed.description).toBe(`${does} in guild ${stage.guildId}, for case #${number}, as ${identityId}`);
});

test('a game that knows the end of a ban is told it, and 0 for a permanent one', async () => {
  verifies('games.of-a-case');
  await useTemplates(TEMPLATE_PRESETS.source, 'source');
  const input = { user_id: target, platform: 'steam', in_game_id: '76561197960265729' };
  await stage.act('identities.add', 'owner', input);
  const number = await banned();
  expect(await everywhere(number, 'ban')).toMatchObject([['done', expect.any(String), null]]);
  expect(sent().at(-1)).toBe('banid 0 STEAM_1:1:0 kick');
  const again = { user_id: target, reason: 'griefing', duration_minutes: 1440 };
  const { body } = await stage.act('bans.add', 'owner', again);
  const { case_number } = (body as { ban: { case_number: number } }).ban;
  const [outcome] = await everywhere(case_number, 'ban');
  expect(outcome?.[0]).toBe('done');
  expect(sent().at(-1)).toBe('banid 1440 STEAM_1:1:0 kick');
});

test('of a ban whose end the game was told, nobody is told that it stays there', async () => {
  verifies('games.of-a-case');
  await useTemplates(TEMPLATE_PRESETS.source, 'source');
  const input = { user_id: target, platform: 'steam', in_game_id: '76561197960265729' };
  await stage.act('identities.add', 'owner', input);
  const told = await saysInGames(
    'ban',
    { user: target, reason: 'griefing', duration: '1d', game_servers: true },
    /It answered/,
  );
  expect(sent().at(-1)).toBe('banid 1440 STEAM_1:1:0 kick');
  expect(told).not.toContain('There it stays until somebody lifts it.');
});

test('a ban is carried to the game server although Discord does not take the answer', async () => {
  verifies('games.ban-too');
  const { control } = stage.sandbox;
  const body = { message: 'Unknown Webhook', code: 10_015 };
  control.addFault({ route: '/webhooks/*/*/messages/*', method: 'PATCH', status: 404, times: null, body });
  const options = { user: target, reason: 'griefing', game_servers: true };
  const lost = { type: 'command', user: 'admin', command: 'ban', options, channel: 'general' } as const;
  void control.interact(lost);
  await stage.sandbox.until(() => sent().includes('ban Alex griefing'), 60_000, 'the ban');
  await stage.row("SELECT FROM audit WHERE operation = 'servers.sanction' AND outcome = 'performed'");
});

test('what was not done on game servers is said first, and what has no room in the answer is counted', async () => {
  verifies('games.ban-stands');
  const players = Array.from({ length: 8 }, (_, place) => `Player${place}`);
  for (const player of [...players, 'Zed']) await addIdentity(player);
  await useTemplates({ kick: '', ban: 'echo {player} {reason}', unban: '' });
  await stage.test.database.pool.query(
    "UPDATE game_servers SET deny_patterns = '{echo Zed *}' WHERE id = $1",
    [serverId],
  );
  const options = { user: target, reason: 'x'.repeat(200), duration: '1d', game_servers: true };
  const { id } = await stage.does({ type: 'command', user: 'admin', command: 'ban', options });
  const told = await stage.sandbox.until(
    (state) =>
      state.interactions
        .find((each) => each.id === id)
        ?.responses.find(({ kind, message }) => kind === 'followup' && message !== undefined),
    60_000,
    'what became of it',
  );
  expect(told.ephemeral).toBe(true);
  const lines = (told.message?.content ?? '').split('\n');
  expect(lines[1]).toContain('"Survival": nothing was done about "Zed".');
  const counted = Number(/^… and (\d) more\.$/.exec(lines.at(-1) ?? '')?.[1]);
  const whole = lines.filter((line) => line.endsWith('There it stays until somebody lifts it.'));
  expect(whole.length + counted).toBe(players.length + 1);
});

test('a kick from the menu asks for game servers only where the person is known', async () => {
  verifies('games.kick-too');
  const opened = await stage.picks('admin', 'Kick', target);
  expect(JSON.stringify(opened)).toContain('Yes: Survival as Alex');
  const answered = await stage.fills('admin', opened, { reason: 'enough', game_servers: ['yes'] });
  expect(answered).toMatch(/^Done\./);
  await stage.sandbox.until(() => sent().at(-1) === 'kick Alex enough', 60_000, 'the kick');
  const other = await stage.picks('admin', 'Kick', stage.people.member ?? '');
  expect(JSON.stringify(other)).not.toContain('game_servers');
});

test('without the option nothing is sent, and where nobody is known this is said', async () => {
  verifies('games.ban-too');
  const before = sent().length;
  await stage.says('admin', 'ban', { user: target, reason: 'griefing' });
  const unknown = stage.people.member ?? '';
  const told = await saysInGames(
    'ban',
    { user: unknown, reason: 'griefing', game_servers: true },
    /game server/,
  );
  expect(told).toContain('No game server was told');
  expect(sent().slice(before)).toEqual([]);
});

test('a ban stands when the server is down, and what certainly did not happen can be sent again', async () => {
  verifies('games.ban-stands', 'games.once');
  stage.sandbox.control.addRconFault({ mode: 'refuse_auth' });
  const told = await saysInGames(
    'ban',
    { user: target, reason: 'griefing', game_servers: true },
    /nothing was done about "Alex"/,
  );
  expect(told).toMatch(/^Done\./);
  const { case_number: number } = await stage.row<{ case_number: number }>(
    "SELECT case_number FROM cases WHERE user_id = $1 AND kind = 'ban' AND ended_at IS NULL",
    [target],
  );
  const of = {
    guildId: stage.guildId,
    userId: target,
    number,
    kind: 'ban',
    isInForce: true,
    issuedAt: new Date(),
  };
  const shown = () => gameSanctionsOfCase(stage.test.database, of, new Date());
  expect(await shown()).toMatchObject([{ sent: { state: 'failed' }, maySend: true, inGameId: 'Alex' }]);
  expect((await inGame(number, 'ban')).body).toMatchObject({ sanctioned: { said: 'Banned Alex: griefing' } });
  expect(await shown()).toMatchObject([{ sent: { state: 'done' }, maySend: false }]);
});

test('what may have happened is said to be unknown, and never sent again', async () => {
  verifies('games.once');
  const number = await banned();
  stage.sandbox.control.addRconFault({ mode: 'drop_after' });
  expect(await everywhere(number, 'ban')).toMatchObject([['unknown', null, { outcome: 'unknown' }]]);
  expect(await everywhere(number, 'ban')).toEqual([['failed', null, { reason: 'SENT_BEFORE' }]]);
  expect(sent().filter((command) => command === 'ban Alex griefing')).toHaveLength(1);
  stage.sandbox.control.addRconFault({ mode: 'drop_after' });
  const again = { user: target, reason: 'Again', game_servers: true };
  await saysInGames('ban', again, /"Survival": nobody knows whether it happened to "Alex"\./);
});

test('of two who send it at once, one does', async () => {
  verifies('games.once');
  const number = await banned();
  const before = sent().length;
  const both = await Promise.all([everywhere(number, 'ban'), everywhere(number, 'ban')]);
  const outcomes = both.map(([first]) => first?.[0]);
  expect(outcomes.sort()).toEqual(['done', 'failed']);
  expect(sent().slice(before)).toEqual(['ban Alex griefing']);
});

test('a server that fails is not asked again for the next name, and others are', async () => {
  verifies('games.ban-stands');
  await addIdentity('Steve');
  stage.sandbox.control.addRconFault({ mode: 'refuse_auth' });
  const options = { user: target, reason: 'griefing', game_servers: true };
  const told = await saysInGames('ban', options, /"Survival": not tried for "Steve"\./);
  expect(told).toContain('"Survival": nothing was done about "Alex".');
  const number = await banned();
  stage.sandbox.control.addRconFault({ mode: 'refuse_auth' });
  expect((await everywhere(number, 'ban')).map(([outcome]) => outcome)).toEqual(['failed', 'not_tried']);
  expect((await everywhere(number, 'ban')).map(([outcome]) => outcome)).toEqual(['done', 'done']);
});

test('a bot that ends begins nothing more on game servers, and says so', async () => {
  verifies('games.ban-stands');
  const caseNumber = await banned();
  const before = sent().length;
  const actor = { source: 'chat', userId: stage.people.admin ?? '' } as const;
  const of = {
    guildId: stage.guildId,
    userId: target,
    caseNumber,
    does: 'ban',
    actor,
    address: null,
  } as const;
  expect(await gamesText(stage.engine, 'en', of, AbortSignal.abort())).toContain(
    '"Survival": not tried for "Alex".',
  );
  expect(sent()).toHaveLength(before);
});

test('with a slow game server nothing more is begun after fifteen seconds, so that whoever waits is told', async () => {
  verifies('games.ban-stands');
  const { control } = stage.sandbox;
  const outcomes = await untilShown(async () => {
    target = newMember(stage.sandbox);
    for (let name = 0; name < 8; name += 1) await addIdentity(`${name}_${target.slice(-12)}`);
    const number = await banned();
    control.addRconFault({ mode: 'delay', delay_ms: 2_600, times: 8 });
    const outcomes = (await everywhere(number, 'ban')).map(([outcome]) => outcome);
    control.clearRconFaults();
    return outcomes[1] === 'done' ? outcomes : null;
  });
  expect([outcomes.length, outcomes[0], outcomes.at(-1)]).toEqual([8, 'done', 'not_tried']);
});

test('what a hostile server answers is one short line, without formatting, mentions or characters that nobody sees', async () => {
  verifies('games.hostile-answer');
  // Its owner can write any template, and the sandbox answers what it is told.
  const said = `**Banned** @everyone \u0007\u202e[x](https://evil.example) ${'y'.repeat(900)}`;
  await useTemplates({ kick: '', ban: 'echo {player} {reason}', unban: '' });
  const told = await saysInGames(
    'ban',
    { user: target, reason: said.slice(0, 200), game_servers: true },
    /It answered/,
  );
  const line = told.split('\n').find((each) => each.includes('It answered')) ?? '';
  expect(line.length).toBeLessThan(600);
  expect(line).not.toContain('**Banned**');
  expect(line).not.toContain('[x](https');
  expect(line).not.toContain('\u0007');
  expect(line).not.toContain('\u202e');
  await useTemplates({ kick: '', ban: 'big 50000 {player}', unban: '' });
  const number = await banned();
  const [outcome] = await everywhere(number, 'ban');
  expect([outcome?.[0], String(outcome?.[1]).length]).toEqual(['done', 300]);
});

test('only a case of that person that fits is carried, with its own reason, and by who may ban', async () => {
  verifies('games.of-a-case');
  const reasonOf = async (call: Promise<unknown>) => (await refusalOf(call)).details;
  expect(await reasonOf(inGame(999, 'ban'))).toEqual({ reason: 'CASE_NOT_FITTING' });
  const number = await banned();
  expect(await reasonOf(inGame(number, 'kick'))).toEqual({ reason: 'CASE_NOT_FITTING' });
  expect(await reasonOf(inGame(number, 'unban'))).toEqual({ reason: 'CASE_NOT_FITTING' });
  const other = { user_id: stage.people.member ?? '' };
  expect(await refusalOf(inGame(number, 'ban', other))).toMatchObject({ code: 'NOT_FOUND' });
  const absent = { server_id: `srv_${'0'.repeat(32)}` };
  expect(await refusalOf(inGame(number, 'ban', absent))).toMatchObject({ code: 'NOT_FOUND' });
  const input = {
    server_id: serverId,
    user_id: target,
    identity_id: identityId,
    case_number: number,
    does: 'ban',
  };
  expect(await refusalOf(stage.act('servers.sanction', 'helper', input))).toMatchObject({
    code: 'CAPABILITY_DENIED',
    details: { missing: ['bans.write'] },
  });
  await useTemplates({ kick: '', ban: '', unban: '' });
  expect(await reasonOf(inGame(number, 'ban'))).toEqual({ reason: 'NO_GAME_COMMAND' });
  await useTemplates(TEMPLATE_PRESETS.minecraft);
  await stage.test.database.pool.query("UPDATE game_servers SET deny_patterns = '{ban *}' WHERE id = $1", [
    serverId,
  ]);
  expect(await reasonOf(inGame(number, 'ban'))).toEqual({ reason: 'COMMAND_NOT_ALLOWED' });
  expect(sent().filter((command) => command.startsWith('ban '))).toEqual([]);
});

test('the ban of somebody else bans nobody on a game server, although they are known there', async () => {
  verifies('games.of-a-case');
  const other = { user_id: stage.people.member, reason: 'griefing' };
  const { body } = await stage.act('bans.add', 'owner', other);
  const { case_number: number } = (body as { ban: { case_number: number } }).ban;
  expect((await refusalOf(inGame(number, 'ban'))).details).toEqual({ reason: 'CASE_NOT_FITTING' });
  expect(sent().filter((command) => command.startsWith('ban '))).toEqual([]);
});

test('a kick counts for an hour, so an old one reaches nobody who has risen since', async () => {
  verifies('games.of-a-case');
  const { body } = await stage.act('members.kick', 'owner', { user_id: target, reason: 'enough' });
  const { case_number: number } = (body as { kick: { case_number: number } }).kick;
  await stage.test.database.pool.query(
    "UPDATE cases SET issued_at = issued_at - interval '61 minutes' WHERE guild_id = $1 AND case_number = $2",
    [stage.guildId, number],
  );
  spoil();
  expect((await refusalOf(inGame(number, 'kick'))).details).toEqual({ reason: 'CASE_NOT_FITTING' });
});

test('what a killed bot was sending stays unknown and is not sent by another', async () => {
  verifies('games.once');
  const number = await banned();
  await inGame(number, 'ban');
  const { pool } = stage.test.database;
  // As a worker leaves it that ends between the server's answer and its record.
  await pool.query(
    `UPDATE actions SET state = 'running', settled_at = NULL, result = NULL, lease_expires_at = now() - interval '1 minute'
     WHERE operation = 'servers.sanction' AND guild_id = $1`,
    [stage.guildId],
  );
  expect((await refusalOf(inGame(number, 'ban'))).details).toEqual({ reason: 'SENT_BEFORE' });
  await pool.query("SELECT graphile_worker.add_job('recover', '{}')");
  await stage.row(
    "SELECT FROM actions WHERE operation = 'servers.sanction' AND state = 'unknown' AND guild_id = $1",
    [stage.guildId],
  );
  expect((await refusalOf(inGame(number, 'ban'))).details).toEqual({ reason: 'SENT_BEFORE' });
  expect(sent().filter((command) => command === 'ban Alex griefing')).toHaveLength(1);
});

test('the lifting of a ban is offered on the servers to which the ban was sent, and on no other', async () => {
  verifies('games.unban-too');
  const number = await banned();
  const of = { guildId: stage.guildId, userId: target, number, kind: 'ban', issuedAt: new Date() };
  const shown = () => gameSanctionsOfCase(stage.test.database, { ...of, isInForce: false }, new Date());
  expect(await shown()).toEqual([]);
  stage.sandbox.control.addRconFault({ mode: 'refuse_auth' });
  expect((await everywhere(number, 'ban')).map(([outcome]) => outcome)).toEqual(['failed']);
  expect(await shown()).toMatchObject([{ does: 'ban', sent: { state: 'failed' }, maySend: false }]);
  await inGame(number, 'ban');
  expect(await shown()).toMatchObject([
    { does: 'ban', sent: { state: 'done' }, maySend: false },
    { does: 'unban', sent: null, maySend: true, inGameId: 'Alex' },
  ]);
});

test('a ban that has reached a server is shown as sent there, also after somebody tried to send it again', async () => {
  verifies('games.once');
  const number = await banned();
  await inGame(number, 'ban');
  expect((await refusalOf(inGame(number, 'ban'))).details).toEqual({ reason: 'SENT_BEFORE' });
  const of = { guildId: stage.guildId, userId: target, number, kind: 'ban', issuedAt: new Date() };
  expect(
    await gameSanctionsOfCase(stage.test.database, { ...of, isInForce: true }, new Date()),
  ).toMatchObject([{ does: 'ban', sent: { state: 'done' }, maySend: false }]);
});

test('what was sent to a game server stays shown once the identity for which it was sent is removed', async () => {
  verifies('games.of-a-case');
  const number = await banned();
  await inGame(number, 'ban');
  await stage.act('identities.remove', 'owner', { user_id: target, identity_id: identityId });
  const of = { guildId: stage.guildId, userId: target, number, kind: 'ban', issuedAt: new Date() };
  expect(
    await gameSanctionsOfCase(stage.test.database, { ...of, isInForce: true }, new Date()),
  ).toMatchObject([{ does: 'ban', sent: { state: 'done' }, maySend: false, inGameId: 'Alex' }]);
});

test('a ban that another one has replaced is lifted on no game server while that one stands', async () => {
  verifies('games.of-a-case');
  const replaced = await banned();
  await inGame(replaced, 'ban');
  await banned();
  expect((await refusalOf(inGame(replaced, 'unban'))).details).toEqual({ reason: 'CASE_NOT_FITTING' });
  expect(sent().filter((command) => command.startsWith('pardon '))).toEqual([]);
  await stage.act('bans.lift', 'owner', { userId: target });
  expect((await inGame(replaced, 'unban')).body).toMatchObject({ sanctioned: { said: 'Unbanned Alex' } });
});

/** A ban that stood in the record of another bot. Returns its case number. */
async function importedBan(): Promise<number> {
  await stage.test.database.pool.query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by, import_id)
     VALUES (new_id('ban'), $1, 900, 'ban', $2, $3, 'imp_1')`,
    [stage.guildId, target, stage.people.owner],
  );
  return 900;
}

test('an imported ban is carried to no game server, unless a moderator has set its end here', async () => {
  verifies('games.of-a-case', 'imports.records-only');
  const number = await importedBan();
  const of = { guildId: stage.guildId, userId: target, number, kind: 'ban', issuedAt: new Date() };
  const shown = () => gameSanctionsOfCase(stage.test.database, { ...of, isInForce: true }, new Date());
  expect(await shown()).toEqual([]);
  expect((await refusalOf(inGame(number, 'ban'))).details).toEqual({ reason: 'CASE_NOT_FITTING' });
  expect(sent().filter((command) => command.startsWith('ban '))).toEqual([]);
  // One that is not put on record as made by hand.
  stage.sandbox.control.bans({ user: target, by: stage.sandbox.clientId });
  await stage.act('bans.change', 'owner', { userId: target, duration_minutes: 60 });
  expect(await shown()).toMatchObject([{ does: 'ban', maySend: true }]);
  expect((await inGame(number, 'ban')).status).toBe(200);
});

test('an imported ban does not keep the lifting of one that was given here from the game servers', async () => {
  verifies('games.of-a-case', 'imports.records-only');
  const number = await banned();
  await inGame(number, 'ban');
  await stage.act('bans.lift', 'owner', { userId: target });
  await importedBan();
  expect((await inGame(number, 'unban')).body).toMatchObject({ sanctioned: { said: 'Unbanned Alex' } });
});
