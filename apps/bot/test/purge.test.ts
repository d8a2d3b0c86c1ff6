import { verifies } from '@bailiff/core/testing';
import { revokeToken } from '@bailiff/engine/tokens/tokens';
import { openWindow } from '@bailiff/engine/tokens/windows';
import { ComponentType } from 'discord.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inBatches } from '#src/performers/purge-selection.ts';
import { guildForEachTest } from './each-test.ts';
import { forgetMeanwhile } from './forgetting.ts';
import { limitPerforming, mint, overToken, ownerOf, refusalOf, type Stage } from './harness.ts';
import { loseFailures } from './lost-settlements.ts';

let stage: Stage;
const { spoil } = guildForEachTest(async (next) => {
  stage = next;
  await limitPerforming(next);
});

const BULK = '/channels/{channel_id}/messages/bulk-delete';
const SINGLE = '/channels/{channel_id}/messages/{message_id}';

function purge(input: object, channel = 'general') {
  const channel_id = stage.sandbox.channels[channel];
  return stage.act('messages.purge', 'owner', { channel_id, include_pinned: false, ...input });
}

function messages(channel = 'general') {
  const { guilds } = stage.sandbox.getState(1000);
  const id = stage.sandbox.channels[channel];
  return guilds.flatMap((guild) => guild.channels).find((each) => each.id === id)?.messages ?? [];
}

const sent = (route: string) =>
  stage.sandbox.requests.filter((request) => request.route === route && request.method !== 'GET');

test('the messages of one user are deleted in bulk and archived', async () => {
  verifies(
    'purge.response',
    'purge.filter.author',
    'bot.purge.bulk',
    'purge.archive.content',
    'purge.archive.retention',
  );
  stage.sandbox.control.messages({
    user: 'troll',
    content: 'FREE COINS here',
    files: [
      { filename: 'coins.png', base64: '' },
      { filename: 'more.txt', base64: '' },
    ],
  });
  const sent_at = messages().find(({ content }) => content === 'FREE COINS here')?.timestamp;
  const { body } = await purge({ count: 50, user_id: stage.people.troll, reason: 'Spam' });
  expect(body).toMatchObject({ purge: { requested: 50, deleted: 9, skipped_pinned: 0, skipped_too_old: 0 } });
  expect(messages().some((message) => message.author.id === stage.people.troll)).toBe(false);
  expect(sent(BULK)).toHaveLength(1);
  const archive = await stage.row<{ id: string; messages: object[]; days: number }>(
    `SELECT id, messages, extract(epoch FROM expires_at - created_at) / 86400 AS days FROM message_archives`,
  );
  expect(body).toMatchObject({ purge: { archive_id: archive.id } });
  expect(Number(archive.days)).toBeCloseTo(30, 3);
  expect(archive.messages).toHaveLength(9);
  expect(archive.messages[0]).toMatchObject({
    author_id: stage.people.troll,
    author_name: 'xx_grief_xx',
    text: 'FREE COINS here',
    sent_at,
    attachments: ['coins.png', 'more.txt'],
  });
});

test('a single message goes by the route for single messages', async () => {
  verifies('purge.single');
  await purge({ count: 1 });
  expect(sent(BULK)).toEqual([]);
  expect(sent(SINGLE)).toHaveLength(1);
});

test('a single message that somebody else deletes at that moment is deleted all the same', async () => {
  verifies('purge.single');
  const body = { code: 10008, message: 'Unknown Message' };
  stage.sandbox.control.addFault({ route: '/channels/*/messages/*', method: 'DELETE', status: 404, body });
  expect((await purge({ count: 1 })).body).toMatchObject({ purge: { deleted: 1 } });
});

