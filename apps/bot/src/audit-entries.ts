import type { ManualAction } from '@bailiff/engine/cases/by-hand';
import { AuditLogEvent } from 'discord.js';
import { z } from 'zod';
import type { Logger } from './log.ts';

const DISCORD_EPOCH_MS = 1_420_070_400_000n;
const Id = z.string().regex(/^\d+$/);

/** What is used of an entry in a guild's audit log at Discord. Events and REST send the same. */
const AuditEntry = z.looseObject({
  id: Id,
  action_type: z.number(),
  /** Absent or null where the entry is about nobody, or Discord does not say who did it. */
  target_id: Id.nullish(),
  user_id: Id.nullish(),
  reason: z.string().nullish(),
  changes: z
    .array(
      z.looseObject({
        key: z.string(),
        old_value: z.unknown().optional(),
        new_value: z.unknown().optional(),
      }),
    )
    .optional(),
});
export type AuditEntry = z.output<typeof AuditEntry>;

/** The entry, or null, with a line in the log, if it lacks something. One that nobody can use keeps no other waiting. */
export function auditEntryOf(log: Logger, guildId: string, given: unknown): AuditEntry | null {
  const entry = AuditEntry.safeParse(given);
  if (entry.success) return entry.data;
  const [{ path, message } = { path: [], message: '' }] = entry.error.issues;
  log.warn(
    { guild_id: guildId, problem: `${path.join('.')}: ${message}` },
    'an entry of an audit log was left out',
  );
  return null;
}

/** When Discord made a snowflake, in milliseconds since 1970. */
export const timeOf = (snowflake: string): number => Number((BigInt(snowflake) >> 22n) + DISCORD_EPOCH_MS);

/** The manual action that an entry describes. Null for any other entry, and for the bot's own actions. */
export function manualActionOf(guildId: string, entry: AuditEntry, botUserId: string): ManualAction | null {
  const { target_id: userId, user_id: by } = entry;
  if (userId == null || by === botUserId) return null;
  const action = {
    guildId,
    entryId: entry.id,
    userId,
    // If Discord names nobody, the bot that found the entry is named.
    by: by ?? botUserId,
    reason: entry.reason ?? null,
    at: new Date(timeOf(entry.id)),
  };
  switch (entry.action_type) {
    case AuditLogEvent.MemberBanAdd:
      return { ...action, operation: 'bans.add', until: null };
    case AuditLogEvent.MemberBanRemove:
      return { ...action, operation: 'bans.lift', until: null };
    case AuditLogEvent.MemberUpdate: {
      const change = entry.changes?.find(({ key }) => key === 'communication_disabled_until');
      if (change === undefined) return null;
      const until = momentOf(change.new_value);
      // Nobody can say whether it is given or taken off.
      if (until === 'unreadable') return null;
      if (until !== null && until > action.at) return { ...action, operation: 'mutes.add', until };
      const was = momentOf(change.old_value);
      return { ...action, operation: 'mutes.lift', until: was instanceof Date ? was : action.at };
    }
    default:
      return null;
  }
}

/** Null for what is no text: Discord says so of a timeout that there is none. */
function momentOf(value: unknown): Date | 'unreadable' | null {
  if (typeof value !== 'string') return null;
  const moment = new Date(value);
  return Number.isNaN(moment.getTime()) ? 'unreadable' : moment;
}
