import type { Database } from '@bailiff/prisma';
import { perOwner } from './coalesce.ts';
import { DatabaseTooSlow, type Patience } from './database-errors.ts';
import { GuildLane } from './guild-lane.ts';

/**
 * Slow statements, such as lists with filters, run beside the quick ones: few of them, and one of a guild at a time. A
 * guild's budget lets 120 of them come at once.
 */
const BOUNDS = { slots: 4, ofGuild: 1, waitingOfGuild: 120 };

interface Waiting {
  readonly guildId: string;
  readonly begin: () => Promise<void>;
}

const lanes = perOwner((_db: Database) => new GuildLane<Waiting>(BOUNDS));

/**
 * Runs a slow statement when its guild's turn has come.
 *
 * @param forStore how long its caller waits for it
 * @throws DatabaseTooSlow if too many of the guild wait, or the turn came too late. Then it was not run.
 */
export function inTurn<T>(
  db: Database,
  guildId: string,
  forStore: Patience,
  run: () => Promise<T>,
): Promise<T> {
  const lane = lanes(db);
  const beginNext = () => {
    for (let next = lane.next(); next !== null; next = lane.next()) void next.begin();
  };
  return new Promise((resolve, reject) => {
    const begin = async () => {
      try {
        if (forStore.leftMs() === 0) throw new DatabaseTooSlow();
        resolve(await run());
      } catch (error) {
        reject(error);
      } finally {
        lane.end(guildId);
        beginNext();
      }
    };
    if (lane.add({ guildId, begin })) beginNext();
    else reject(new DatabaseTooSlow());
  });
}