test('pinned messages stay unless they are asked for, and old ones are counted, not deleted', async () => {
  verifies('purge.pinned', 'purge.too-old', 'H25');
  const { body } = await purge({ count: 1000 });
  const counts = (body as { purge: { deleted: number; skipped_pinned: number; skipped_too_old: number } })
    .purge;
  expect(counts.skipped_pinned).toBe(2);
  expect(counts.skipped_too_old).toBeGreaterThan(5);
  expect(messages().filter(({ pinned }) => pinned)).toHaveLength(2);
  expect(messages().filter(({ pinned }) => !pinned)).toHaveLength(counts.skipped_too_old);
  await purge({ count: 1000, include_pinned: true });
  expect(messages().filter(({ pinned }) => pinned)).toHaveLength(1);
});

/** Writes this many messages that are too old for bulk delete. Returns them. */
function writeOld(count: number) {
  const isOld = ({ content }: { content: string }) => content.startsWith('old coins');
  stage.sandbox.control.messages({ user: 'troll', content: 'old coins', count, age_seconds: 14 * 86_400 });
  return messages().filter(isOld);
}
/** Archives these messages too, or instead: when they were selected, they were young enough. */
async function selectBefore(old: readonly { id: string }[], how: 'too' | 'instead'): Promise<void> {
  spoil();
  const selected = `${how === 'too' ? 'NEW.messages || ' : ''}'${JSON.stringify(old.map(({ id }) => ({ id })))}'`;
  await stage.test.database.pool.query(
    `CREATE FUNCTION selected_before() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       NEW.messages := ${selected}; RETURN NEW; END $$;
     CREATE TRIGGER selected_before BEFORE INSERT ON message_archives FOR EACH ROW EXECUTE FUNCTION selected_before()`,
  );
}

test.each([1, 5, 120])(
  'what becomes too old for bulk delete while a purge of %i others waits is left and counted',
  async (young) => {
    verifies('purge.too-old', 'H25');
    const old = writeOld(3);
    stage.sandbox.control.messages({ user: 'troll', content: 'coins', count: young });
    const before = messages().length;
    await selectBefore(old, 'too');
    const { body } = await purge({ count: young });
    expect(body).toMatchObject({ purge: { deleted: young, skipped_pinned: 0, skipped_too_old: old.length } });
    expect(messages()).toHaveLength(before - young);
    const archive = await stage.row<{ count: number }>(
      'SELECT jsonb_array_length(messages) AS count FROM message_archives',
    );
    expect(archive.count).toBe(young);
  },
);

test('a purge of which all has become too old leaves no archive', async () => {
  verifies('purge.too-old', 'H25');
  await selectBefore(writeOld(3), 'instead');
  const { body } = await purge({ count: 1 });
  expect(body).toMatchObject({ purge: { deleted: 0, skipped_too_old: 3, archive_id: null } });
  const { rows } = await stage.test.database.pool.query('SELECT FROM message_archives');
  expect(rows).toEqual([]);
});

test('what has become too old is counted also where the rest of its batch is refused', async () => {
  verifies('purge.too-old', 'H25');
  const { control } = stage.sandbox;
  const old = writeOld(3);
  control.messages({ user: 'troll', content: 'coins', count: 120 });
  await selectBefore(old, 'too');
  const deletion = { route: '/channels/*/messages/bulk-delete', method: 'POST' } as const;
  // The first batch goes, the second is refused as too old, and what is left of it for want of a permission.
  control.addFault({ ...deletion, delay_ms: 1, times: 2 });
  control.addFault({ ...deletion, status: 403, body: { code: 50013, message: 'Missing Permissions' } });
  await purge({ count: 120 });
  const { result } = await stage.row<{ result: object }>("SELECT result FROM actions WHERE state = 'done'");
  expect(sent(BULK).map(({ status }) => status)).toEqual([204, 400, 403]);
  expect(result).toMatchObject({ purge: { deleted: 100, skipped_too_old: old.length } });
});

