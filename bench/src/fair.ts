import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, callOf } from '@bailiff/core';
import { putServer } from '@bailiff/engine/servers/servers';
import { percentile } from './figure.ts';
import { inWorld, secondsUntil, type World } from './world.ts';

const GUILDS = 50;
const ROUNDS = 3;
const ROUND_SECONDS = 5;
const BANS_PER_SECOND = 5;
const COMMANDS_PER_SECOND = 50;
const SERVERS = 25;
const PURGES = 10;
const MESSAGES = 200;
/** The sandbox's large guilds have this many members, whose ids follow each other from the first guild on. */
const MEMBERS = 150;
const FIRST_MEMBER = 400_000_000_000_000_000n;
const NONE_LEFT = "SELECT count(*) = 0 AS is FROM actions WHERE state IN ('pending', 'running')";

/** The p95 of bans in milliseconds in each round, without and with the loud guild beside them. */
export interface FairCosts {
  readonly without: number[];
  readonly with: number[];
  readonly ratio: number[];
  /** Bans that were refused, of all rounds. */
  readonly refused: number;
}

interface Place {
  readonly guildId: string;
  readonly userId: string;
}

/** Bans in fifty guilds, alone and beside a guild that uses everything that it may, in turn. */
export function measureFairness(): Promise<FairCosts> {
  return inWorld(GUILDS, MEMBERS, async (world) => {
    await world.settled;
    const others = await ownersOf(world);
    const loud = await prepareLoudGuild(world);
    const costs = { without: [] as number[], with: [] as number[], ratio: [] as number[], refused: 0 };
    let number = 0;
    const bans = async (): Promise<number> => {
      const took = await banSteadily(world, others, number);
      number += took.length;
      costs.refused += took.filter((ms) => ms === null).length;
      return percentile(
        took.filter((ms) => ms !== null),
        0.95,
      );
    };
    await bans(); // a warm-up
    for (let round = 0; round < ROUNDS; round += 1) {
      const alone = await bans();
      const end = await loud.start();
      const beside = await bans();
      await end();
      await secondsUntil(world, NONE_LEFT);
      costs.without.push(alone);
      costs.with.push(beside);
      costs.ratio.push(beside / alone);
    }
    loud.close();
    return costs;
  });
}

async function ownersOf({ db, sandbox }: World): Promise<Place[]> {
  const { rows } = await db.pool.query<Place>(
    `SELECT id AS "guildId", owner_id AS "userId" FROM guilds WHERE id <> ALL ($1) ORDER BY id`,
    [[sandbox.guildId, sandbox.otherGuildId]],
  );
  return rows;
}

/**
 * Bans at a steady pace, each in the next guild, of a person who is not in it. Returns the milliseconds of each, or
 * null if it was refused.
 */
async function banSteadily(world: World, guilds: readonly Place[], from: number): Promise<(number | null)[]> {
  const bans: Promise<number | null>[] = [];
  for (let ban = from; ban < from + ROUND_SECONDS * BANS_PER_SECOND; ban += 1) {
    const index = ban % guilds.length;
    const where = guilds[index];
    if (where === undefined) throw new Error('There are no guilds.');
    const neighbour = BigInt((index + 1) % guilds.length) * BigInt(MEMBERS);
    const userId = String(FIRST_MEMBER + neighbour + BigInt(20 + Math.floor(ban / guilds.length)));
    const startedAt = performance.now();
    bans.push(
      world
        .act(callOf('bans.add', { user_id: userId, reason: 'bench' }), where)
        .then(() => performance.now() - startedAt, refusedAsNull),
    );
    await delay(1000 / BANS_PER_SECOND);
  }
  return Promise.all(bans);
}

function refusedAsNull(error: unknown): null {
  if (error instanceof ApiError) return null;
  throw error;
}

/** A guild with game servers that never answer. `start` makes it loud; what that returns lets it end. */
async function prepareLoudGuild(world: World) {
  const { sandbox, db, act, tell } = world;
  const owner = { guildId: sandbox.guildId, userId: sandbox.people.owner ?? '' };
  const sockets = new Set<Socket>();
  const dead = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
  });
  dead.listen(0, '127.0.0.1');
  await once(dead, 'listening');
  const { port } = dead.address() as AddressInfo;
  const servers: string[] = [];
  for (let n = 0; n < SERVERS; n += 1) {
    const policy = { allow: [], deny: [] };
    const given = { name: `Dead ${n}`, host: '127.0.0.1', port, password: 'bench', policy };
    const server = await putServer(db, owner.guildId, given);
    if (server === null) throw new Error('The guild takes no game server.');
    servers.push(server.id);
  }
  // The sample guild has none of its own in a world without the supervisor.
  await secondsUntil(world, 'SELECT bool_and(checked_at IS NOT NULL) AS is FROM game_servers');
  const channels: string[] = [];
  for (let n = 0; n < PURGES; n += 1) {
    const { channel } = (await tell('channels', { action: 'create', name: `purge-${n}` })) as {
      channel: { id: string };
    };
    channels.push(channel.id);
  }
  let turn = 0;
  const command = () => {
    turn += 1;
    if (turn % 2 === 0) {
      const serverId = servers[turn % servers.length] ?? '';
      return act(callOf('servers.rcon', { serverId, command: 'list' }), owner);
    }
    const options = { user: sandbox.people.member, severity: 'minor', reason: 'bench' };
    return tell('interactions', { type: 'command', user: 'owner', command: 'strike add', options });
  };
  return {
    start: async () => {
      const running: Promise<unknown>[] = [];
      // What the loud guild is refused does not count.
      const run = (work: () => Promise<unknown>) => void running.push(work().catch(() => {}));
      for (const channel of channels)
        await tell('messages', { user: 'owner', channel, content: 'word', count: MESSAGES });
      for (const channel_id of channels) {
        const input = { channel_id, count: MESSAGES, include_pinned: false };
        run(() => act(callOf('messages.purge', input), owner));
      }
      const commands = setInterval(() => run(command), 1000 / COMMANDS_PER_SECOND);
      await delay(1_000);
      return async () => {
        clearInterval(commands);
        for (const socket of sockets) socket.destroy();
        sockets.clear();
        await Promise.all(running);
      };
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      dead.close();
    },
  };
}
