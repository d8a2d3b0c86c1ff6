import { encodeCursor, type InputOf, type OutputOf, type Spared } from '@bailiff/core';
import { ActionState, type Database, ListKind, sql } from '@bailiff/prisma';
import { absent } from '#src/calls/absent.ts';
import { forbidden, notFound } from '#src/calls/action-errors.ts';
import type { ActionError, ActionRecord } from '#src/calls/actions.ts';
import { startOfPage } from '#src/calls/paging.ts';
import type { Read } from '#src/calls/readers.ts';
import type { Transaction } from '#src/database/transaction.ts';

/** A line of a list, and why it is left alone; null if it is not. */
export interface Listed {
  readonly line: number;
  readonly user_id: string | null;
  readonly spared: Spared | null;
}

/** How long a preview can be acted on. */
export const USABLE_MS = 3_600_000;
/** How many previews that nobody acted on a person keeps in a guild, and each of their tokens for itself. */
const MOST_UNTAKEN = 20;
/** How many others go with each new one, because each may have 10,000 lines. */
const MOST_DROPPED = 5;

// What was pasted may name people in other words. The list has their ids, and the text is not kept beside it.
const keepList = sql.command({
  parameters: [sql.text, sql.text, sql.oneOf({ ListKind }), sql.int, sql.jsonb<readonly Listed[]>()],
  text: `WITH list AS (
      INSERT INTO person_lists (action_id, guild_id, kind, people) VALUES ($1, $2, $3, $4) RETURNING action_id),
    forgotten AS (UPDATE actions SET input = input - 'users' WHERE id = $1)
    INSERT INTO listed_people (list_id, place, line, user_id, spared)
    SELECT list.action_id, named.place, (named.each->>'line')::int, named.each->>'user_id',
      (named.each->>'spared')::"ListSpared"
    FROM list, jsonb_array_elements($5) WITH ORDINALITY AS named (each, place)`,
});

const dropOldest = sql.command({
  parameters: [sql.text, sql.text],
  text: `DELETE FROM person_lists WHERE action_id IN (
      SELECT l.action_id FROM actions made
      JOIN actions a ON a.actor_user_id = made.actor_user_id AND a.token_id IS NOT DISTINCT FROM made.token_id
      JOIN person_lists l ON l.action_id = a.id
      WHERE made.id = $1 AND l.guild_id = $2 AND l.taken_by IS NULL
        -- The owner decides about exactly these people.
        AND NOT EXISTS (SELECT FROM approval_requests r
          WHERE r.guild_id = $2 AND r.target_id = l.action_id AND r.expires_at > now())
      ORDER BY l.created_at DESC OFFSET ${MOST_UNTAKEN} LIMIT ${MOST_DROPPED} FOR UPDATE OF l SKIP LOCKED)`,
});

/** Keeps the list of a preview, which nothing changes any more, in the transaction that settles it. */
export async function keepPeople(
  tx: Transaction,
  { id, guildId }: Pick<ActionRecord, 'id' | 'guildId'>,
  kind: ListKind,
  people: readonly Listed[],
): Promise<void> {
  const count = people.filter(({ spared }) => spared === null).length;
  await keepList.run(tx, [id, guildId, kind, count, people]);
  await dropOldest.run(tx, [id, guildId]);
}

const listOfPreview = sql.statement({
  parameters: [sql.text, sql.text, sql.oneOf({ ListKind })],
  columns: { people: sql.int, taken_by: sql.text.orNull, actor_user_id: sql.text, is_old: sql.bool },
  text: `SELECT l.people, l.taken_by, a.actor_user_id,
      l.created_at < clock_timestamp() - interval '${USABLE_MS} milliseconds' AS is_old
    FROM person_lists l JOIN actions a ON a.id = l.action_id
    WHERE l.action_id = $1 AND l.guild_id = $2 AND l.kind = $3 FOR UPDATE OF l`,
});

const takeList = sql.command({
  parameters: [sql.text, sql.text],
  text: 'UPDATE person_lists SET taken_by = $2 WHERE action_id = $1',
});

