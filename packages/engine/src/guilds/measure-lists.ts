import type { OutputOf } from '@bailiff/core';
import { type RowOf, sql } from '@bailiff/prisma';
import type { List } from '#src/calls/paging.ts';
import { type MeasureState, roleOfSubject } from './measures.ts';

const MEASURE = {
  id: sql.text,
  guild_id: sql.text,
  subject_id: sql.text,
  before: sql.jsonb<MeasureState>(),
  after: sql.jsonb<MeasureState>(),
  taken_at: sql.timestamptz.neverNull,
  expires_at: sql.timestamptz.orNull,
  set_by: sql.text,
  reason: sql.text.orNull,
};

/** The measures that are known to be in force, with the action that began each or gave it its present end. */
const IN_FORCE = `(SELECT m.action_id AS id, m.guild_id, m.kind, m.subject_id, m.before, m.after, m.taken_at, m.expires_at,
    a.actor_user_id AS set_by, a.input->>'reason' AS reason
  FROM measures m JOIN actions a ON a.id = m.action_id WHERE m.taken_at IS NOT NULL) AS in_force`;

const timesOf = ({ taken_at, expires_at }: RowOf<typeof MEASURE>) => ({
  at: taken_at.toISOString(),
  expiresAt: expires_at?.toISOString() ?? null,
});

/** Locks of channels and of the guild. */
export const LOCKS: List<typeof MEASURE, OutputOf<'channels.locks'>['data'][number]> = {
  name: 'channels.locks',
  from: IN_FORCE,
  columns: MEASURE,
  part: "kind = 'lock'",
  filters: {},
  wire: (row) => {
    const { at, expiresAt } = timesOf(row);
    return {
      channel_id: row.subject_id === row.guild_id ? null : row.subject_id,
      locked_by: row.set_by,
      locked_at: at,
      expires_at: expiresAt,
      reason: row.reason,
    };
  },
};

/** Slowmodes after which the one before comes back. */
export const SLOWMODES: List<typeof MEASURE, OutputOf<'channels.slowmodes'>['data'][number]> = {
  name: 'channels.slowmodes',
  from: IN_FORCE,
  columns: MEASURE,
  part: "kind = 'slowmode'",
  filters: {},
  wire: (row) => {
    const { at, expiresAt } = timesOf(row);
    return {
      channel_id: row.subject_id,
      seconds: row.after.seconds ?? 0,
      seconds_before: row.before.seconds ?? 0,
      set_by: row.set_by,
      set_at: at,
      expires_at: expiresAt,
      reason: row.reason,
    };
  },
};

/** Roles that members have for a while. */
export const GIVEN_ROLES: List<typeof MEASURE, OutputOf<'roles.list'>['data'][number]> = {
  name: 'roles.list',
  from: IN_FORCE,
  columns: MEASURE,
  part: "kind = 'role'",
  filters: { user_id: { column: "split_part(subject_id, ':', 1)", type: sql.text } },
  wire: (row) => {
    const { userId, roleId } = roleOfSubject(row.subject_id);
    const { at, expiresAt } = timesOf(row);
    return {
      user_id: userId,
      role_id: roleId,
      given_by: row.set_by,
      given_at: at,
      // A role that is given has an end.
      expires_at: expiresAt ?? at,
      reason: row.reason,
    };
  },
};
