import type { OutputOf } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { guildForEachTest } from './each-test.ts';
import { grant, newMember, type Stage } from './harness.ts';

let stage: Stage;
guildForEachTest(async (next) => {
  stage = next;
  await grant(stage, 'Moderator', ['bans.write', 'messages.purge', 'tickets.write']);
  await stage.row('SELECT FROM members WHERE guild_id = $1 AND user_id = $2', [
    stage.guildId,
    stage.people.moderator,
  ]);
});

const query = (sql: string) => stage.test.database.pool.query(sql);
const guild = () => stage.sandbox.getState(1_000).guilds.find(({ id }) => id === stage.guildId);
const messagesIn = (channel: string) => guild()?.channels.find(({ id }) => id === channel)?.messages;

interface Action {
  readonly id: string;
  readonly state: string;
  readonly result: { purge?: object; many?: { done: number; not_tried: number } } | null;
  readonly error: object | null;
}

/** The fault with which Discord keeps a request waiting. */
type Held = Parameters<Stage['sandbox']['control']['addFault']>[0];

/**
 * What becomes of a moderator's long action if, while its request is at Discord, the bot has been without the gateway
 * for more than a minute and the owner takes the moderator's role away, of which the bot hears nothing.
 *
 * @param whileAway looks at Discord once the bot has left the action, or ended it
 */
async function demotedUnheard(
  operation: 'bans.many' | 'messages.purge' | 'tickets.close',
  input: object,
  held: Held,
  whileAway: () => void,
): Promise<Action> {
  const { control } = stage.sandbox;
  control.gateway({ action: 'refuse' });
  control.gateway({ action: 'drop' });
  await stage.row('SELECT FROM gateway_shards WHERE lost_at IS NOT NULL');
  // A busy machine may need more of the minute in which the mirror is still trusted than there is.
  await query("UPDATE gateway_shards SET heartbeat_at = now() + interval '59 seconds'");
  const { id: fault } = control.addFault({ ...held, held: true });
  const called = stage.act(operation, 'moderator', input);
  called.catch(() => {});
  await stage.sandbox.until(() =>
    stage.sandbox.requests.some((request) => request.fault === fault && request.status === null),
  );
  // The bot gives a request up after ten seconds, so that nothing else comes between.
  await query("UPDATE gateway_shards SET heartbeat_at = now() - interval '61 seconds'");
  control.members({ action: 'remove_role', user: 'moderator', role: 'Moderator', by: 'owner' });
  control.clearFaults();
  await stage.row("SELECT FROM actions WHERE operation = $1 AND (worker IS NULL OR state <> 'running')", [
    operation,
  ]);
  whileAway();
  control.gateway({ action: 'accept' });
  const ended = await stage.row<Action>(
    "SELECT id, state, result, error FROM actions WHERE operation = $1 AND state <> 'running'",
    [operation],
  );
  await called.catch(() => {});
  return ended;
}

test('a mass ban bans nobody more while the bot cannot know that who asked for it may ban nobody any more', async () => {
  verifies('mass.effects', 'G2', 'H23');
  const ids = Array.from({ length: 10 }, () => newMember(stage.sandbox));
  const { body } = await stage.act('bans.preview', 'moderator', {
    users: ids.join(' '),
    include_left: false,
  });
  const { id, count } = (body as OutputOf<'bans.preview'>).preview;
  expect(count).toBe(10);
  const bans = () => guild()?.bans.length ?? 0;
  const before = bans();
  const { state, result } = await demotedUnheard(
    'bans.many',
    { preview_id: id, count, reason: 'Raid' },
    { route: '/guilds/*/bans/*', method: 'PUT', times: 3 },
    () => expect(bans() - before).toBeLessThanOrEqual(3),
  );
  expect(state).toBe('done');
  expect(result?.many).toMatchObject({ done: bans() - before, not_tried: 10 - (bans() - before) });
  expect(bans() - before).toBeLessThanOrEqual(3);
});

test('a purge deletes nothing more while the bot cannot know that who asked for it may purge nothing any more', async () => {
  verifies('purge.long', 'G2', 'H23');
  const channel_id = stage.sandbox.channels.general ?? '';
  stage.sandbox.control.messages({ user: 'troll', channel: channel_id, content: 'coins', count: 250 });
  const before = messagesIn(channel_id)?.length ?? 0;
  const deleted = () => before - (messagesIn(channel_id)?.length ?? 0);
  const { state, result } = await demotedUnheard(
    'messages.purge',
    { channel_id, count: 250, include_pinned: false },
    { route: '/channels/*/messages/bulk-delete', method: 'POST' },
    () => expect(deleted()).toBe(100),
  );
  expect({ state, result }).toMatchObject({ state: 'done', result: { purge: { deleted: 100 } } });
  expect(deleted()).toBe(100);
});

test('a ticket stays open while the bot cannot know that who closes it may close none any more', async () => {
  verifies('ticket.transcript.complete', 'G2', 'H23');
  const { body } = await stage.act('tickets.open', 'owner', { subject: 'Griefed' });
  const { id: ticket_id, channel_id } = (body as { ticket: { id: string; channel_id: string } }).ticket;
  await stage.sandbox.until(() => (messagesIn(channel_id)?.length ?? 0) > 0);
  // The last read before the channel is deleted.
  const reads = { route: `/channels/${channel_id}/messages`, method: 'GET' } as const;
  stage.sandbox.control.addFault({ ...reads, delay_ms: 1 });
  const { state, error } = await demotedUnheard('tickets.close', { ticket_id }, reads, () =>
    expect(messagesIn(channel_id)).toBeDefined(),
  );
  expect({ state, error }).toMatchObject({ state: 'failed', error: { code: 'CAPABILITY_DENIED' } });
  expect(messagesIn(channel_id)).toBeDefined();
});
