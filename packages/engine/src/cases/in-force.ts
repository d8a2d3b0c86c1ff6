import { CaseKind, type Database, type RowOf, sql } from '@bailiff/prisma';
import { mayBeNamed } from '#src/guilds/people-search.ts';
import { LASTING, NOT_LIFTED, RUNNING } from './case-search.ts';

/**
 * How many permanent cases are looked at, the latest first, and how many that end, those that last longest first. Whoever
 * types a person's id needs none of them.
 */
const MOST_LOOKED_AT = 1_000;
/** As many as Discord shows as suggestions. */
const MOST_FOUND = 25;

const PERSON = {
  user_id: sql.text,
  case_number: sql.int,
  username: sql.text.orNull,
  display_name: sql.text.orNull,
};

/** Some of the cases in force, in the order of an index: a guild may have many times more that are over. */
const looked = (standing: string, order: string) =>
  `(SELECT guild_id, user_id, case_number, issued_at FROM cases WHERE guild_id = $1 AND kind = $2 AND ${standing}
    ORDER BY ${order} DESC LIMIT ${MOST_LOOKED_AT})`;

const peopleInForce = sql.statement({
  parameters: [sql.text, sql.oneOf({ CaseKind }), sql.text],
  columns: PERSON,
  text: `SELECT c.user_id, c.case_number, coalesce(m.username, k.username) AS username,
      coalesce(m.display_name, k.display_name) AS display_name
    FROM (${looked(LASTING, 'issued_at')} UNION ALL ${looked(RUNNING, 'expires_at')}) AS c
    LEFT JOIN members m ON m.guild_id = c.guild_id AND m.user_id = c.user_id
    LEFT JOIN known_names k ON k.user_id = c.user_id AND c.guild_id = ANY (k.guild_ids)
    WHERE $3 IN ('', c.user_id, c.case_number::text)
      OR strpos(name_to_search(coalesce(m.username, k.username)), name_part($3)) > 0
      OR strpos(name_to_search(coalesce(m.display_name, k.display_name)), name_part($3)) > 0
    ORDER BY c.issued_at DESC, c.case_number DESC LIMIT ${MOST_FOUND}`,
});

/** Rows of a table of names whose whole name is $3, as it is searched for. */
const called = (table: string, guildIds: string) =>
  `SELECT n.user_id, n.username, n.display_name FROM ${table} n
   WHERE ${mayBeNamed(guildIds, 'name_to_search($3)')}
     AND name_to_search($3) IN (name_to_search(n.username), name_to_search(n.display_name))`;

/**
 * All people are looked at, not the latest cases: of two namesakes one may have been banned years ago. A ban that has run
 * out and that the bot could not lift stands all the same.
 */
const peopleCalled = sql.statement({
  parameters: [sql.text, sql.oneOf({ CaseKind }), sql.text],
  columns: { user_id: sql.text, username: sql.text, display_name: sql.text },
  // The best plan depends on the name.
  prepared: false,
  text: `SELECT p.user_id, p.username, p.display_name
    FROM (${called('members', 'ARRAY[n.guild_id]')} UNION ALL ${called('known_names', 'n.guild_ids')}
      AND NOT EXISTS (SELECT FROM members m WHERE m.guild_id = $1 AND m.user_id = n.user_id)) AS p
    WHERE EXISTS (SELECT FROM cases WHERE guild_id = $1 AND user_id = p.user_id AND kind = $2
      AND (${LASTING} OR ${RUNNING} OR $2 = 'ban' AND ${NOT_LIFTED}))
    LIMIT 2`,
});

/** A person with a case that is in force. The names are null if they are not known. */
export interface PersonInForce {
  readonly userId: string;
  readonly caseNumber: number;
  readonly username: string | null;
  readonly displayName: string | null;
}

/** Who has a case of a kind in force, by a part of their name, their id or the case's number; without a text the latest. */
export async function peopleWithCase(
  { pool }: Pick<Database, 'pool'>,
  guildId: string,
  kind: CaseKind,
  text: string,
): Promise<PersonInForce[]> {
  return (await peopleInForce.all(pool, [guildId, kind, text.trim()])).map(personOf);
}

/**
 * The id of the only person with a case of a kind in force whose username or display name is this one; null if there is
 * none, or another whose name differs in accents or styled letters at most.
 */
export async function personCalled(
  { pool }: Pick<Database, 'pool'>,
  guildId: string,
  kind: CaseKind,
  name: string,
): Promise<string | null> {
  const [person, ...others] = await peopleCalled.all(pool, [guildId, kind, name]);
  if (person === undefined || others.length > 0) return null;
  const isIt = (own: string) => own.toLowerCase() === name.toLowerCase();
  return isIt(person.username) || isIt(person.display_name) ? person.user_id : null;
}

function personOf({ user_id, case_number, username, display_name }: RowOf<typeof PERSON>): PersonInForce {
  return { userId: user_id, caseNumber: case_number, username, displayName: display_name };
}
