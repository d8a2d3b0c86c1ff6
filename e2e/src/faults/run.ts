// npm run test:faults: what every connection may do, killed processes, and a database and a Discord that stand still.
import { randomInt, randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { expectedSentinel } from '@bailiff/core';
import { count, until } from '../cluster/stage.ts';
import { CLOCKS } from './false-clock.ts';
import { FAULTS, pause } from './faulty-link.ts';
import { LINKS, setStage } from './stage.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1' },
    paused: { type: 'string', default: '30' },
    only: { type: 'string', default: '' },
  },
});
const ROUNDS = Number(values.rounds);
const PAUSED_MS = Number(values.paused) * 1000;
const LANES = 6;
const FAULT_MS = 3_000;
const KILL_POINTS = 8;
const MOST_SWITCHES = 100;
/** A client gives up on one attempt; the service must have answered before where it can be reached. */
const ATTEMPT_MS = 12_000;
const ANSWERED_WITHIN_MS = 10_000;
const SERVED_AGAIN_WITHIN_MS = 30_000;
const SETTLED_WITHIN_MS = 120_000;

let failures = 0;
const stage = await setStage();
const { own, sandbox } = stage;
try {
  process.stdout.write(
    `${'fault'.padEnd(34)} intents  done  twice  lost  unsettled  slowest  back after  ended\n`,
  );
  for (let round = 0; round < ROUNDS; round += 1) {
    // A bot that began fifty sessions in a day waits before the next one, which is not what is tried here.
    sandbox.control.gateway({ action: 'new_day' });
    for (const link of LINKS) {
      for (const fault of FAULTS) {
        await scenario(`${link}: ${fault}`, {
          begin: async () => stage.links[link].begin(fault),
          end: async () => stage.links[link].end(),
          // Between client and service nobody but the client knows how long an answer takes.
          isReachable: link !== 'client - web',
        });
      }
    }
    await scenario('PostgreSQL stands still', {
      begin: () => own.pause(),
      end: () => own.resume(),
      lastsMs: PAUSED_MS,
    });
    await scenario('Discord answers nothing', {
      begin: async () => void sandbox.control.addFault({ route: '/**', socket: 'hang', times: null }),
      end: async () => void sandbox.control.clearFaults(),
    });
    await clockFaults();
    await diskFaults();
    for (let point = 1; point <= KILL_POINTS; point += 1) {
      await scenario(
        `web killed at exchange ${point}`,
        kill('web - PostgreSQL', point, () => stage.killWeb()),
      );
      await scenario(
        `bot killed at exchange ${point}`,
        kill('bot - PostgreSQL', point, () => stage.killBot()),
      );
    }
  }
} finally {
  await stage.close();
}
process.stdout.write(failures === 0 ? 'All as promised.\n' : `${failures} not as promised.\n`);
process.exit(failures === 0 ? 0 : 1);

interface Trouble {
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
  readonly lastsMs?: number;
  readonly isReachable?: boolean;
}

/** Both ways: the clock jumps when the fault begins, and back when it ends. */
async function clockFaults(): Promise<void> {
  const { clocks } = stage;
  if (clocks === undefined) {
    process.stdout.write('Clocks are not tried: apt-get install faketime.\n');
    return;
  }
  for (const whose of CLOCKS) {
    for (const hours of [1, -1]) {
      const what = `clock of ${whose}: ${hours > 0 ? '+' : ''}${hours} h`;
      await scenario(what, {
        begin: async () => {
          await clocks.jump(whose, hours * 3600);
          const isAhead = async () => Math.abs((await aheadMs(whose)) - hours * 3600_000) < 60_000;
          await until('the clock has jumped', isAhead, SERVED_AGAIN_WITHIN_MS);
        },
        end: () => clocks.jump(whose, 0),
      });
    }
  }
}

/** How far a clock is ahead of ours, as the process says it: in an answer, or to a query. */
async function aheadMs(whose: (typeof CLOCKS)[number]): Promise<number> {
  if (whose === 'PostgreSQL') {
    const { rows } = await own.db.pool.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    return (rows[0]?.now.getTime() ?? 0) - Date.now();
  }
  const answer = await fetch(`${stage.api}/me`, { headers: headersOf(0) });
  await answer.text();
  return Date.parse(answer.headers.get('date') ?? '') - Date.now();
}