test('a purge that is refused before it has deleted anything fails, whatever has become too old by then', async () => {
  verifies('purge.too-old');
  const { control } = stage.sandbox;
  await selectBefore(writeOld(150), 'instead');
  const deletion = { route: '/channels/*/messages/bulk-delete', method: 'POST' } as const;
  // The first batch is refused as too old, the second for want of a permission.
  control.addFault({ ...deletion, delay_ms: 1, times: 1 });
  control.addFault({ ...deletion, status: 403, body: { code: 50013, message: 'Missing Permissions' } });
  expect(await refusalOf(purge({ count: 1 }))).toMatchObject({
    details: { reason: 'BOT_MISSING_PERMISSION' },
  });
  expect(sent(BULK).map(({ status }) => status)).toEqual([400, 403]);
});

test('a purge of messages with a text finds it in what was forwarded, and in what a webhook laid out', async () => {
  verifies('purge.filter.contains');
  const { control } = stage.sandbox;
  const write = (more: object) =>
    control.messages({ user: 'troll', channel: 'off-topic', ...more }).messages[0]?.id;
  const [scam] = control.messages({ user: 'troll', content: 'Get FREE coins' }).messages;
  const components = [{ type: ComponentType.TextDisplay, content: 'Free coins here' }];
  const kept = write({ content: 'No coins' });
  const found = [write({ forward: scam?.id }), write({ webhook: 'Shop', components })];
  const { body } = await purge({ count: 100, contains: 'free coins' }, 'off_topic');
  expect(body).toMatchObject({ purge: { deleted: 2 } });
  const left = messages('off_topic').map(({ id }) => id);
  expect([kept, ...found].map((id) => left.includes(id ?? ''))).toEqual([true, false, false]);
});

test('only messages with the text, of bots, or of the time asked for are deleted', async () => {
  verifies('purge.filter.contains', 'purge.filter.range');
  expect((await purge({ count: 100, contains: 'coins-3' })).body).toMatchObject({ purge: { deleted: 1 } });
  expect((await purge({ count: 100, bots_only: true })).body).toMatchObject({ purge: { deleted: 3 } });
  const newest = messages().toSorted((a, b) => (BigInt(a.id) > BigInt(b.id) ? -1 : 1));
  const after = newest[2]?.id;
  const { body } = await purge({ count: 100, after });
  expect(body).toMatchObject({ purge: { deleted: 2 } });
  const hourAgo = new Date(Date.now() - 80 * 60_000).toISOString();
  expect((await purge({ count: 1, before: hourAgo })).body).toMatchObject({ purge: { deleted: 1 } });
  // The last moment that Discord has ids for is in September 2084.
  const late = { count: 1, before: '2085-01-01T00:00:00Z' };
  expect((await purge(late)).body).toMatchObject({ purge: { deleted: 1 } });
});

test('over mixed ages, pins and a filter the counts are honest, and no request is made in vain', async () => {
  verifies('H25');
  const { control } = stage.sandbox;
  const { troll = '', member = '' } = stage.people;
  const before = messages('off_topic').length;
  const write = (user: string, count: number, age_seconds: number) =>
    control.messages({ user, channel: 'off-topic', content: 'coins', count, age_seconds });
  // Discord takes those younger than 14 days.
  write('troll', 40, 14 * 86_400);
  write('troll', 30, 13.9 * 86_400);
  write('member', 60, 7200);
  write('troll', 200, 3600);
  const pinned = messages('off_topic')
    .filter(({ author }) => author.id === troll)
    .slice(-3);
  for (const { id: message_id } of pinned) {
    control.messages({ action: 'pin', user: 'owner', channel: 'off-topic', message_id });
  }
  const all = messages('off_topic').length;
  expect(all).toBeGreaterThanOrEqual(before + 330);
  const { body } = await purge({ count: 1000, user_id: troll, contains: 'COINS' }, 'off_topic');
  expect(body).toMatchObject({
    purge: { requested: 1000, deleted: 227, skipped_pinned: 3, skipped_too_old: 40 },
  });
  const left = messages('off_topic');
  expect(left.filter(({ author }) => author.id === troll)).toHaveLength(43);
  expect(
    left.filter(({ author, content }) => author.id === member && content.includes('coins')),
  ).toHaveLength(60);
  const reads = stage.sandbox.requests.filter(
    ({ method, route }) => method === 'GET' && route === '/channels/{channel_id}/messages',
  );
  expect(reads.length).toBeLessThanOrEqual(Math.ceil(all / 100) + 1);
  expect(sent(BULK)).toHaveLength(Math.ceil(227 / 100));
  expect(sent(SINGLE)).toEqual([]);
  const archive = await stage.row<{ count: number }>(
    'SELECT jsonb_array_length(messages) AS count FROM message_archives',
  );
  expect(archive.count).toBe(227);
});

