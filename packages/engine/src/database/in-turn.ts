import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import { endOfPoll, perOwner } from './coalesce.ts';
import { DatabaseTooSlow, type Patience, patience } from './database-errors.ts';
import { FairLane, type LaneBounds } from './fair-lane.ts';
import { TimeShares } from './time-shares.ts';

interface Waiting {
  readonly owner: string;
  readonly begin: () => Promise<void>;
}

/**
 * Runs work with the database when its turn has come.
 *
 * @param owner who takes turns with others: a guild, or the holder of a token's secret
 * @param forStore how long its caller waits for it
 * @throws DatabaseTooSlow if too many of the same wait, or the turn came too late. Then it was not run.
 */
type InTurn = <T>(db: Database, owner: string, forStore: Patience, run: () => Promise<T>) => Promise<T>;

const SLOW = { slots: 4, ofOwner: 1, waitingOfOwner: 120 };

/** Slow statements that a page of the dashboard waits for: few of them, and one of a guild at a time. */
export const lookInTurn = turnsWithin(SLOW);

/**
 * Slow reads of the public API, such as lists with filters, run beside the quick ones. A guild's budgets let 120 come of
 * each of its tokens at once. Those of a guild take a second, and after it a twentieth of the time that passes, so that
 * one other call in twenty meets them.
 */
export const readInTurn = turnsWithin({ ...SLOW, ofTime: { atOnceMs: 1_000, share: 1 / 20 } });

/** After this time nobody waits for a page any longer. */
export const LONGEST_PAGE_MS = 5_000;

const statementOfPage = turnsWithin({ slots: 8, ofOwner: 2, waitingOfOwner: 120 });

/**
 * Runs a statement of a page of the dashboard whose time grows with what the guild has. Two of a guild run at once,
 * however many of its pages are open, so that most connections stay free for other guilds and for calls.
 *
 * @throws DatabaseTooSlow if too many of the guild wait, or for too long
 */
export function pageInTurn<T>(db: Database, guildId: string, run: () => Promise<T>): Promise<T> {
  const forTurn = patience(LONGEST_PAGE_MS);
  return forTurn.within(statementOfPage(db, guildId, forTurn, run));
}

/**
 * Writes of one guild wait for each other in the database, each with a connection. So few of a guild run at once, and
 * most connections stay free for other guilds.
 */
export const writeInTurn = turnsWithin({ slots: 10, ofOwner: 2, waitingOfOwner: 500 });

/**
 * How long the turn of a refused call lasts at least. No budget is charged for it, so that nothing else bounds how many
 * come of a caller who does not stop. Short enough for all that may wait to be answered in time.
 */
const REFUSED_MS = 10;

/**
 * Reads that take several statements run one at a time for each token, so that who sends many at once waits for their
 * own reads. A token's budget lets 120 of them come at once.
 */
export const readOfTokenInTurn = turnsWithin({
  slots: 1_000,
  ofOwner: 1,
  waitingOfOwner: 120,
  refusedMs: REFUSED_MS,
});

/**
 * Work without end in sight for which nobody waits at each step, such as the rows of an export: one step at a time in a
 * process, and after each a rest of 24 times its length, so that fewer than one other call in twenty meets a step. What
 * is made of its answer at once is part of a step.
 */
export const stepInTurn = turnsWithin({ slots: 1, ofOwner: 1, waitingOfOwner: 50, restsPerTurn: 24 });

/**
 * A download lasts as long as its reader takes. So few of a guild run at once, and so few in a process, that readers who
 * do not read use up neither memory nor the turns of other guilds.
 */
export const downloadInTurn = turnsWithin({ slots: 256, ofOwner: 8, waitingOfOwner: 120 });

/**
 * An upload is in memory until it is whole, and lasts as long as its sender takes. So two of a guild run at once, and so
 * few in a process that their files fit into it.
 */
export const uploadInTurn = turnsWithin({ slots: 8, ofOwner: 2, waitingOfOwner: 20 });

/** The same for a person, who could otherwise fill the process from some guilds of theirs. */
export const uploadOfPersonInTurn = turnsWithin({ slots: 1_000, ofOwner: 2, waitingOfOwner: 20 });

interface TurnBounds extends LaneBounds {
  /** Milliseconds that a refused call keeps its turn at least; its answer does not wait for that. Default 0. */
  readonly refusedMs?: number;
  /** How many times as long as it took a turn is kept after its answer. Default 0. */
  readonly restsPerTurn?: number;
  /** What the turns of an owner may take; who took more has to pause, and others do not wait for that. Default: all. */
  readonly ofTime?: { readonly atOnceMs: number; readonly share: number };
}

interface Turns extends Required<Pick<TurnBounds, 'refusedMs' | 'restsPerTurn'>> {
  readonly lane: FairLane<Waiting>;
  readonly shares: TimeShares | null;
}

function turnsWithin({ refusedMs = 0, restsPerTurn = 0, ofTime, ...bounds }: TurnBounds): InTurn {
  const turns = perOwner(
    (_db: Database): Turns => ({
      lane: new FairLane<Waiting>(bounds),
      shares: ofTime === undefined ? null : new TimeShares(ofTime),
      refusedMs,
      restsPerTurn,
    }),
  );
  return (db, owner, forStore, run) => takeTurn(turns(db), owner, forStore, run);
}

function takeTurn<T>(
  { lane, shares, refusedMs, restsPerTurn }: Turns,
  owner: string,
  forStore: Patience,
  run: () => Promise<T>,
): Promise<T> {
  const beginNext = () => {
    for (let next = lane.next(); next !== null; next = lane.next()) void next.begin();
  };
  return new Promise((resolve, reject) => {
    const begin = async () => {
      const begunAt = performance.now();
      let leastMs = 0;
      try {
        if (forStore.leftMs() === 0) throw new DatabaseTooSlow();
        resolve(await run());
      } catch (error) {
        reject(error);
        if (isRefused(error)) leastMs = refusedMs;
      }
      // What is made of the answer at once, such as the text of its rows, keeps other calls waiting as well.
      if (restsPerTurn > 0) await endOfPoll();
      const tookMs = performance.now() - begunAt;
      const keptMs = Math.max(leastMs - tookMs, restsPerTurn * tookMs);
      if (keptMs > 0) await delay(keptMs, undefined, { ref: false });
      lane.pause();
      const pauseMs = shares?.spend(owner, tookMs) ?? 0;
      if (pauseMs > 0) {
        beginNext();
        await delay(pauseMs, undefined, { ref: false });
      }
      lane.resume(owner);
      beginNext();
    };
    if (lane.add({ owner, begin })) beginNext();
    else reject(new DatabaseTooSlow());
  });
}

/** Whether a call was refused before it cost anything. What was looked for and not found was paid for. */
function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500 && error.status !== 404;
}
