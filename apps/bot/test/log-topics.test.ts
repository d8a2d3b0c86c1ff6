import { verifies } from '@bailiff/core/testing';
import { RESTJSONErrorCodes as Code } from 'discord.js';
import { expect, onTestFinished, test } from 'vitest';
import { ClosedChannels } from '#src/closed-channels.ts';
import { createDiscordApi, DiscordFailure } from '#src/discord-api.ts';
import { createLog } from '#src/log.ts';
import { postCase } from '#src/log-channel.ts';
import { createPaces } from '#src/pacing.ts';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';
import { newMember, personOf } from './harness.ts';

let stage: ChatStage;
chatGuildForEachTest({ Moderator: ['strikes.read'] }, (made) => {
  stage = made;
});

const sql = (text: string, values: unknown[] = []) => stage.test.database.pool.query(text, values);
const channel = (name: string) => {
  const guild = stage.sandbox.getState(200).guilds.find(({ id }) => id === stage.guildId);
  const found = guild?.channels.find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no #${name}.`);
  return found;
};
const posted = (name: string, text: string) =>
  channel(name).messages.filter(({ embeds }) => JSON.stringify(embeds).includes(text));
const untilPosted = (name: string, text: string) => stage.sandbox.until(() => posted(name, text)[0]);

/** The log is in #mod-log, and one of its topics in another channel. */
async function choose(
  topic: string,
  channelId: string,
  greeting = 'each case of this server is posted here',
): Promise<void> {
  await sql('UPDATE guilds SET log_channel_id = $2 WHERE id = $1', [stage.guildId, channel('mod-log').id]);
  await untilPosted('mod-log', greeting);
  await sql(
    `INSERT INTO log_topics (guild_id, topic, channel_id) VALUES ($1, $2::"LogTopic", $3)
      ON CONFLICT (guild_id, topic) DO UPDATE SET channel_id = EXCLUDED.channel_id`,
    [stage.guildId, topic, channelId],
  );
}

async function open(kind: 'strike' | 'ban', reason: string): Promise<string> {
  const { rows } = await sql(
    'SELECT id FROM open_case($1, $2::"CaseKind", $3, $4, $5, $6, NULL, NULL, CASE $2 WHEN \'strike\' THEN \'minor\'::"StrikeSeverity" END)',
    [
      stage.guildId,
      kind,
      kind.slice(0, 3),
      personOf(stage.sandbox, 'member'),
      reason,
      personOf(stage.sandbox, 'moderator'),
    ],
  );
  return rows[0].id;
}

const problemIs = (topic: string, problem: string | null) =>
  stage.row(
    'SELECT FROM log_topics WHERE guild_id = $1 AND topic::text = $2 AND problem::text IS NOT DISTINCT FROM $3',
    [stage.guildId, topic, problem],
  );

const end = (id: string) =>
  sql('UPDATE cases SET ended_at = now(), ended_by = $2 WHERE id = $1', [
    id,
    personOf(stage.sandbox, 'owner'),
  ]);

test('a topic with a channel of its own is posted there, is edited there, and nothing else is', async () => {
  verifies('log.topics');
  await choose('strikes', channel('general').id);
  await untilPosted('general', 'this is posted here: strikes and warnings');
  const strike = await open('strike', 'Rude');
  await untilPosted('general', strike);
  const ban = await open('ban', 'Raid');
  await untilPosted('mod-log', ban);
  // Its message is edited where it is, wherever later ones go.
  await choose('strikes', channel('off-topic').id);
  await end(strike);
  await stage.sandbox.until(() => posted('general', strike)[0]?.edited_timestamp != null);
  const later = await open('strike', 'Rude again');
  await untilPosted('off-topic', later);
  expect([posted('mod-log', strike), posted('off-topic', strike), posted('general', ban)]).toEqual([
    [],
    [],
    [],
  ]);
  expect(posted('general', strike)).toHaveLength(1);
});

test('what cannot be posted in its own channel is in the log channel once, and the owner is told why', async () => {
  verifies('log.topics.fallback');
  await choose('strikes', '831908736493689999');
  await problemIs('strikes', 'unknown_channel');
  const gone = await open('strike', 'Gone');
  await untilPosted('mod-log', gone);
  await choose('strikes', channel('general').id);
  await problemIs('strikes', null);
  await untilPosted('general', 'strikes and warnings');
  stage.sandbox.control.addFault({
    method: 'POST',
    route: `/channels/${channel('general').id}/messages`,
    status: 403,
    body: { message: 'Missing Permissions', code: 50013 },
  });
  const refused = await open('strike', 'Refused');
  await untilPosted('mod-log', refused);
  await problemIs('strikes', 'missing_permission');
  // The permission is back: the next one arrives, and the one that could not is edited where it is.
  const later = await open('strike', 'Later');
  await untilPosted('general', later);
  await problemIs('strikes', null);
  await end(refused);
  await stage.sandbox.until(() => posted('mod-log', refused)[0]?.edited_timestamp != null);
  expect([posted('mod-log', refused).length, posted('general', refused).length]).toEqual([1, 0]);
  const { rows } = await sql('SELECT log_channel_problem FROM guilds WHERE id = $1', [stage.guildId]);
  expect(rows).toEqual([{ log_channel_problem: null }]);
});