test('four hundred messages are purged in eight requests', async () => {
  stage.sandbox.control.messages({ user: 'troll', channel: 'off-topic', content: 'coins', count: 400 });
  const before = stage.sandbox.requests.length;
  await purge({ count: 400, reason: 'Raid' }, 'off_topic');
  // On a busy machine the caller is told sooner that it goes on.
  const { result } = await stage.row<{ result: object }>("SELECT result FROM actions WHERE state = 'done'");
  expect(result).toMatchObject({ purge: { requested: 400, deleted: 400 } });
  const asked = stage.sandbox.requests.slice(before).filter(({ path }) => path.includes('/messages'));
  expect(asked.length).toBeLessThanOrEqual(8);
  expect(messages('off_topic').some(({ content }) => content === 'coins')).toBe(false);
});

test('a channel of another guild is none of this one', async () => {
  expect(await refusalOf(purge({ count: 5 }, 'other_general'))).toMatchObject({ code: 'NOT_FOUND' });
  expect(sent(BULK)).toEqual([]);
});

test('a channel without the permission is refused, and leaves no archive', async () => {
  stage.sandbox.control.roles({
    action: 'update',
    role: 'Bailiff',
    permissions: ['ViewChannel', 'ReadMessageHistory'],
  });
  expect(await refusalOf(purge({ count: 5 }))).toMatchObject({
    details: { reason: 'BOT_MISSING_PERMISSION' },
  });
  const { rows } = await stage.test.database.pool.query('SELECT FROM message_archives');
  expect(rows).toEqual([]);
});

test.each([500, 502])('a deletion that was made and answered with %i is looked for', async (status) => {
  stage.sandbox.control.addFault({ route: '/channels/*/messages/bulk-delete', when: 'after', status });
  expect((await purge({ count: 3 })).body).toMatchObject({ purge: { deleted: 3 } });
});

const mayLook = (deny: string[]) =>
  stage.sandbox.control.channels({
    action: 'update',
    channel: 'general',
    overwrite: { of: 'Bailiff', deny },
  });
/** Looks how purges ended, by default when none of their requests can arrive any more. */
async function recover(after = '2 minutes'): Promise<void> {
  await stage.test.database.pool.query(
    'UPDATE actions SET settled_at = settled_at - $1::interval, looked_at = NULL',
    [after],
  );
  await stage.test.database.pool.query("SELECT graphile_worker.add_job('recover', '{}')");
}
/** The states of the purges, and how many archives there are, after a look. */
async function seen(): Promise<unknown[]> {
  await stage.row('SELECT FROM actions WHERE looked_at IS NOT NULL');
  await stage.row("SELECT FROM graphile_worker.jobs WHERE task_identifier = 'recover' HAVING count(*) = 0");
  const { pool } = stage.test.database;
  const { rows } = await pool.query('SELECT state FROM actions');
  return [rows, (await pool.query('SELECT FROM message_archives')).rowCount];
}
/** Writes the newest message of the channel, and pins it. */
function writePinned(): void {
  const { control } = stage.sandbox;
  control.messages({ user: 'owner', content: 'Read this' });
  const message_id = messages().find(({ content }) => content === 'Read this')?.id ?? '';
  control.messages({ action: 'pin', user: 'owner', message_id });
}
/** Takes a permission from the bot while this deletion is under way, which then has no answer and was not made. */
async function hideDuring(deletion: number, permission: string): Promise<void> {
  await stage.sandbox.until(() => sent(BULK)[deletion - 1]?.status === null);
  mayLook([permission]);
  stage.sandbox.control.clearFaults();
}
const UNANSWERED = {
  route: '/channels/*/messages/bulk-delete',
  method: 'POST',
  held: true,
  status: 502,
} as const;

