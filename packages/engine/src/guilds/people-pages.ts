import { type Database, sql } from '@bailiff/prisma';
import { pageInTurn } from '#src/database/in-turn.ts';
import { askMembers, MOST_FOUND } from './ask-people.ts';
import type { Viewer } from './guilds.ts';
import { MOST_PEOPLE, requireMembers } from './people.ts';
import {
  type AskingDiscord,
  askDiscord,
  type DiscordSaid,
  describePeople,
  type FoundPerson,
  readableBy,
} from './people-search.ts';

export interface PeoplePage {
  readonly people: readonly FoundPerson[];
  /** After whom the next page begins; null if nobody follows. */
  readonly next: string | null;
}

/** Before every id. */
export const FROM_THE_START = '0';

/** The person with the next id on record after `id`, an SQL expression. Each of the four reads one entry of an index. */
const nextAfter = (id: string) => `least(
  (SELECT c.user_id FROM cases c WHERE c.guild_id = $1 AND c.user_id > ${id} AND c.kind::text = ANY ($2)
   ORDER BY c.user_id LIMIT 1),
  (SELECT n.user_id FROM notes n WHERE n.guild_id = $1 AND n.user_id > ${id} ORDER BY n.user_id LIMIT 1),
  (SELECT i.user_id FROM identities i WHERE i.guild_id = $1 AND i.user_id > ${id} ORDER BY i.user_id LIMIT 1),
  (SELECT t.opened_by FROM tickets t WHERE $3 AND t.guild_id = $1 AND t.opened_by > ${id}
   ORDER BY t.opened_by LIMIT 1))`;

const onRecordAfter = sql.statement({
  parameters: [sql.text, sql.arrayOf(sql.text), sql.bool, sql.text],
  columns: { user_id: sql.text },
  // One person after the other, so that it does not matter how many records each has.
  text: `WITH RECURSIVE found (user_id, place) AS (
      SELECT ${nextAfter('$4')}, 1
      UNION ALL
      SELECT ${nextAfter('found.user_id')}, place + 1 FROM found
      WHERE found.user_id IS NOT NULL AND place <= ${MOST_PEOPLE})
    SELECT user_id FROM found WHERE user_id IS NOT NULL ORDER BY place`,
});

/**
 * Everybody of whom a guild has a case, note or ticket that the viewer may read, in the order of their ids.
 *
 * @throws ApiError CAPABILITY_DENIED
 */
export async function peopleOnRecord(db: Database, viewer: Viewer, after: string): Promise<PeoplePage> {
  requireMembers(viewer);
  const rows = await pageInTurn(db, viewer.id, () =>
    onRecordAfter.all(db.pool, [viewer.id, ...readableBy(viewer), after]),
  );
  const ids = rows.map(({ user_id }) => user_id).slice(0, MOST_PEOPLE);
  return {
    people: await describePeople(db, viewer, ids),
    next: rows.length > ids.length ? (ids.at(-1) ?? null) : null,
  };
}

/**
 * Everybody in a guild, in the order of their ids, as Discord lists them. Nobody if Discord did not answer.
 *
 * @throws ApiError CAPABILITY_DENIED
 */
export async function peopleInGuild(
  db: Database,
  viewer: Viewer,
  after: string,
  asking: AskingDiscord | undefined,
): Promise<PeoplePage & { readonly discord: DiscordSaid }> {
  requireMembers(viewer);
  const { discord, heard } = await askDiscord(asking, ({ waiters }) =>
    askMembers({ db, waiters }, { guildId: viewer.id, after }),
  );
  if (heard === undefined || heard === null)
    return { people: [], next: null, discord: discord === 'answered' ? 'no_answer' : discord };
  const ids = heard.map(({ user_id }) => user_id);
  // An answer without roles was cut to fit, so somebody may follow.
  const isLast = heard.length < MOST_FOUND && heard.every(({ role_ids }) => role_ids !== null);
  return {
    people: await describePeople(db, viewer, ids, heard),
    next: isLast ? null : (ids.at(-1) ?? null),
    discord,
  };
}