test('where both channels are hidden from the bot, Discord is asked a few times for very many cases, and the log goes on', async () => {
  verifies('log.topics.fallback');
  await choose('bans', channel('off-topic').id);
  await untilPosted('off-topic', 'this is posted here: bans');
  const see = (permission: 'allow' | 'deny') => {
    for (const name of ['mod-log', 'off-topic'])
      stage.sandbox.control.channels({
        action: 'update',
        channel: name,
        overwrite: { of: 'Bailiff', [permission]: ['ViewChannel'] },
      });
  };
  see('deny');
  const { rows } = await sql(
    `SELECT open_case($1, 'ban', 'ban', (800000000000000000 + n)::text, 'Raid', $2, NULL, NULL) AS made
      FROM generate_series(1, 40) AS n`,
    [stage.guildId, personOf(stage.sandbox, 'moderator')],
  );
  expect(rows).toHaveLength(40);
  await stage.row("SELECT FROM graphile_worker.jobs WHERE task_identifier = 'post_case' HAVING count(*) = 0");
  const hidden = [channel('mod-log').id, channel('off-topic').id];
  const refused = stage.sandbox.requests.filter(
    ({ status, path }) => status === 403 && hidden.some((id) => path.includes(id)),
  );
  expect(refused.length).toBeLessThan(40);
  await problemIs('bans', 'missing_permission');
  see('allow');
  const later = await open('ban', 'Later');
  await stage.sandbox.until(() => [...posted('mod-log', later), ...posted('off-topic', later)][0]);
});

/** Posts a case as another process of the bot does, to which the channel is closed until it is opened. */
function anotherProcess(channelId: string) {
  const { config, sandbox, test: database } = stage;
  const log = createLog('silent', []);
  const paces = createPaces();
  onTestFinished(() => paces.close());
  const closed = new ClosedChannels();
  const deps = {
    db: database.database,
    api: createDiscordApi({ token: config.discordToken, apiUrl: config.discordApiUrl, log }),
    paces,
    closed,
    botUserId: sandbox.clientId,
    dashboardUrl: config.dashboardUrl,
    log,
  };
  const missing = new DiscordFailure('refused', 'Missing Access', { status: 403, code: Code.MissingAccess });
  return {
    post: (caseId: string) => postCase(deps, caseId, AbortSignal.timeout(180_000)),
    close: async () => {
      // So often that it asks again only after a minute.
      for (let times = 0; times < 12; times += 1)
        await closed.ask(channelId, 'others', 'ask', () => Promise.reject(missing)).catch(() => {});
    },
    open: () => closed.ask(channelId, 'others', 'ask', async () => {}),
  };
}

test('a case whose message may stand in its own channel waits for that while it is closed, and is not given up', async () => {
  verifies('log.topics.fallback');
  await choose('bans', channel('off-topic').id);
  await untilPosted('off-topic', 'this is posted here: bans');
  const ban = await open('ban', 'Raid');
  const { id } = await untilPosted('off-topic', ban);
  await stage.row("SELECT FROM graphile_worker.jobs WHERE task_identifier = 'post_case' HAVING count(*) = 0");
  // As when its worker died before it knew of the message.
  await sql(
    `UPDATE case_posts SET message_id = NULL, began_at = now() - interval '10 minutes',
       busy_until = now() - interval '9 minutes' WHERE case_id = $1`,
    [ban],
  );
  const other = anotherProcess(channel('off-topic').id);
  await other.close();
  await expect(other.post(ban)).rejects.toMatchObject({ kind: 'not_sent' });
  await other.open();
  await other.post(ban);
  const { rows } = await sql('SELECT message_id FROM case_posts WHERE case_id = $1', [ban]);
  expect(rows).toEqual([{ message_id: id }]);
  expect([posted('off-topic', ban).length, posted('mod-log', ban).length]).toEqual([1, 0]);
});

test('a log channel whose greeting was deleted is chosen again and not said to be refused', async () => {
  const greeting = 'each case of this server is posted here';
  const log = (name: string) =>
    sql('UPDATE guilds SET log_channel_id = $2 WHERE id = $1', [stage.guildId, channel(name).id]);
  await log('mod-log');
  const { id } = await untilPosted('mod-log', greeting);
  const deleting = { action: 'delete', user: 'owner', channel: 'mod-log', message_id: id } as const;
  stage.sandbox.control.messages(deleting);
  await log('off-topic');
  await untilPosted('off-topic', greeting);
  await log('mod-log');
  await stage.row(
    "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'open_log_channel' HAVING count(*) = 0",
  );
  const { rows } = await sql('SELECT log_channel_problem FROM guilds WHERE id = $1', [stage.guildId]);
  expect(rows).toEqual([{ log_channel_problem: null }]);
});