test.each(['ReadMessageHistory', 'ViewChannel'])(
  'a deletion without an answer is not told as made or not made while the bot lacks %s to look',
  async (permission) => {
    verifies('bot.outcome-evidence');
    const before = messages().length;
    stage.sandbox.control.addFault(UNANSWERED);
    const refused = refusalOf(purge({ count: 3 }));
    await hideDuring(1, permission);
    expect(await refused).toMatchObject({ details: { outcome: 'unknown' } });
    await recover();
    expect(await seen()).toEqual([[{ state: 'unknown' }], 1]);
    mayLook([]);
    await recover();
    await stage.row("SELECT FROM actions WHERE state = 'failed'");
    expect(messages()).toHaveLength(before);
  },
);

test('a deletion of which nobody will find out any more says so, and promises no answer', async () => {
  verifies('bot.outcome-evidence');
  stage.sandbox.control.addFault(UNANSWERED);
  const refused = refusalOf(purge({ count: 3 }));
  await hideDuring(1, 'ReadMessageHistory');
  expect(await refused).toMatchObject({ details: { outcome: 'unknown' } });
  await recover('2 days');
  const left = "SELECT state, error->>'message' AS said FROM actions WHERE looked_at = 'infinity'";
  expect(await stage.row(left)).toEqual({
    state: 'unknown',
    said: 'For a day nothing showed whether this happened. Nobody looks for it any more.',
  });
});

test('a deletion without an answer is not told as not made while Discord may still make it', async () => {
  verifies('bot.outcome-evidence', 'purge.archive.content');
  stage.sandbox.control.addFault({ ...UNANSWERED, held: false });
  expect(await refusalOf(purge({ count: 3 }))).toMatchObject({ details: { outcome: 'unknown' } });
  await recover('0');
  expect(await seen()).toEqual([[{ state: 'unknown' }], 1]);
  await recover();
  await stage.row("SELECT FROM actions WHERE state = 'failed'");
  expect(await seen()).toEqual([[{ state: 'failed' }], 0]);
});

test.each(['ReadMessageHistory', 'ViewChannel'])(
  'a purge that goes on counts no message as deleted or left that the bot may not see without %s',
  async (permission) => {
    verifies('purge.long', 'bot.outcome-evidence');
    stage.sandbox.control.messages({ user: 'troll', content: 'coins', count: 150 });
    writePinned();
    const before = messages().length;
    stage.sandbox.control.addFault({ route: UNANSWERED.route, method: 'POST', delay_ms: 1 });
    stage.sandbox.control.addFault(UNANSWERED);
    const answer = purge({ count: 150 });
    await hideDuring(2, permission);
    expect((await answer).status).toBe(202);
    await stage.row("SELECT FROM actions WHERE state = 'unknown'");
    mayLook([]);
    await recover();
    const { result } = await stage.row<{ result: object }>("SELECT result FROM actions WHERE state = 'done'");
    expect(result).toMatchObject({ purge: { deleted: 100, skipped_pinned: 1 } });
    expect(messages()).toHaveLength(before - 100);
  },
);

test('a purge that is stopped while a deletion has no answer tells what it skipped', async () => {
  verifies('purge.long', 'purge.pinned', 'action.stop');
  const { control } = stage.sandbox;
  control.messages({ user: 'troll', content: 'coins', count: 150 });
  writePinned();
  control.addFault({ route: UNANSWERED.route, method: 'POST', delay_ms: 1 });
  control.addFault({ ...UNANSWERED, when: 'after' });
  const answer = purge({ count: 150 });
  await stage.sandbox.until(() => sent(BULK)[1]?.status === null);
  const { id: actionId } = await stage.row<{ id: string }>("SELECT id FROM actions WHERE state = 'running'");
  await stage.act('actions.stop', 'owner', { actionId });
  control.clearFaults();
  await answer;
  const { result } = await stage.row<{ result: object }>(
    "SELECT result FROM actions WHERE id = $1 AND state = 'done'",
    [actionId],
  );
  expect(result).toMatchObject({ purge: { deleted: 150, skipped_pinned: 1 } });
});

