import type { Member, User } from './model.ts';

export interface CrowdOptions {
  readonly count: number;
  /** The lowest user id. The others follow it. */
  readonly firstUserId: string;
  readonly rolesOf: (index: number) => string[];
}

/** One member in so many takes no direct messages. */
const CLOSED_TO_DMS = 4;
const JOINED_AT = '2026-01-01T00:00:00.000000+00:00';

/**
 * The members of a large guild. They are computed when somebody asks for them; only those that were looked up, joined or
 * left take memory. So a guild of 300,000 members needs no more than a small one.
 */
export class Crowd extends Map<string, Member> {
  readonly #options: CrowdOptions;
  readonly #first: bigint;
  readonly #gone = new Set<string>();
  /** Members who joined: their ids are not among the computed ones. */
  #joined = 0;

  constructor(options: CrowdOptions) {
    super();
    this.#options = options;
    this.#first = BigInt(options.firstUserId);
  }

  override get size(): number {
    return this.#options.count - this.#gone.size + this.#joined;
  }

  override has(id: string): boolean {
    return super.has(id) || (this.#indexOf(id) !== null && !this.#gone.has(id));
  }

  /** The member, who is kept from now on, because a caller may change them. */
  override get(id: string): Member | undefined {
    const kept = super.get(id);
    const index = this.#indexOf(id);
    if (kept !== undefined || index === null || this.#gone.has(id)) return kept;
    const member = this.#make(index);
    super.set(id, member);
    return member;
  }

  override set(id: string, member: Member): this {
    if (!this.has(id) && this.#indexOf(id) === null) this.#joined += 1;
    this.#gone.delete(id);
    return super.set(id, member);
  }

  override delete(id: string): boolean {
    if (!this.has(id)) return false;
    if (this.#indexOf(id) === null) this.#joined -= 1;
    else this.#gone.add(id);
    super.delete(id);
    return true;
  }

  /** Members in the order of their ids, after one of them. */
  page(after: string, limit: number): Member[] {
    const start = BigInt(after) - this.#first + 1n;
    const from = start < 0n ? 0 : Number(start);
    const members = [...super.values()].filter(
      ({ user }) => this.#indexOf(user.id) === null && BigInt(user.id) > BigInt(after),
    );
    for (let index = from; index < this.#options.count && members.length < limit + this.#joined; index += 1) {
      const id = this.#idOf(index);
      if (!this.#gone.has(id)) members.push(super.get(id) ?? this.#make(index));
    }
    return members.toSorted((a, b) => (BigInt(a.user.id) < BigInt(b.user.id) ? -1 : 1)).slice(0, limit);
  }

  /** The members who are kept: the page and the sandbox's state show no others. */
  kept(): Member[] {
    return [...super.values()];
  }

  override *values(): MapIterator<Member> {
    let after = '0';
    for (let page = this.page(after, 1000); page.length > 0; page = this.page(after, 1000)) {
      yield* page;
      after = page.at(-1)?.user.id ?? after;
    }
  }

  override *keys(): MapIterator<string> {
    for (const { user } of this.values()) yield user.id;
  }

  override *entries(): MapIterator<[string, Member]> {
    for (const member of this.values()) yield [member.user.id, member];
  }

  override [Symbol.iterator](): MapIterator<[string, Member]> {
    return this.entries();
  }

  #idOf(index: number): string {
    return String(this.#first + BigInt(index));
  }

  #indexOf(id: string): number | null {
    if (!/^\d{17,20}$/.test(id)) return null;
    const offset = BigInt(id) - this.#first;
    return offset >= 0n && offset < BigInt(this.#options.count) ? Number(offset) : null;
  }

  #make(index: number): Member {
    const id = this.#idOf(index);
    const user: User = {
      id,
      username: `member.${id.slice(-9)}`,
      globalName: null,
      bot: false,
      email: null,
      acceptsDms: index % CLOSED_TO_DMS !== 0,
    };
    return {
      user,
      nick: null,
      roleIds: this.#options.rolesOf(index),
      joinedAt: JOINED_AT,
      timeoutUntil: null,
      pending: false,
    };
  }
}