async function diskFaults(): Promise<void> {
  const { disk } = stage;
  if (!disk.isMounted) {
    process.stdout.write('A full disk is not tried: only root may make a small one.\n');
    return;
  }
  const empty = async () => {
    await disk.empty();
    // What the supervisor does.
    if (own.hasEnded()) await own.start();
  };
  await scenario('disk full', { begin: () => disk.fill(), end: empty });
  await scenario('disk full, WAL too', {
    begin: async () => {
      await disk.fill();
      // PostgreSQL needs another file now, and ends all sessions if it cannot make one.
      for (let n = 0; n < MOST_SWITCHES; n += 1) {
        const switched = await own.db.pool
          .query("SELECT pg_logical_emit_message(false, 'fault', repeat('x', 8000000))")
          .then(
            () => true,
            () => false,
          );
        if (!switched) break;
      }
    },
    end: empty,
  });
}

/** Kills a process when so many pieces have passed between it and the database while calls are under way. */
function kill(link: (typeof LINKS)[number], point: number, killAndStart: () => Promise<void>): Trouble {
  const proxy = stage.links[link];
  const back = Promise.withResolvers<void>();
  let pieces = 0;
  return {
    begin: async () => {
      proxy.onPiece = () => {
        pieces += 1;
        if (pieces !== point) return;
        proxy.onPiece = () => {};
        killAndStart().then(back.resolve, back.reject);
      };
    },
    end: () => back.promise,
    lastsMs: 0,
    isReachable: false,
  };
}

interface Seen {
  slowestMs: number;
  readonly done: Set<string>;
}

async function scenario(
  what: string,
  { begin, end, lastsMs = FAULT_MS, isReachable = true }: Trouble,
): Promise<void> {
  if (!what.includes(values.only)) return;
  await own.db.pool.query('DELETE FROM budgets');
  const seen: Seen = { slowestMs: 0, done: new Set() };
  const strikes: string[] = [];
  const bans: string[] = [];
  let isTroubled = true;
  const lane = async (n: number) => {
    for (let turn = 0; turn < 3 && (isTroubled || turn === 0); turn += 1) {
      const user = stage.newMember();
      const isBan = (n + turn) % 3 === 0;
      (isBan ? bans : strikes).push(user);
      await intend(isBan ? 'bans.add' : 'strikes.add', user, n * 2 + (turn % 2), seen);
    }
  };
  await begin();
  // Whoever is banned by hand meanwhile is told by the gateway, and on record afterwards.
  const bystander = stage.newMember();
  sandbox.control.bans({ user: bystander, by: 'owner' });
  const lanes = Promise.all(Array.from({ length: LANES }, (_, n) => lane(n)));
  await pause(lastsMs);
  await end();
  isTroubled = false;
  const endedAt = performance.now();
  await until('a call is served again', serves, SERVED_AGAIN_WITHIN_MS).catch(() => {});
  const backMs = performance.now() - endedAt;
  await lanes;
  const unsettled = () => count(own.db, "actions WHERE state IN ('pending', 'running', 'unknown')");
  await until('all is settled', async () => (await unsettled()) === 0, SETTLED_WITHIN_MS).catch(() => {});
  const isRecorded = async () => (await count(own.db, 'cases WHERE user_id = $1', [bystander])) === 1;
  await until('the ban by hand is on record', isRecorded, SETTLED_WITHIN_MS).catch(() => {});
  const { twice, lost: lostCalls } = await compare(strikes, bans, seen);
  const lost = lostCalls + ((await isRecorded()) ? 0 : 1);
  const row = { left: await unsettled(), ended: stage.isRunning() ? 'no' : 'YES' };
  const isLate = isReachable && seen.slowestMs > ANSWERED_WITHIN_MS;
  const isWrong =
    twice + lost + row.left > 0 || isLate || backMs > SERVED_AGAIN_WITHIN_MS || row.ended !== 'no';
  if (isWrong) failures += 1;
  const columns = [
    what.padEnd(34),
    String(strikes.length + bans.length).padStart(7),
    String(seen.done.size).padStart(5),
    String(twice).padStart(6),
    String(lost).padStart(5),
    String(row.left).padStart(10),
    `${(seen.slowestMs / 1000).toFixed(1)} s`.padStart(8),
    `${(backMs / 1000).toFixed(1)} s`.padStart(11),
    row.ended.padStart(6),
    isWrong ? '  WRONG' : '',
  ];
  process.stdout.write(`${columns.join(' ')}\n`);
}

