import { setTimeout as delay } from 'node:timers/promises';
import { followedShards } from '@bailiff/engine/guilds/gateway-shards';
import {
  enterHolder,
  giveShardsBack,
  leaveShards,
  renewHolder,
  type ShardHolder,
  shardHolders,
  takeShards,
} from '@bailiff/engine/guilds/shard-holders';
import type { Database } from '@bailiff/prisma';
import type { Logger } from './log.ts';
import type { Shards } from './shards.ts';

/** Another process has taken the shards of this one, which stood still or could not reach the database. */
export class ShardsLost extends Error {
  constructor() {
    super(
      'Another process of the bot has taken the shards of this one, which did not say that it was there.',
    );
  }
}

export interface LeaseSettings {
  /** A connection of its own, so that nothing else of the process keeps it from saying that it is there. */
  readonly db: Pick<Database, 'pool'>;
  readonly id: string;
  /** The `application_name` of a connection that this process keeps. */
  readonly session: string;
  /** The shards that the process is meant for. */
  readonly home: Shards;
  readonly log: Logger;
  /** Called with shards that the process has from now on. */
  readonly onTaken: (shardIds: readonly number[]) => void;
  /** Whether the process has guilds to read at Discord. */
  readonly isReading: () => boolean;
  /** Called with how many other processes have some, whenever it has looked. */
  readonly onOthersReading: (others: number) => void;
  /** Ends what the process does with a shard that is not its own. */
  readonly onGiveBack: (shardId: number) => Promise<void>;
  /** Called once another process has taken the shards of this one. */
  readonly onLost: () => void;
  readonly timing?: LeaseTiming;
}

/** All in milliseconds. */
export interface LeaseTiming {
  readonly renewedEvery: number;
  /** After so long without a sign of a process, another one takes its shards. */
  readonly lapsesAfter: number;
  /** A process that has shards of others already leaves more of them to the next one for so long, for each. */
  readonly modesty: number;
  /** So long nobody needs to have a shard before a process takes it that is not meant for it: theirs may be starting. */
  readonly unheldFor: number;
  /** A process that came back gets its shards once it has been there for so long. */
  readonly givenBackAfter: number;
  /** Who could not look for so long, because it stood still or the database was away, begins to watch anew. */
  readonly longestGap: number;
  /** A command waits so long at most until it is certain who answers it. People wait for three seconds in all. */
  readonly longestDoubt: number;
}

const TIMING: LeaseTiming = {
  renewedEvery: 2_000,
  lapsesAfter: 12_000,
  modesty: 1_000,
  unheldFor: 20_000,
  givenBackAfter: 60_000,
  longestGap: 5_000,
  longestDoubt: 1_500,
};

/** A state that lasts, and since when, as far as this process could see. */
type Since = Map<string, { readonly state: string; readonly atMs: number }>;

/**
 * Which shards this process has (decisions: Shards of a lost process). Each process counts up a number in the database,
 * and whoever sees it unchanged for long takes the shards. Only the time that the watcher itself has seen pass counts:
 * no clock that jumps and no outage of the database makes a process look dead.
 */
export class ShardLease {
  readonly #settings: LeaseSettings;
  readonly #closed = new AbortController();
  readonly #since: Since = new Map();
  readonly #held = new Set<number>();
  /** Others that have counted up while this process watched. */
  readonly #seenAlive = new Set<string>();
  #id: string;
  readonly #timing: LeaseTiming;
  #lookedAtMs = 0;
  /** When it was last certain that nobody else has the shards. */
  #renewedAtMs = 0;
  #running: Promise<void> = Promise.resolve();
  /** Shards of others that are being ended here. */
  readonly #returning = new Map<number, Promise<void>>();
  #endsWith: 'leave' | 'keep' = 'leave';

  constructor(settings: LeaseSettings) {
    this.#settings = settings;
    this.#id = settings.id;
    this.#timing = settings.timing ?? TIMING;
  }

  /** Fires once another process has taken the shards, or the lease is over. */
  get signal(): AbortSignal {
    return this.#closed.signal;
  }

  get id(): string {
    return this.#id;
  }