test('nothing to delete is no error', async () => {
  expect((await purge({ count: 5, contains: 'no such text' })).body).toMatchObject({
    purge: { deleted: 0, archive_id: null },
  });
});

test('batches hold every item once, at most 100, and never one of several alone', () => {
  verifies('H25');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1000 }), (count) => {
      const items = Array.from({ length: count }, (_, index) => index);
      const batches = inBatches(items);
      expect(batches.flat()).toEqual(items);
      for (const { length } of batches) {
        expect(length).toBeLessThanOrEqual(100);
        expect(length).toBeGreaterThanOrEqual(Math.min(2, count));
      }
    }),
  );
});

test('a purge ends with the batch that is under way when its token is revoked', async () => {
  verifies('purge.long', 'pipeline.recheck.token');
  const { id, secret } = await mint(stage, 'cleaner');
  await openWindow(stage.engine.db, ownerOf(stage.sandbox), id, 15);
  stage.sandbox.control.messages({ user: 'troll', content: 'coins', count: 250 });
  stage.sandbox.control.addFault({ route: '/channels/*/messages/bulk-delete', method: 'POST', held: true });
  const body = { channel_id: stage.sandbox.channels.general, count: 250 };
  const call = overToken(stage, secret, { operation: 'messages.purge', body });
  await stage.sandbox.until(() => sent(BULK).some(({ status }) => status === null));
  await revokeToken(stage.engine.db, ownerOf(stage.sandbox), id);
  stage.sandbox.control.clearFaults();
  await call;
  await stage.row(
    `SELECT FROM actions WHERE state = 'done' AND operation = 'messages.purge'
      AND result->'purge'->>'deleted' = '100'`,
  );
  expect(sent(BULK)).toHaveLength(1);
});

test('what a purge had read of somebody before they are forgotten is in no archive that it writes meanwhile', async () => {
  verifies('ops.forget');
  const { channels, control, people } = stage.sandbox;
  control.messages({ user: 'troll', content: 'I live in Graz', count: 300 });
  const reading = { route: `/channels/${channels.general}/messages`, method: 'GET' };
  for (const _page of [1, 2, 3]) control.addFault({ ...reading, delay_ms: 1 });
  control.addFault({ ...reading, held: true });
  purge({ count: 310 }).catch(() => {});
  await stage.row('SELECT FROM action_pages');
  const goOn = () => control.clearFaults();
  await forgetMeanwhile(
    stage,
    people.troll ?? '',
    'ticket_settings',
    goOn,
    'EXISTS (SELECT FROM message_archives)',
  );
  await stage.row("SELECT FROM actions WHERE state = 'done' AND result->'purge'->>'deleted' = '310'");
  const { rows } = await stage.test.database.pool.query(
    "SELECT FROM message_archives, jsonb_array_elements(messages) AS m WHERE m->>'text' LIKE 'I live in Graz%'",
  );
  expect(rows).toEqual([]);
});

test('a purge whose refusal could not be put on record goes on with the archive of what it is to delete', async () => {
  verifies('purge.long', 'purge.archive.content');
  const before = messages().length;
  const body = { code: 50013, message: 'Missing Permissions' };
  stage.sandbox.control.addFault({ ...UNANSWERED, held: false, status: 403, body });
  const anotherGoesOn = await loseFailures(stage);
  purge({ count: 3 }).catch(() => {});
  await anotherGoesOn();
  await stage.row("SELECT FROM actions WHERE state = 'done' AND result->'purge'->>'deleted' = '3'");
  await stage.row('SELECT FROM message_archives WHERE jsonb_array_length(messages) = 3');
  expect(messages()).toHaveLength(before - 3);
});