/**
 * One call, repeated with its key as the answers allow, as a client does. A strike ends performed; a ban may end with an
 * answer that it was not performed, which its key then keeps.
 */
async function intend(
  operation: 'strikes.add' | 'bans.add',
  user: string,
  holder: number,
  seen: Seen,
): Promise<void> {
  const body = {
    user_id: user,
    reason: 'in trouble',
    ...(operation === 'bans.add' ? {} : { severity: 'minor' }),
  };
  const { concrete } = expectedSentinel(operation, sandbox.guildId, body as never);
  const path = operation === 'bans.add' ? 'bans' : 'strikes';
  const request = {
    method: 'POST',
    headers: {
      ...headersOf(holder),
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify({ ...body, _confirmation: concrete }),
  };
  const giveUpAt = performance.now() + PAUSED_MS + 60_000;
  for (let attempt = 1; performance.now() < giveUpAt; attempt += 1) {
    const startedAt = performance.now();
    const status = await fetch(`${stage.api}/guilds/${sandbox.guildId}/${path}`, {
      ...request,
      signal: AbortSignal.timeout(ATTEMPT_MS),
    }).then(
      async (answer) => {
        await answer.text();
        return answer.status;
      },
      () => null,
    );
    seen.slowestMs = Math.max(seen.slowestMs, performance.now() - startedAt);
    if (status === 201) return void seen.done.add(user);
    if (operation === 'bans.add' && status !== null && status !== 429 && attempt >= 4) return;
    await pause(500);
  }
}

function headersOf(holder: number): Record<string, string> {
  return {
    authorization: `Bearer ${stage.holders[holder % stage.holders.length]?.secret}`,
    'x-forwarded-for': `198.18.${randomInt(256)}.${randomInt(256)}`,
  };
}

async function serves(): Promise<boolean> {
  const signal = AbortSignal.timeout(ATTEMPT_MS);
  const path = `/guilds/${sandbox.guildId}/strikes`;
  return fetch(`${stage.api}${path}`, { headers: headersOf(0), signal }).then(
    async (answer) => {
      await answer.text();
      return answer.status === 200;
    },
    () => false,
  );
}

/** How many intents have more than one effect or one without its audit row, and how many that were done have none. */
async function compare(strikes: string[], bans: string[], { done }: Seen) {
  const { rows } = await own.db.pool.query<{ user_id: string; cases: number; performed: number }>(
    `SELECT u AS user_id,
       (SELECT count(*)::int FROM cases c WHERE c.user_id = u) AS cases,
       (SELECT count(*)::int FROM audit a WHERE a.target_id = u AND a.outcome = 'performed') AS performed
     FROM unnest($1::text[]) AS u`,
    [[...strikes, ...bans]],
  );
  const guild = sandbox.getState().guilds.find(({ id }) => id === sandbox.guildId);
  const isBanned = new Set(guild?.bans.map(({ user_id }) => user_id));
  const isStrike = new Set(strikes);
  const isWrong = (row: (typeof rows)[number]) =>
    row.cases > 1 ||
    row.performed !== row.cases ||
    (!isStrike.has(row.user_id) && isBanned.has(row.user_id) !== (row.cases === 1));
  const isLost = ({ user_id, cases }: (typeof rows)[number]) =>
    (done.has(user_id) || isStrike.has(user_id)) && cases === 0;
  return { twice: rows.filter(isWrong).length, lost: rows.filter(isLost).length };
}
