import type { Call } from '@bailiff/core';
import { type Database, sql } from '@bailiff/prisma';
import type { ActionError, ActionRecord } from '#src/calls/actions.ts';
import { NOBODY_CAME } from '#src/calls/settle.ts';
import { submitCall, type WriteCall } from '#src/calls/submit.ts';
import { patience } from '#src/database/database-errors.ts';
import { inTransaction } from '#src/database/transaction.ts';
import { SANCTIONED } from './people-lists.ts';

/** The actions of a mass action under way at once, at most. Others of the guild have their turn in between. */
const OPEN_AT_ONCE = 3;
/** How often an effect is tried that certainly did not happen, for a reason that may pass. */
const MOST_ATTEMPTS = 5;
/** For so long since the mass action began, what waits for a limit of Discord does not count as an attempt. */
const LIMITED_FOR = '6 hours';
/** A limit of Discord is waited for as long as it says, and at most this long at a time. */
const LONGEST_WAIT_SECONDS = 3_600;
/** By then recovery has looked at what a dead worker left, and what certainly did not happen is tried again. */
const SURE_AFTER = '5 minutes';
/** Refusals of Discord that everybody else on the list would meet too. */
const FOR_ALL = `('BOT_MISSING_PERMISSION', 'BOT_TIMED_OUT', 'TWO_FACTOR_REQUIRED')`;

/** The work on a list: the one effect on each of its people, or undoing it. */
export type Work = 'do' | 'undo';

/** The ban or mute that this list gave somebody is in force, and nobody has replaced it since. */
const STILL_IN_FORCE = `EXISTS (SELECT FROM cases c WHERE c.guild_id = l.guild_id AND c.user_id = p.user_id
    AND c.action_id = p.action_id AND case_is_in_force(c.ended_at, c.expires_at))`;

/**
 * The column with the action of each work, and who may have one: before somebody's turn, and between two tries, a
 * moderator may have decided about them.
 */
const OWN = {
  do: { column: 'action_id', mass: 'taken_by', may: `NOT ${SANCTIONED}` },
  undo: { column: 'undo_action_id', mass: 'undone_by', may: STILL_IN_FORCE },
} as const satisfies Record<Work, { column: string; mass: string; may: string }>;

/** The seconds for which Discord keeps back what an action `a` asked for; null if it was not for a limit. */
const limitOf = (a: string) => `CASE
  WHEN ${a}.error->'details'->>'upstream' = 'discord' AND ${a}.error->'details'->'retry_after_seconds' IS NOT NULL
  THEN least((${a}.error->'details'->>'retry_after_seconds')::float, ${LONGEST_WAIT_SECONDS}) END`;

/** It was only kept back by a limit of Discord, which is no failure of this person's. */
const isLimited = `(${limitOf('a')} IS NOT NULL AND m.created_at > clock_timestamp() - interval '${LIMITED_FOR}')`;

const mayPass = `(a.state IN ('failed', 'cancelled') AND a.error->'details'->>'outcome' = 'not_performed'
  AND a.error->'details'->>'permanent' IS DISTINCT FROM 'true' AND (p.attempts < ${MOST_ATTEMPTS} OR ${isLimited}))`;

const peopleOf = (work: Work) => `FROM listed_people p JOIN person_lists l ON l.action_id = p.list_id
  JOIN actions m ON m.id = l.${OWN[work].mass} LEFT JOIN actions a ON a.id = p.${OWN[work].column}
  WHERE p.list_id = $1 AND p.spared IS NULL AND (a.state NOT IN ('failed', 'cancelled') OR ${OWN[work].may})`;

const countOf = (work: Work) =>
  sql.statement({
    parameters: [sql.text],
    columns: {
      done: sql.int,
      failed: sql.int,
      unknown: sql.int,
      unsure: sql.int,
      open: sql.int,
      left: sql.int,
      refusal: sql.jsonb<ActionError>().orNull,
    },
    text: `SELECT (count(*) FILTER (WHERE a.state = 'done'))::int AS done,
        (count(*) FILTER (WHERE a.state IN ('failed', 'cancelled') AND NOT coalesce(${mayPass}, false)))::int AS failed,
        (count(*) FILTER (WHERE a.state = 'unknown'))::int AS unknown,
        (count(*) FILTER (WHERE a.state = 'unknown' AND a.created_at > clock_timestamp() - interval '${SURE_AFTER}'))::int AS unsure,
        (count(*) FILTER (WHERE a.state IN ('pending', 'running')))::int AS open,
        (count(*) FILTER (WHERE a.id IS NULL OR ${mayPass}))::int AS left,
        (jsonb_agg(a.error) FILTER (WHERE a.error->'details'->>'reason' IN ${FOR_ALL}))->0 AS refusal
      ${peopleOf(work)}`,
  });

// A limit holds for all of the list: whoever asked meanwhile would be refused too.
const dueOf = (work: Work) =>
  sql.statement({
    parameters: [sql.text, sql.bigint],
    columns: { place: sql.int, user_id: sql.text.neverNull, counts: sql.int },
    text: `SELECT p.place, p.user_id, (NOT ${isLimited})::int AS counts ${peopleOf(work)}
        AND (a.id IS NULL OR ${mayPass} AND a.settled_at < clock_timestamp() - make_interval(secs => p.attempts * p.attempts))
        AND NOT EXISTS (SELECT FROM listed_people o JOIN actions e ON e.id = o.${OWN[work].column}
          WHERE o.list_id = $1 AND e.settled_at + make_interval(secs => ${limitOf('e')}) > clock_timestamp())
      ORDER BY p.place LIMIT $2 FOR UPDATE OF p`,
  });

