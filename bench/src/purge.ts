import { setTimeout as delay } from 'node:timers/promises';
import { callOf } from '@bailiff/core';
import { send } from '@bailiff/sandbox/visitor';
import { inWorld, secondsUntil, type World } from './world.ts';

const PURGED = 1_000;
/** The sandbox writes so many messages at once. */
const AT_ONCE = 1_000;

export interface LongActionCosts {
  /** Requests to Discord about the purged channel, and seconds from the request to the end. */
  readonly requests: number;
  readonly purge: number;
  /** Messages that were not deleted, and messages that the transcript lacks. */
  readonly left: number;
  /** Seconds from the closing of a ticket until its transcript is complete. */
  readonly transcript: number;
  readonly missing: number;
}

/** A purge of 1,000 messages, and the closing of a ticket with so many messages, within the sandbox's limits. */
export function measureLongActions(messages: number): Promise<LongActionCosts> {
  return inWorld(1, 10, async (world) => {
    await world.settled;
    const owner = { guildId: world.sandbox.guildId, userId: world.sandbox.people.owner ?? '' };
    const purge = await measurePurge(world, owner);
    const transcript = await measureTranscript(world, owner, messages);
    return { ...purge, ...transcript };
  });
}

type Place = Parameters<World['act']>[1];

async function measurePurge(world: World, owner: Place) {
  const { channel } = (await world.tell('channels', { action: 'create', name: 'raid' })) as {
    channel: { id: string };
  };
  await world.tell('messages', { user: 'troll', channel: channel.id, content: 'coins', count: PURGED });
  const startedAt = performance.now();
  await world.act(
    callOf('messages.purge', { channel_id: channel.id, count: PURGED, include_pinned: false }),
    owner,
  );
  const result = await untilEnded<{ purge: { deleted: number } }>(world, 'messages.purge');
  const purge = (performance.now() - startedAt) / 1000;
  const log = await send(`${world.sandbox.url}/sandbox/requests?after=0`);
  const { requests } = log.body as { requests: { path: string }[] };
  const asked = requests.filter(({ path }) => path.startsWith(`/channels/${channel.id}`));
  // A job of its own asks for the channel's name, which the page of the archive shows.
  const forName = asked.filter(({ path }) => path === `/channels/${channel.id}`).length > 1 ? 1 : 0;
  return { purge, requests: asked.length - forName, left: PURGED - result.purge.deleted };
}

async function measureTranscript(world: World, owner: Place, messages: number) {
  const opened = await world.act(callOf('tickets.open', { subject: 'bench' }), owner);
  const { ticket } = opened.body as { ticket: { id: string; channel_id: string } };
  await welcomed(world, ticket.channel_id);
  for (let left = messages; left > 0; left -= AT_ONCE) {
    const count = Math.min(left, AT_ONCE);
    await world.tell('messages', { user: 'owner', channel: ticket.channel_id, content: 'word', count });
  }
  const startedAt = performance.now();
  await world.act(callOf('tickets.close', { ticket_id: ticket.id }), owner);
  await untilEnded(world, 'tickets.close');
  const transcript = (performance.now() - startedAt) / 1000;
  const { rows } = await world.db.pool.query<{ count: number }>(
    'SELECT jsonb_array_length(transcript) AS count FROM tickets WHERE id = $1',
    [ticket.id],
  );
  // Besides the bot's own first message.
  return { transcript, missing: messages + 1 - (rows[0]?.count ?? 0) };
}

/** Waits for the bot's first message in a ticket, which would otherwise come among the others. */
async function welcomed({ sandbox }: World, channel: string): Promise<void> {
  const route = `/channels/${channel}/messages`;
  for (;;) {
    const { body } = await send(`${sandbox.url}/sandbox/requests?after=0`);
    const { requests } = body as { requests: { method: string; path: string; status: number | null }[] };
    if (requests.some(({ method, path, status }) => method === 'POST' && path === route && status === 200))
      return;
    await delay(100);
  }
}

/** The result of the only action of an operation, once it has ended. @throws Error if it failed */
async function untilEnded<Result>(world: World, operation: string): Promise<Result> {
  await secondsUntil(
    world,
    "SELECT state NOT IN ('pending', 'running') AS is FROM actions WHERE operation = $1 ORDER BY id DESC LIMIT 1",
    [operation],
  );
  const { rows } = await world.db.pool.query<{ state: string; result: Result; error: unknown }>(
    'SELECT state, result, error FROM actions WHERE operation = $1 ORDER BY id DESC LIMIT 1',
    [operation],
  );
  const [row] = rows;
  if (row?.state !== 'done')
    throw new Error(`${operation} ended as ${row?.state}: ${JSON.stringify(row?.error)}`);
  return row.result;
}
