import { sql } from '@bailiff/prisma';

/**
 * The commands that write rows of a guild's mirror: `put` some of them, and `replace` all of them, which deletes the
 * others and leaves alone those of $3, such as those that an event changed meanwhile.
 *
 * @param insert the SQL that writes those of the rows in $2 that meet a condition
 */
export function mirroredRows<Row>(table: 'channels' | 'roles', insert: (condition: string) => string) {
  return {
    put: sql.command({ parameters: [sql.text, sql.jsonb<readonly Row[]>()], text: insert('true') }),
    replace: sql.command({
      parameters: [sql.text, sql.jsonb<readonly Row[]>(), sql.arrayOf(sql.text)],
      text: `WITH gone AS (
          DELETE FROM ${table} WHERE guild_id = $1 AND id <> ALL ($3)
            AND id NOT IN (SELECT id FROM jsonb_to_recordset($2) AS listed(id text)))
        ${insert('id <> ALL ($3)')}`,
    }),
  };
}