/** Whether a person `p` of a list `l` has a ban or mute in force, like those that the list gives. An import gives none. */
export const SANCTIONED = `EXISTS (SELECT FROM cases c WHERE c.guild_id = l.guild_id AND c.user_id = p.user_id
    AND c.kind::text = l.kind::text AND case_is_in_force(c.ended_at, c.expires_at)
    AND case_is_enforced(c.id, c.import_id))`;

/** Who was banned or muted since the preview, but not by its list, is left to whoever did that. */
export const spareSanctioned = sql.command({
  parameters: [sql.text],
  text: `UPDATE listed_people p SET spared = 'already' FROM person_lists l
    WHERE l.action_id = $1 AND p.list_id = l.action_id AND p.spared IS NULL
      AND NOT EXISTS (SELECT FROM actions a WHERE a.id = p.action_id AND a.state NOT IN ('failed', 'cancelled'))
      AND ${SANCTIONED}`,
});

interface Taken {
  readonly listId: string;
}

/** Takes the list of a preview for the one action that may act on it; or why that may not. */
export async function takePreview(
  tx: Transaction,
  action: ActionRecord,
  kind: ListKind,
  { preview_id: listId, count }: { readonly preview_id: string; readonly count: number },
): Promise<Taken | { readonly error: ActionError }> {
  const list = await listOfPreview.first(tx, [listId, action.guildId, kind]);
  // A preview is for who asked for it.
  if (list === null || list.actor_user_id !== action.actor.userId)
    return { error: notFound('preview', listId) };
  if (list.taken_by === action.id) return { listId };
  if (list.taken_by !== null || list.is_old) return { error: forbidden('PREVIEW_LAPSED') };
  if (list.people !== count) return { error: forbidden('COUNT_DIFFERS') };
  await takeList.run(tx, [listId, action.id]);
  await spareSanctioned.run(tx, [listId]);
  return { listId };
}

const listOfMass = sql.statement({
  parameters: [sql.text, sql.text, sql.oneOf({ ListKind })],
  columns: { action_id: sql.text, undone_by: sql.text.orNull, is_running: sql.bool, is_undone_now: sql.bool },
  text: `SELECT l.action_id, l.undone_by, a.state IN ('pending', 'running') AS is_running,
      EXISTS (SELECT FROM actions u WHERE u.id = l.undone_by AND u.state = 'running') AS is_undone_now
    FROM person_lists l JOIN actions a ON a.id = l.taken_by
    WHERE l.taken_by = $1 AND l.guild_id = $2 AND l.kind = $3 FOR UPDATE OF l`,
});

const undoList = sql.command({
  parameters: [sql.text, sql.text],
  text: 'UPDATE person_lists SET undone_by = $2 WHERE action_id = $1',
});

/** Those whom an earlier undoing could not release are tried again. */
const beginAgain = sql.command({
  parameters: [sql.text],
  text: `UPDATE listed_people p SET undo_action_id = NULL, attempts = 0 WHERE p.list_id = $1
    AND NOT EXISTS (SELECT FROM actions u WHERE u.id = p.undo_action_id AND u.state IN ('done', 'unknown'))`,
});

/** Takes the list of a mass ban or mute for the action that undoes it; or why that may not. */
export async function takeMass(
  tx: Transaction,
  action: ActionRecord,
  kind: ListKind,
  massId: string,
): Promise<Taken | { readonly error: ActionError }> {
  const list = await listOfMass.first(tx, [massId, action.guildId, kind]);
  if (list === null) return { error: notFound('action', massId) };
  const { action_id: listId } = list;
  if (list.undone_by === action.id) return { listId };
  if (list.is_running || list.is_undone_now) return { error: forbidden('STILL_RUNNING') };
  await undoList.run(tx, [listId, action.id]);
  await beginAgain.run(tx, [listId]);
  return { listId };
}

/** What became of a line of a list, and why it failed. */
export type ListedPerson = Omit<OutputOf<'actions.people'>['data'][number], 'error'> & {
  readonly error: ActionError | null;
};

const PEOPLE = { people: sql.jsonb<ListedPerson[]>() };

/** Longer than any list. A cursor made by hand can hold any number. */
const MOST_PLACES = 1_000_000;

