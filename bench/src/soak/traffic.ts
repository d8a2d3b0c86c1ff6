// What callers, moderators and members do, in a fixed order and at a fixed pace.
import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { expectedSentinel } from '@bailiff/core';
import { send } from '@bailiff/sandbox/visitor';
import type { SoakStage, UsedGuild } from './stage.ts';

/** Each turn of the wheel does each of these once. */
const WHEEL = [
  'read',
  'join',
  'read',
  'strike',
  'read',
  'page',
  'role',
  'read',
  'command',
  'read',
  'leave',
  'ban',
  'read',
  'message',
  'page',
  'read',
  'strike',
  'stream',
  'read',
  'command',
] as const;
type Kind = (typeof WHEEL)[number];

/** Those that add records: what tables grow by is measured against these. */
const RECORDED: readonly Kind[] = ['strike', 'ban', 'command', 'join', 'leave', 'role', 'read'];
const READS = ['/strikes', '/me', '/cases', '/bans'];
const PAGES = ['', '/audit', '/cases', '/members'];
const COMMANDS = ['whoami', 'history', 'strike add'];
const MOST_BANNED = 20;
const MOST_AWAY = 20;
const PROMOTED = 10;
const OPEN_STREAMS = 10;
const ANSWERED_MS = 15_000;
const MOST_UNDER_WAY = 200;

export interface Traffic {
  /** Answers by kind and status; `aside` are those within a while of a kill. */
  readonly answers: ReadonlyMap<string, number>;
  readonly done: () => number;
  stop(): Promise<void>;
}

/** @param isDisturbed whether something was killed so lately that calls may fail */
export async function startTraffic(
  stage: Pick<SoakStage, 'run' | 'guilds'>,
  perSecond: number,
  isDisturbed: () => boolean,
): Promise<Traffic> {
  const act = await actsOf(stage);
  const answers = new Map<string, number>();
  const underWay = new Set<Promise<void>>();
  let turn = 0;
  let done = 0;
  const one = async (kind: Kind, n: number) => {
    const answer = await act[kind](n).catch(
      (error: Error) => `failed (${String(error.cause ?? error.message)})`,
    );
    const isFailure = answer.startsWith('failed') || (answer.startsWith('5') && answer !== '503');
    const isAside = isDisturbed() && (isFailure || answer === '503');
    if (RECORDED.includes(kind)) done += 1;
    const name = `${kind}: ${answer}${isAside ? ' after a kill' : ''}`;
    answers.set(name, (answers.get(name) ?? 0) + 1);
  };
  const timer = setInterval(() => {
    if (underWay.size >= MOST_UNDER_WAY) return;
    const kind = WHEEL[turn % WHEEL.length] ?? 'read';
    const doing = one(kind, Math.floor(turn / WHEEL.length)).finally(() => underWay.delete(doing));
    underWay.add(doing);
    turn += 1;
  }, 1000 / perSecond);
  return {
    answers,
    done: () => done,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(underWay);
      act.close();
    },
  };
}

