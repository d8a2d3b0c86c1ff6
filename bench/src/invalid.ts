import { setTimeout as delay } from 'node:timers/promises';
import { type Call, callOf, type WriteOperation } from '@bailiff/core';
import { send } from '@bailiff/sandbox/visitor';
import { inWorld, type World } from './world.ts';

const GUILDS = 50;
const MEMBERS = 150;
const FIRST_MEMBER = 400_000_000_000_000_000n;
const CALLS_PER_SECOND = 12;
const PURGE_EVERY = 60;

export interface InvalidCosts {
  /** Answers 401, 403 and 429 in 10,000 requests to Discord. */
  readonly per10000: number;
  readonly requests: number;
}

/** Mixed traffic in many guilds within the sandbox's limits, more than Discord allows at some moments. */
export function measureInvalidAnswers(seconds: number): Promise<InvalidCosts> {
  return inWorld(GUILDS, MEMBERS, async (world) => {
    await world.settled;
    const { rows } = await world.db.pool.query<{ guildId: string; userId: string }>(
      `SELECT id AS "guildId", owner_id AS "userId" FROM guilds WHERE id <> ALL ($1) ORDER BY id`,
      [[world.sandbox.guildId, world.sandbox.otherGuildId]],
    );
    const before = await counted(world);
    const running: Promise<unknown>[] = [];
    for (let turn = 0; turn < seconds * CALLS_PER_SECOND; turn += 1) {
      const index = turn % rows.length;
      const where = rows[index];
      if (where === undefined) throw new Error('There are no guilds.');
      const work =
        turn % PURGE_EVERY === 0
          ? purge(world)
          : world.act(callAt(turn, userIn(index, Math.floor(turn / rows.length))), where);
      // Refusals are part of the traffic.
      running.push(work.catch(() => {}));
      await delay(1000 / CALLS_PER_SECOND);
    }
    await Promise.all(running);
    const after = await counted(world);
    const requests = after.total - before.total;
    return { requests, per10000: ((after.invalid - before.invalid) / requests) * 10_000 };
  });
}

/** Another person each time, and not the same one of each guild: every fourth accepts no direct messages. */
function userIn(guild: number, number: number): string {
  const member = 20 + ((number + guild) % (MEMBERS - 20));
  return String(FIRST_MEMBER + BigInt(guild) * BigInt(MEMBERS) + BigInt(member));
}

function callAt(turn: number, user_id: string): Call<WriteOperation> {
  const input = { user_id, reason: 'bench' };
  switch (turn % 4) {
    case 0:
      return callOf('bans.add', input);
    case 1:
      return callOf('mutes.add', { ...input, duration_minutes: 10 });
    case 2:
      return callOf('strikes.add', { ...input, severity: 'minor' });
    default:
      return callOf('members.kick', input);
  }
}

async function purge({ sandbox, act, tell }: World): Promise<void> {
  const channel = sandbox.channels.general ?? '';
  await tell('messages', { user: 'owner', channel, content: 'word', count: 150 });
  const input = { channel_id: channel, count: 150, include_pinned: false };
  await act(callOf('messages.purge', input), {
    guildId: sandbox.guildId,
    userId: sandbox.people.owner ?? '',
  });
}

async function counted({ sandbox }: World): Promise<{ total: number; invalid: number }> {
  const { body } = await send(`${sandbox.url}/sandbox/requests?after=999999999`);
  return body as { total: number; invalid: number };
}
