import type { OutputOf } from '@bailiff/core';
import { sql } from '@bailiff/prisma';
import { absent } from './absent.ts';
import type { Read } from './readers.ts';

const MEMBER = {
  username: sql.text.orNull,
  display_name: sql.text.orNull,
  role_ids: sql.arrayOf(sql.text).orNull,
  joined_at: sql.timestamptz.orNull,
  strikes: sql.int,
  bans: sql.int,
  mutes: sql.int,
  tickets: sql.int,
};

/** A person's membership and how many records they have. */
export function readMember(guildId: string, userId: string): Read<typeof MEMBER, OutputOf<'members.get'>> {
  return {
    parameters: [sql.text, sql.text],
    columns: MEMBER,
    text: `SELECT true AS found, m.username, m.display_name, m.role_ids, m.joined_at, c.*,
             (SELECT count(*)::int FROM tickets WHERE guild_id = $1 AND opened_by = $2) AS tickets
           FROM (SELECT count(*) FILTER (WHERE kind = 'strike')::int AS strikes,
                        count(*) FILTER (WHERE kind = 'ban')::int AS bans,
                        count(*) FILTER (WHERE kind = 'mute')::int AS mutes
                 FROM cases WHERE guild_id = $1 AND user_id = $2) AS c
           LEFT JOIN members m ON m.guild_id = $1 AND m.user_id = $2
           WHERE m.user_id IS NOT NULL OR strikes + bans + mutes > 0
             OR EXISTS (SELECT FROM tickets WHERE guild_id = $1 AND opened_by = $2)`,
    values: [guildId, userId],
    mayBeEmpty: false,
    isQuick: true,
    member: { userId, isOpen: ([row]) => row?.username == null },
    answer: ([row], { heard }) => {
      const { strikes, bans, mutes, tickets } = row ?? (heard ? NO_RECORD : absent('member', userId));
      const isMirrored = row?.username != null;
      return {
        user_id: userId,
        username: row?.username ?? heard?.username ?? null,
        display_name: row?.display_name ?? heard?.display_name ?? null,
        in_guild: isMirrored || (heard === undefined ? null : heard !== null),
        role_ids: [...(row?.role_ids ?? heard?.role_ids ?? [])],
        joined_at: isoOf(row?.joined_at ?? heard?.joined_at ?? null),
        counts: { strikes, bans, mutes, tickets },
      };
    },
  };
}

const NO_RECORD = { strikes: 0, bans: 0, mutes: 0, tickets: 0 };

function isoOf(moment: Date | string | null): string | null {
  return moment === null ? null : new Date(moment).toISOString();
}