test('without a log channel nothing is posted, and a channel of another server is not written to', async () => {
  verifies('log.topics.fallback');
  const others = stage.sandbox.getState(200).guilds.find(({ id }) => id !== stage.guildId);
  const foreign = others?.channels.find(({ name }) => name === 'general')?.id ?? '';
  const before = () =>
    stage.sandbox.requests.filter(({ method, path }) => method === 'POST' && path.includes(foreign)).length;
  const already = before();
  await choose('strikes', foreign);
  await problemIs('strikes', 'unknown_channel');
  await untilPosted('mod-log', await open('strike', 'Elsewhere'));
  expect(before()).toBe(already);
  await choose('strikes', channel('general').id);
  await sql('UPDATE guilds SET log_channel_id = NULL WHERE id = $1', [stage.guildId]);
  const unlogged = await open('strike', 'Unlogged');
  const { rows } = await sql('SELECT FROM graphile_worker.jobs WHERE key = $1', [`post_case:${unlogged}`]);
  expect(rows).toHaveLength(0);
  // Nor does one that was queued before the owner took the log channel away.
  await sql(
    `SELECT graphile_worker.add_job('post_case', json_build_object('case_id', $1::text), job_key => 'post_case:' || $1)`,
    [unlogged],
  );
  await stage.row('SELECT FROM graphile_worker.jobs WHERE key = $1 HAVING count(*) = 0', [
    `post_case:${unlogged}`,
  ]);
  expect([posted('general', unlogged), posted('mod-log', unlogged)]).toEqual([[], []]);
});

/** Once an action is done: its id. */
const done = async (operation: string): Promise<string> => {
  const { id } = await stage.row<{ id: string }>(
    "SELECT id FROM actions WHERE guild_id = $1 AND operation = $2 AND state = 'done'",
    [stage.guildId, operation],
  );
  return id;
};

test.each([
  ['mutes', {}, { duration_minutes: 30 }],
  ['bans', { include_left: false }, {}],
] as const)(
  'mass %s and their undoing are posted in the server’s language where those of one person are, and nowhere else',
  async (area, among, more) => {
    verifies('log.topics');
    await sql("UPDATE guilds SET language = 'de' WHERE id = $1", [stage.guildId]);
    await choose(area, channel('general').id, 'jeder Fall dieses Servers');
    await untilPosted('general', 'Ab jetzt steht das hier: ');
    const { body } = await stage.act(`${area}.preview`, 'owner', {
      users: newMember(stage.sandbox),
      ...among,
    });
    const { preview } = body as { preview: { id: string; count: number } };
    await stage.act(`${area}.many`, 'owner', {
      preview_id: preview.id,
      count: preview.count,
      reason: 'Raid',
      ...more,
    });
    const massId = await done(`${area}.many`);
    await untilPosted('general', massId);
    await stage.act(`${area}.undo`, 'owner', { massId });
    const undone = await done(`${area}.undo`);
    await untilPosted('general', undone);
    expect([posted('mod-log', massId), posted('mod-log', undone)]).toEqual([[], []]);
    expect([massId, undone].map((id) => posted('general', id)[0]?.embeds[0]?.description)).toEqual([
      expect.stringMatching(/^1 Person auf Server .*: "Raid"\. 1 Person erledigt\.$/),
      expect.stringMatching(/ rückgängig machen: .* die noch gelten\. 1 Person erledigt\.$/),
    ]);
  },
);

test('a ticket that is opened, closed and opened again is posted where tickets are', async () => {
  verifies('log.topics');
  await choose('tickets', channel('general').id);
  await untilPosted('general', 'this is posted here');
  const { body } = await stage.act('tickets.open', 'owner', { subject: 'Griefed' });
  const { ticket } = body as { ticket: { id: string } };
  await stage.act('tickets.close', 'owner', { ticket_id: ticket.id });
  await done('tickets.close');
  await stage.act('tickets.reopen', 'owner', { closed_ticket_id: ticket.id });
  for (const operation of ['tickets.open', 'tickets.close', 'tickets.reopen']) {
    const id = await done(operation);
    await untilPosted('general', id);
    expect(posted('mod-log', id)).toEqual([]);
  }
});

test('what opens no case and is neither about bans, mutes nor tickets is posted where such actions are', async () => {
  verifies('log.topics');
  await choose('actions', channel('general').id);
  await untilPosted('general', 'this is posted here');
  const channelId = channel('off-topic').id;
  await stage.act('channels.slowmode', 'owner', { channel_id: channelId, slowmode_seconds: 30 });
  await untilPosted('general', await done('channels.slowmode'));
  await stage.act('tickets.open', 'owner', { subject: 'Griefed' });
  const ticket = await done('tickets.open');
  await untilPosted('mod-log', ticket);
  expect(posted('general', ticket)).toEqual([]);
});