const noteOf = (work: Work) =>
  sql.command({
    parameters: [sql.text, sql.int, sql.text, sql.int],
    text: `UPDATE listed_people SET ${OWN[work].column} = $3, attempts = attempts + $4
      WHERE list_id = $1 AND place = $2`,
  });

/** No worker has taken them up, and their time is over. */
const cancelLateOf = (work: Work) =>
  sql.command({
    parameters: [sql.text, sql.jsonb<ActionError>()],
    text: `SELECT settle_action(a.id, 'cancelled', NULL, $2) ${peopleOf(work)}
      AND a.state = 'pending' AND a.claim_by < clock_timestamp() - interval '1 second'`,
  });

const STATEMENTS = {
  do: { count: countOf('do'), due: dueOf('do'), note: noteOf('do'), cancelLate: cancelLateOf('do') },
  undo: {
    count: countOf('undo'),
    due: dueOf('undo'),
    note: noteOf('undo'),
    cancelLate: cancelLateOf('undo'),
  },
};

/**
 * Nobody on a list gets a direct message: Discord quarantines a bot that opens dozens of conversations (decisions:
 * Many at once). A row of before the action keeps every later one away.
 */
const tellNobody = sql.command({
  parameters: [sql.text],
  text: `INSERT INTO target_notices (action_id, state)
    SELECT a.id, 'not_sent' FROM actions a JOIN guilds g ON g.id = a.guild_id AND g.notifies_targets WHERE a.id = $1`,
});

/** How far the work on a list has got. */
export interface ManyCounts {
  readonly done: number;
  readonly failed: number;
  /** It is not known whether they happened. */
  readonly unknown: number;
  /** Those of them of which that will be known soon. */
  readonly unsure: number;
  /** Under way. */
  readonly open: number;
  /** Still to do. */
  readonly left: number;
  /** Why Discord refuses it to all of them; null if it does not. */
  readonly refusal: ActionError | null;
}

export function countsOf({ pool }: Pick<Database, 'pool'>, listId: string, work: Work): Promise<ManyCounts> {
  return STATEMENTS[work].count.only(pool, [listId]);
}

/** The one call on a person of a list. */
export type CallOnPerson = Call<'bans.add' | 'bans.lift' | 'mutes.add' | 'mutes.lift'>;

/**
 * Submits the next effects of a mass action, as actions of the system in the name of who asked for it. Each is recorded
 * in the transaction that links it to its line, so that nobody has two, whatever happens to this process.
 */
export async function submitNext(
  db: Database,
  mass: ActionRecord,
  { listId, work, open }: { readonly listId: string; readonly work: Work; readonly open: number },
  callOn: (userId: string) => CallOnPerson,
): Promise<void> {
  const { due, note, cancelLate } = STATEMENTS[work];
  if (open > 0) await cancelLate.run(db.pool, [listId, NOBODY_CAME]);
  if (open >= OPEN_AT_ONCE) return;
  const { guildId, actor, id: requestId } = mass;
  // Its id finds all of them in the audit log.
  const made = {
    guildId,
    actor: { source: 'system', userId: actor.userId },
    requestId,
    address: null,
  } as const;
  await inTransaction(db, async (tx) => {
    for (const { place, user_id: userId, counts } of await due.all(tx, [listId, OPEN_AT_ONCE - open])) {
      const call: WriteCall = { ...callOn(userId), ...made };
      const submitted = await submitCall(tx, '', call, patience());
      if ('refused' in submitted) throw submitted.refused;
      if (work === 'do') await tellNobody.run(tx, [submitted.actionId]);
      await note.run(tx, [listId, place, submitted.actionId, counts]);
    }
  });
}

const massOfAction = sql.statement({
  parameters: [sql.text, sql.text, sql.text, sql.text],
  columns: { operation: sql.text },
  text: `SELECT CASE WHEN p.action_id = $1 THEN l.kind || 's.add' ELSE l.kind || 's.lift' END AS operation
    FROM listed_people p JOIN person_lists l ON l.action_id = p.list_id AND l.guild_id = $2
    JOIN actions m ON m.id = CASE WHEN p.action_id = $1 THEN l.taken_by ELSE l.undone_by END
    WHERE (p.action_id = $1 AND ${OWN.do.may} OR p.undo_action_id = $1 AND ${OWN.undo.may})
      AND p.spared IS NULL AND p.user_id = $3 AND m.state = 'running' AND m.actor_user_id = $4`,
});

/**
 * Whether a system action is that of a person on the list of a mass action that runs now. While it waited for its turn,
 * a moderator may have banned or muted the person: that is neither replaced nor lifted.
 */
export async function isOfMany(
  { pool }: Pick<Database, 'pool'>,
  { id, guildId, operation, targetId, actor }: ActionRecord,
): Promise<boolean> {
  if (targetId === null) return false;
  const mass = await massOfAction.first(pool, [id, guildId, targetId, actor.userId]);
  return mass?.operation === operation;
}