async function actsOf({ run, guilds }: Pick<SoakStage, 'run' | 'guilds'>) {
  const sandbox = (path: string, body: object) =>
    send(`${run.sandbox}/sandbox/${path}`, { method: 'POST', json: body });
  const statusOf = async (sent: ReturnType<typeof send>) => String((await sent).status);
  const guildOf = (n: number): UsedGuild => {
    const guild = guilds[n % guilds.length];
    if (guild === undefined) throw new Error('No guild is used.');
    return guild;
  };
  const signedIn = guilds.filter(({ cookie }) => cookie !== undefined);
  const personOf = ({ people }: UsedGuild, n: number) => people[n % people.length] ?? '';
  let asked = 0;
  const call = (guild: UsedGuild, method: string, path: string, body?: Record<string, unknown>) => {
    asked += 1;
    return send(`${run.web}/api/public/v1${path === '/me' ? path : `/guilds/${guild.id}${path}`}`, {
      method,
      headers: {
        authorization: `Bearer ${guild.secret}`,
        // Addresses for measurements (RFC 2544), because each has a limit of its own.
        'x-forwarded-for': `198.18.${asked % 250}.${Math.floor(asked / 250) % 250}`,
        ...(method === 'GET' ? {} : { 'idempotency-key': `soak-${asked}` }),
      },
      ...(body === undefined ? {} : { json: body }),
    });
  };
  const sentinel = (operation: 'strikes.add' | 'bans.add' | 'bans.lift', guild: UsedGuild, body: object) =>
    expectedSentinel(operation, guild.id, body as never).concrete;
  const banned: { guild: UsedGuild; user: string }[] = [];
  const away: { guild: UsedGuild; user: string }[] = [];
  const streams: ClientRequest[] = [];
  const targets: string[] = [];
  for (let n = 0; n < 20; n += 1) {
    const { body } = await sandbox('members', { action: 'join', name: `Target ${n}` });
    targets.push((body as { member: { user: { id: string } } }).member.user.id);
  }
  return {
    read: (n: number) => statusOf(call(guildOf(n * 7), 'GET', READS[n % READS.length] ?? '')),
    strike: (n: number) => {
      const guild = guildOf(n);
      const body = { user_id: personOf(guild, n), reason: `soak ${n}`, severity: 'minor' };
      return statusOf(
        call(guild, 'POST', '/strikes', { ...body, _confirmation: sentinel('strikes.add', guild, body) }),
      );
    },
    /** Bans somebody new, or lifts the oldest ban. They come back then. */
    ban: async (n: number) => {
      const oldest = banned.length >= MOST_BANNED ? banned.shift() : undefined;
      if (oldest === undefined) {
        const guild = guildOf(n * 3);
        const user = personOf(guild, n + 30);
        const body = { user_id: user, reason: `soak ${n}` };
        const confirmed = { ...body, _confirmation: sentinel('bans.add', guild, body) };
        const status = await statusOf(call(guild, 'POST', '/bans', confirmed));
        if (status === '201') banned.push({ guild, user });
        return status;
      }
      const body = { reason: `soak ${n}` };
      const path = `/bans/${oldest.user}`;
      const confirmed = sentinel('bans.lift', oldest.guild, { ...body, userId: oldest.user });
      const status = await statusOf(
        call(oldest.guild, 'DELETE', path, { ...body, _confirmation: confirmed }),
      );
      await sandbox('members', { action: 'join', user: oldest.user, guild_id: oldest.guild.id });
      return status;
    },
    command: async (n: number) => {
      const command = COMMANDS[n % COMMANDS.length] ?? '';
      const user = targets[n % targets.length] ?? '';
      const options = { whoami: {}, history: { user } }[command] ?? {
        user,
        severity: 'minor',
        reason: 'soak',
      };
      const { status, body } = await sandbox('interactions', {
        type: 'command',
        command,
        user: 'owner',
        options,
      });
      return status === 200 ? String(Object(body).state) : String(status);
    },
    page: (n: number) => {
      const guild = signedIn[n % signedIn.length];
      const headers = { cookie: guild?.cookie ?? '' };
      return statusOf(send(`${run.dashboard}/guilds/${guild?.id}${PAGES[n % PAGES.length]}`, { headers }));
    },
    /** A page that is left open listens to its guild; the oldest is closed. */
    stream: async (n: number) => {
      const guild = signedIn[n % signedIn.length];
      const request = get(`${run.dashboard}/api/guilds/${guild?.id}/events?age=0`, {
        headers: { cookie: guild?.cookie ?? '' },
        agent: false,
      });
      const signal = AbortSignal.timeout(ANSWERED_MS);
      const [response] = (await once(request, 'response', { signal })) as [IncomingMessage];
      request.on('error', () => {});
      response.on('error', () => {}).resume();
      streams.push(request);
      if (streams.length > OPEN_STREAMS) streams.shift()?.destroy();
      return String(response.statusCode);
    },
    role: (n: number) => {
      // The mirror keeps whoever was a moderator until the guild's next comparison, so these are always the same few.
      const guild = guildOf(Math.floor(n / 2) % PROMOTED);
      const action = n % 2 === 0 ? 'add_role' : 'remove_role';
      return statusOf(
        sandbox('members', { action, user: guild.people[0], role: 'Moderator', guild_id: guild.id }),
      );
    },
    leave: async (n: number) => {
      const guild = guildOf(n * 11);
      const user = personOf(guild, n + 60);
      if (away.length >= MOST_AWAY) return 'full';
      const status = await statusOf(sandbox('members', { action: 'leave', user, guild_id: guild.id }));
      if (status === '200') away.push({ guild, user });
      return status;
    },
    join: async () => {
      const first = away.shift();
      if (first === undefined) return 'nobody is away';
      const { guild, user } = first;
      return statusOf(sandbox('members', { action: 'join', user, guild_id: guild.id }));
    },
    message: (n: number) =>
      statusOf(sandbox('messages', { user: targets[n % targets.length], content: `Hello ${n}` })),
    close: () => {
      for (const request of streams) request.destroy();
    },
  };
}