  /**
   * Begins to take shards, its own first.
   *
   * @param goesOnWith the id under which the process before had its shards, if it hands them over
   * @returns the shards that were handed over, and null if there are none (any more)
   */
  async begin(goesOnWith?: string): Promise<readonly number[] | null> {
    const { db, session, home } = this.#settings;
    const before =
      goesOnWith === undefined || !(await this.#renew(goesOnWith))
        ? undefined
        : (await shardHolders(db.pool)).find(({ id }) => id === goesOnWith);
    if (before === undefined) {
      await enterHolder(db.pool, { id: this.#id, session, shardCount: home.count, home: home.ids });
    } else {
      this.#id = before.id;
      for (const shardId of before.shardIds) this.#held.add(shardId);
    }
    this.#running = this.#run();
    return before === undefined ? null : before.shardIds;
  }

  /**
   * Whether to answer what people ask in chat. A process that may have stood still makes sure first, because another one
   * would answer in its place. While the database is away it answers.
   */
  mayAnswer(): true | Promise<boolean> {
    const { longestGap, longestDoubt } = this.#timing;
    if (performance.now() - this.#renewedAtMs < longestGap) return true;
    const isOurs = this.#renew().catch(() => true);
    return Promise.race([isOurs, delay(longestDoubt, true, { ref: false })]);
  }

  /** Says no more that this process is there. Another one goes on under the id that this returns. */
  async handOver(): Promise<string> {
    this.#endsWith = 'keep';
    this.#closed.abort();
    await this.#running;
    return this.#id;
  }

  /** Leaves the shards to others at once, unless another process has them already. */
  async close(): Promise<void> {
    this.#closed.abort();
    await Promise.all([this.#running, ...this.#returning.values()]);
    if (this.#endsWith === 'leave') await leaveShards(this.#settings.db.pool, this.#id);
  }

  async #run(): Promise<void> {
    const { log } = this.#settings;
    const signal = this.#closed.signal;
    let isTold = false;
    while (!signal.aborted) {
      try {
        await this.#look();
        if (this.#held.size === 0 && !isTold) {
          isTold = true;
          log.warn('other processes have all shards; this one waits until one of them is lost');
        }
      } catch (error) {
        if (error instanceof ShardsLost) return this.#lose();
        if (!signal.aborted) log.warn({ err: error }, 'the database does not say who has which shards');
      }
      await delay(this.#timing.renewedEvery, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  #lose(): void {
    const { log, onLost } = this.#settings;
    this.#endsWith = 'keep';
    this.#closed.abort();
    log.error({ shards: [...this.#held] }, 'another process has taken the shards of this one');
    onLost();
  }

  async #look(): Promise<void> {
    const { db, onOthersReading } = this.#settings;
    const nowMs = performance.now();
    if (!(await this.#renew())) throw new ShardsLost();
    this.#renewedAtMs = nowMs;
    const all = await shardHolders(db.pool);
    if (nowMs - this.#lookedAtMs > this.#timing.longestGap) this.#since.clear();
    this.#lookedAtMs = nowMs;
    this.#forgetAllBut(all);
    const there: ShardHolder[] = [];
    for (const other of all) {
      if (other.id === this.#id) continue;
      const stillMs = this.#standsStillFor(other);
      if (stillMs > this.#patienceMs() || this.#wasOurs(other, stillMs)) await this.#takeFrom(other);
      else there.push(other);
    }
    await this.#takeUnheld(there);
    for (const other of there) this.#giveBackTo(other);
    onOthersReading(there.filter((other) => other.isReading).length);
  }

  /** Says that the process is there. False if another one has taken the shards of this id. */
  #renew(id = this.#id): Promise<boolean> {
    const { db, session, isReading } = this.#settings;
    return renewHolder(db.pool, id, session, isReading());
  }

  #patienceMs(): number {
    const { home } = this.#settings;
    const guests = [...this.#held].filter((shardId) => !home.ids.includes(shardId)).length;
    const { lapsesAfter, modesty, longestGap } = this.#timing;
    return lapsesAfter + Math.min(guests * modesty, longestGap);
  }

  /** For how many milliseconds another process has not counted up. */
  #standsStillFor({ id, renewals }: ShardHolder): number {
    const known = this.#since.get(`of ${id}`);
    if (known !== undefined && known.state !== renewals) this.#seenAlive.add(id);
    return this.#lasts(`of ${id}`, renewals);
  }

  /**
   * A process that begins need not wait for one that has visibly ended and had its shards, such as itself before. One
   * that was seen alive may only have lost its connection for a moment.
   */
  #wasOurs({ id, isConnected, shardCount, shardIds }: ShardHolder, stillMs: number): boolean {
    const { home } = this.#settings;
    if (this.#held.size > 0 || isConnected) return false;
    if (this.#seenAlive.has(id) && stillMs <= this.#timing.longestGap) return false;
    return shardCount !== home.count || shardIds.some((shardId) => home.ids.includes(shardId));
  }

  async #takeFrom(other: ShardHolder): Promise<void> {
    const { home } = this.#settings;
    // The shards of another number of shards are none of this one.
    await this.#take(other.shardCount === home.count ? other.shardIds : [], other);
  }

  async #takeUnheld(others: readonly ShardHolder[]): Promise<void> {
    const { db, home } = this.#settings;
    const held = new Set([...this.#held, ...others.flatMap(({ shardIds }) => shardIds)]);
    const unheld = Array.from({ length: home.count }, (_, shardId) => shardId).filter((id) => !held.has(id));
    for (const shardId of held) this.#since.delete(`shard ${shardId}`);
    if (unheld.length === 0) return;
    // A release before this one has its shards without saying so here.
    const followed = new Set(await followedShards(db, home.count));
    const awaited = new Set(others.flatMap((other) => other.home));
    const due = unheld.filter((shardId) => {
      if (home.ids.includes(shardId)) return true;
      if (!followed.has(shardId) && !awaited.has(shardId)) {
        return this.#lasts(`shard ${shardId}`, 'unheld') > this.#timing.unheldFor;
      }
      this.#since.delete(`shard ${shardId}`);
      return false;
    });
    if (due.length > 0) await this.#take(due, null);
  }

  async #take(wanted: readonly number[], from: ShardHolder | null): Promise<void> {
    const { db, log, onTaken } = this.#settings;
    const taken = await takeShards(db.pool, this.#id, wanted, from);
    if (taken === null) throw new ShardsLost();
    if (taken.length === 0) return;
    for (const shardId of taken) this.#held.add(shardId);
    log.info({ shards: taken, from: from?.id ?? null }, 'this process has shards from now on');
    onTaken(taken);
  }

  /** Gives shards back to the process that is meant for them, once that one has proved to stay. */
  #giveBackTo(other: ShardHolder): void {
    const { home, log } = this.#settings;
    const isThere = this.#lasts(`of ${other.id}`, other.renewals) < this.#timing.longestGap;
    const stays = this.#lasts(`stay of ${other.id}`, String(isThere)) > this.#timing.givenBackAfter;
    if (!isThere || !stays || other.shardCount !== home.count) return;
    for (const shardId of other.home) {
      const isGuest = this.#held.has(shardId) && !home.ids.includes(shardId);
      if (!isGuest || this.#returning.has(shardId)) continue;
      log.info({ shard_id: shardId, to: other.id }, 'a shard goes back to the process that is meant for it');
      const returning = this.#return(shardId).catch((error: unknown) =>
        log.error({ err: error, shard_id: shardId }, 'a shard was not given back; trying again'),
      );
      this.#returning.set(shardId, returning);
      void returning.finally(() => this.#returning.delete(shardId));
    }
  }

  /** Says meanwhile that this process is there: commands that are running may take seconds. */
  async #return(shardId: number): Promise<void> {
    await this.#settings.onGiveBack(shardId);
    await giveShardsBack(this.#settings.db.pool, this.#id, [shardId]);
    this.#held.delete(shardId);
  }

  #forgetAllBut(holders: readonly ShardHolder[]): void {
    const ids = new Set(holders.map(({ id }) => id));
    for (const what of this.#since.keys()) {
      const [, id] = what.split('of ');
      if (id !== undefined && !ids.has(id)) this.#since.delete(what);
    }
    for (const id of this.#seenAlive) if (!ids.has(id)) this.#seenAlive.delete(id);
  }

  /** For how many milliseconds something has been in this state. */
  #lasts(what: string, state: string): number {
    const known = this.#since.get(what);
    if (known?.state === state) return this.#lookedAtMs - known.atMs;
    this.#since.set(what, { state, atMs: this.#lookedAtMs });
    return 0;
  }
}
