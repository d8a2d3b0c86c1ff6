import type { OutputOf } from '@bailiff/core';
import { type Database, MemberEventKind, sql } from '@bailiff/prisma';
import type { Read } from '#src/calls/readers.ts';
import { coalesce, MOST_EVENTS_WAITING } from '#src/database/coalesce.ts';

/** What a bot saw of a member: that they joined or left, or with which names. */
export type SeenMember = { readonly guildId: string; readonly userId: string } & (
  | {
      readonly what: 'joined' | 'seen';
      readonly joinedAt: string | null;
      readonly username: string;
      readonly displayName: string;
    }
  | { readonly what: 'left' }
);

const keepEvents = sql.command({
  parameters: [sql.jsonb<readonly SeenMember[]>()],
  text: 'SELECT keep_member_events($1)',
});

/**
 * A function that keeps what was seen of a member. Events that come meanwhile share a statement, in which guilds take
 * turns, and behind too many an event is refused with DatabaseTooSlow.
 */
export function memberEventKeeper({ pool }: Pick<Database, 'pool'>): (seen: SeenMember) => Promise<void> {
  const keep = coalesce(
    async (seen: readonly SeenMember[]) => {
      await keepEvents.run(pool, [seen]);
      return seen.map(() => undefined);
    },
    1,
    { waiting: MOST_EVENTS_WAITING, turnOf: ({ guildId }) => guildId },
  );
  return (seen) => keep(seen);
}

/** How many events of a person are shown. */
const MOST_SHOWN = 50;

const EVENT = {
  kind: sql.oneOf({ MemberEventKind }),
  at: sql.timestamptz,
  username: sql.text.orNull,
  display_name: sql.text.orNull,
  old_username: sql.text.orNull,
  old_display_name: sql.text.orNull,
  missed_leave: sql.bool,
};

/** When a person joined and left, and under which names, the latest first. */
export function readMemberEvents(
  guildId: string,
  userId: string,
): Read<typeof EVENT, OutputOf<'members.events'>> {
  return {
    parameters: [sql.text, sql.text],
    columns: EVENT,
    // Who joins twice has left in between, and no bot saw it.
    text: `SELECT true AS found, kind, at, username, display_name, old_username, old_display_name,
        kind = 'joined' AND EXISTS (SELECT FROM (
          SELECT before.kind FROM member_events before
          WHERE before.guild_id = e.guild_id AND before.user_id = e.user_id AND before.at < e.at
            AND before.kind <> 'renamed'
          ORDER BY before.at DESC LIMIT 1) AS last WHERE last.kind = 'joined') AS missed_leave
      FROM member_events e WHERE guild_id = $1 AND user_id = $2 ORDER BY at DESC LIMIT ${MOST_SHOWN}`,
    values: [guildId, userId],
    mayBeEmpty: true,
    isQuick: true,
    answer: (rows) => ({ data: rows.map((row) => ({ ...row, at: row.at.toISOString() })) }),
  };
}