const PAGE_OF_PEOPLE = `SELECT true AS found, (
        SELECT coalesce(jsonb_agg(jsonb_build_object('line', p.line, 'user_id', p.user_id, 'spared', p.spared,
          'state', CASE
            WHEN p.spared IS NOT NULL THEN NULL
            WHEN u.state = 'done' THEN 'undone'
            WHEN a.state IN ('done', 'failed', 'unknown') THEN a.state::text
            WHEN a.state = 'cancelled' THEN 'failed'
            WHEN a.id IS NULL AND m.state NOT IN ('pending', 'running') THEN 'not_tried'
            ELSE 'waiting' END,
          'error', CASE WHEN p.spared IS NULL THEN coalesce(u.error, a.error) END,
          'case_number', (SELECT c.case_number FROM cases c
            WHERE c.guild_id = $1 AND c.user_id = p.user_id AND c.action_id = p.action_id)) ORDER BY p.place), '[]')
        FROM listed_people p
        LEFT JOIN actions a ON a.id = p.action_id
        LEFT JOIN actions u ON u.id = p.undo_action_id
        WHERE p.list_id = l.action_id AND p.place > $3 AND p.place <= $3 + $4) AS people
      FROM person_lists l LEFT JOIN actions m ON m.id = l.taken_by
      WHERE l.guild_id = $1 AND (l.action_id = $2 OR l.taken_by = $2 OR l.undone_by = $2)`;

const everyLine = sql.statement({
  parameters: [sql.text, sql.text, sql.int, sql.int],
  columns: { found: sql.bool, ...PEOPLE },
  text: PAGE_OF_PEOPLE,
});

/** What became of each line of the list of an action. */
export async function everybodyListed(
  { pool }: Pick<Database, 'pool'>,
  guildId: string,
  actionId: string,
): Promise<ListedPerson[]> {
  return (await everyLine.first(pool, [guildId, actionId, 0, MOST_PLACES]))?.people ?? [];
}

/** A page of what became of each line of a list. Its cursor holds the place before it, written as an id. */
export function readPeople(
  guildId: string,
  input: InputOf<'actions.people'>,
): Read<typeof PEOPLE, OutputOf<'actions.people'>> {
  const list = 'actions.people';
  const { actionId, limit } = input;
  const start = startOfPage({ name: list }, guildId, input);
  const before =
    start === null ? 0 : Math.min(Number.parseInt(start.id.slice('act_'.length), 16), MOST_PLACES);
  return {
    parameters: [sql.text, sql.text, sql.int, sql.int],
    columns: PEOPLE,
    text: PAGE_OF_PEOPLE,
    values: [guildId, actionId, before, limit + 1],
    mayBeEmpty: false,
    isQuick: false,
    answer: ([row]) => {
      const { people } = row ?? absent('action', actionId);
      const after = `act_${(before + limit).toString(16).padStart(32, '0')}`;
      return {
        data: people
          .slice(0, limit)
          .map(({ error, ...person }) => ({ ...person, error: error?.message ?? null })),
        next_cursor:
          people.length > limit ? encodeCursor({ list, guildId, filters: { actionId }, after }) : null,
      };
    },
  };
}

const MOST_RECENT = 25;

const recent = sql.statement({
  parameters: [sql.text, sql.oneOf({ ListKind }), sql.bigint],
  columns: {
    id: sql.text,
    people: sql.int,
    created_at: sql.timestamptz,
    reason: sql.text.orNull,
    by: sql.text,
    undoing: sql.oneOf({ ActionState }).orNull,
  },
  text: `SELECT a.id, l.people, a.created_at, a.input->>'reason' AS reason, a.actor_user_id AS by, u.state AS undoing
    FROM person_lists l JOIN actions a ON a.id = l.taken_by LEFT JOIN actions u ON u.id = l.undone_by
    WHERE l.guild_id = $1 AND l.kind = $2 ORDER BY l.created_at DESC LIMIT $3`,
});

/** The latest mass actions of a guild that can be undone, newest first. */
export function recentMasses({ pool }: Pick<Database, 'pool'>, guildId: string, kind: ListKind) {
  return recent.all(pool, [guildId, kind, MOST_RECENT]);
}
