import { expect, test } from 'vitest';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';
import { addGameServer } from './harness.ts';

let stage: ChatStage;
chatGuildForEachTest({ Admin: ['servers.rcon'] }, (next) => {
  stage = next;
});

const type = async (user: string, server: string) => {
  const options = { server };
  const { choices } = await stage.does({
    type: 'autocomplete',
    user,
    command: 'rcon',
    focused: 'server',
    options,
  });
  return choices;
};
const run = (user: string, command: string, server = 'Survival') =>
  stage.does({ type: 'command', user, command: 'rcon', options: { server, command } });

test('/rcon suggests the servers by name, to those who may run commands on them', async () => {
  const id = await addGameServer(stage);
  expect(await type('admin', '')).toEqual([{ name: 'Survival', value: id }]);
  expect(await type('admin', ' SURV ')).toEqual([{ name: 'Survival', value: id }]);
  expect(await type('admin', 'creative')).toEqual([]);
  await stage.test.database.pool.query('DELETE FROM role_grants');
  expect(await type('admin', '')).toEqual([]);
});

test('/rcon suggests the servers of its own guild alone, in the order of their names', async () => {
  await addGameServer(stage);
  const { pool } = stage.test.database;
  for (const [guildId, name] of [
    [stage.guildId, 'creative'],
    [stage.guildId, 'Zombies'],
    [stage.sandbox.otherGuildId, 'Secret'],
  ]) {
    await pool.query(
      `INSERT INTO game_servers (guild_id, name, host, port, password_sealed, created_by)
       SELECT $1, $2, host, port, password_sealed, created_by FROM game_servers WHERE guild_id = $3 AND name = 'Survival'`,
      [guildId, name, stage.guildId],
    );
  }
  const suggested = ['creative', 'Survival', 'Zombies'].map((name) => expect.objectContaining({ name }));
  expect(await type('admin', '')).toEqual(suggested);
  expect((await run('admin', 'list', 'Secret')).message?.content).toBe(
    'Not done. server: there is no game server called "Secret". There are: creative, Survival, Zombies.',
  );
});

test('what the server says is shown as it is, with no backtick that ends its block and no mention', async () => {
  const id = await addGameServer(stage);
  const { message } = await run('admin', 'echo ``` @everyone', id);
  expect(message?.content).toMatch(/^Done\. Run "echo .*" on Survival \(srv_\w+\) in Harbourlight/);
  expect(message?.content.split('```')).toHaveLength(3);
  expect(message?.content).toContain('\n```\n`\u200b`\u200b`\u200b @\u200beveryone\n```');
  await stage.row("SELECT FROM audit WHERE operation = 'servers.rcon' AND actor_source = 'chat'");
});

test('what is too long for a message comes as a file, whole', async () => {
  await addGameServer(stage);
  const { message } = await run('admin', 'big 5000');
  expect(message?.content).toContain('in the file');
  expect(message?.attachments).toMatchObject([{ filename: 'output.txt', size: 5000 }]);
});

test('a command that is cut in the answer is cut between two characters, wherever that falls', async () => {
  await addGameServer(stage);
  for (const before of ['', 'x']) {
    const { message } = await run('admin', `echo ${before}${'😀'.repeat(200)}`);
    expect(message?.content).toMatch(/^Done\. Run "echo /);
  }
});

test('a server that says nothing is said to have done so', async () => {
  await addGameServer(stage);
  expect((await run('admin', 'big 0')).message?.content).toContain('The server said nothing.');
});

test('a server nobody knows is refused with the names of those there are', async () => {
  expect((await run('admin', 'list')).message?.content).toMatch(/^Not done\. This guild has no game server/);
  await addGameServer(stage);
  expect((await run('admin', 'list', 'Creative')).message?.content).toBe(
    'Not done. server: there is no game server called "Creative". There are: Survival.',
  );
});

test('without the capability, and against the policy of the server, no command is sent', async () => {
  await addGameServer(stage, { allow: [], deny: ['stop*'] });
  expect((await run('admin', 'stop now')).message?.content).toMatch(/^Not done\. The command policy/);
  await stage.test.database.pool.query('DELETE FROM role_grants');
  expect((await run('admin', 'list')).message?.content).toMatch(/^Not done\..*servers\.rcon/);
});
