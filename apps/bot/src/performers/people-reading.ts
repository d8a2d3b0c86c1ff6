import { MOST_LINES, type Spared } from '@bailiff/core';
import type { ActionRecord } from '@bailiff/engine/calls/actions';
import type { Run } from '@bailiff/engine/worker/long-actions';
import { keepPage, keptPages } from './action-pages.ts';
import type { PerformerDeps } from './deps.ts';
import { isOver, readPatiently } from './long-requests.ts';

/** The longest page of members and of bans that Discord gives. */
const PAGE = 1_000;

/** One of Discord's lists of people, which are in the order of their ids. */
interface PeopleList<Item> {
  readonly name: 'members' | 'bans';
  readonly route: `/${string}`;
  /** Nobody else is looked for; null: everybody is. */
  readonly wanted: readonly string[] | null;
  /** Why somebody is spared, or null; undefined if they are not meant at all. */
  readonly judge: (item: Item) => Spared | null | undefined;
}

interface Person {
  readonly user_id: string;
  readonly spared: Spared | null;
}

/** How far a preview has read. It has no ids of people: those are in the action's pages. */
interface Position {
  readonly list: 'members' | 'bans';
  /** The last id of the list that was read. */
  readonly after: string;
  /** How many people were read, of both lists. */
  readonly read: number;
  readonly pages: number;
}

const START: Position = { list: 'members', after: '0', read: 0, pages: 0 };

/** The people of a preview, read page by page. Each stretch of work goes on where the last one was. */
export class PeopleReading {
  /** Who was found so far, and why they are spared; null if they are not. */
  readonly found = new Map<string, Spared | null>();
  readonly #deps: PerformerDeps;
  readonly #actionId: string;
  readonly #run: Run;
  #position: Position;
  /** Who was found since the last save. */
  #unsaved: Person[] = [];

  private constructor(deps: PerformerDeps, { id }: Pick<ActionRecord, 'id'>, run: Run) {
    this.#deps = deps;
    this.#actionId = id;
    this.#run = run;
    // What was saved is what `#save` saved.
    this.#position = (run.saved as Position | null) ?? START;
  }

  /** The reading with all that earlier stretches of work have found. */
  static async resume(
    deps: PerformerDeps,
    action: Pick<ActionRecord, 'id'>,
    run: Run,
  ): Promise<PeopleReading> {
    const reading = new PeopleReading(deps, action, run);
    const kept = run.saved === null ? [] : await keptPages<Person>(deps.db.pool, action.id);
    for (const { user_id, spared } of kept) reading.found.set(user_id, spared);
    return reading;
  }

  /**
   * Finds people in a list. Of wanted ids only, it skips what lies between them: no more pages are read than there are
   * ids, or than the list has. Members come before bans, so where bans were read already, there is nothing left to do.
   *
   * @throws DiscordFailure
   */
  async readThrough<Item extends { readonly user: { readonly id: string } }>(
    list: PeopleList<Item>,
  ): Promise<'read' | 'unfinished'> {
    if (this.#position.list !== list.name) {
      if (list.name === 'members') return 'read';
      this.#position = { ...this.#position, list: list.name, after: '0' };
    }
    const sought = list.wanted === null ? null : new Set(list.wanted);
    const left = list.wanted?.map(BigInt).sort((a, b) => (a < b ? -1 : 1)) ?? null;
    while (this.found.size < MOST_LINES) {
      const after = this.#nextAfter(left);
      if (after === null) break;
      const query = { limit: String(PAGE), after };
      const page = await readPatiently(this.#run, false, (waits) =>
        this.#deps.api.get<Item[]>(list.route, { ...waits, query }),
      );
      if (page === 'unfinished') return page;
      this.#take(page, list, sought);
      if (page.length < PAGE) break;
      await this.#save();
      if (this.#run.stop !== null || isOver(this.#run)) return 'unfinished';
    }
    return 'read';
  }

  /** The id behind which to read on; null if nobody is left to be looked for. */
  #nextAfter(left: readonly bigint[] | null): string | null {
    const { after } = this.#position;
    if (left === null) return after;
    const last = BigInt(after);
    const next = left.find((id) => id > last);
    return next === undefined ? null : String(next - 1n);
  }

  #take<Item extends { readonly user: { readonly id: string } }>(
    page: readonly Item[],
    { judge }: PeopleList<Item>,
    sought: ReadonlySet<string> | null,
  ): void {
    let after = BigInt(this.#position.after);
    for (const item of page) {
      const { id } = item.user;
      if (BigInt(id) > after) after = BigInt(id);
      const spared = (sought?.has(id) ?? true) ? judge(item) : undefined;
      if (spared === undefined) continue;
      this.found.set(id, spared);
      this.#unsaved.push({ user_id: id, spared });
    }
    this.#position = { ...this.#position, after: String(after), read: this.#position.read + page.length };
  }

  /** Keeps who was found before the position: if the process dies in between, the same page is written again. */
  async #save(): Promise<void> {
    if (this.#unsaved.length > 0) {
      await keepPage(this.#deps.db.pool, this.#actionId, this.#position.pages, this.#unsaved);
      this.#unsaved = [];
      this.#position = { ...this.#position, pages: this.#position.pages + 1 };
    }
    await this.#run.save(this.#position, { done: this.#position.read, of: null });
  }
}
