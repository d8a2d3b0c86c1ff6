import type { CaseKind } from '@bailiff/core';
import { type Database, type Queryable, sql } from '@bailiff/prisma';

/** What Discord says about a person whom a call is about, when the call was made. */
export interface HeardSubject {
  readonly inGuild: boolean;
  /** Null for an id that nobody has. */
  readonly username: string | null;
  readonly displayName: string | null;
  readonly avatarHash: string | null;
  readonly roleIds: readonly string[];
  /** ISO 8601; null for somebody who is not in the guild. */
  readonly joinedAt: string | null;
}

/** SQL for the person whom the call of the request `a` is about; null if it is about nobody. */
const PERSON = `CASE
    WHEN a.target_type = 'user' THEN a.target_id
    WHEN a.target_type IN ('strike', 'warning', 'case') THEN
      (SELECT user_id FROM cases c WHERE c.guild_id = a.guild_id AND c.id = a.target_id)
    WHEN a.target_type = 'appeal' THEN
      (SELECT user_id FROM appeals p WHERE p.guild_id = a.guild_id AND p.id = a.target_id)
    -- Whom it is about, not who made it.
    WHEN a.target_type = 'report' THEN
      (SELECT user_id FROM reports r WHERE r.guild_id = a.guild_id AND r.id = a.target_id) END`;

const subjectOfRequest = sql.statement({
  parameters: [sql.text],
  columns: { guild_id: sql.text, user_id: sql.text.neverNull },
  text: `SELECT a.guild_id, u.user_id FROM approval_requests a CROSS JOIN LATERAL (SELECT ${PERSON} AS user_id) AS u
    WHERE a.id = $1 AND u.user_id IS NOT NULL AND a.state = 'pending' AND a.expires_at > clock_timestamp()`,
});

/** The person whom a call is about, while it waits for approval; null afterwards, and if it is about nobody. */
export async function waitingSubject(
  db: Queryable,
  approvalId: string,
): Promise<{ guildId: string; userId: string } | null> {
  const row = await subjectOfRequest.first(db, [approvalId]);
  return row === null ? null : { guildId: row.guild_id, userId: row.user_id };
}

const putSubject = sql.command({
  parameters: [sql.text, sql.jsonb<HeardSubject>()],
  text: `WITH kept AS (UPDATE approval_requests SET subject = $2 WHERE id = $1 RETURNING id, guild_id)
    SELECT tell('approval', guild_id, jsonb_build_object('id', id)) FROM kept`,
});

/** Stores with a request what Discord says about the person whom its call is about. False if the request is gone. */
export async function keepSubject(db: Queryable, approvalId: string, heard: HeardSubject): Promise<boolean> {
  return (await putSubject.run(db, [approvalId, heard])) === 1;
}

/** A person whom a call that waits is about, as far as Bailiff knows them. */
export interface Subject {
  readonly userId: string;
  readonly displayName: string | null;
  readonly username: string | null;
  readonly avatarHash: string | null;
  /** Names of their roles, highest first. */
  readonly roles: readonly string[];
  /** Null as long as Discord was not heard. */
  readonly inGuild: boolean | null;
  readonly joinedAt: Date | null;
  /** How many cases they have. */
  readonly cases: number;
  readonly latestCases: readonly {
    readonly number: number;
    readonly kind: CaseKind;
    readonly issuedAt: Date;
  }[];
}

const LATEST_CASES = 3;

interface StoredCase {
  readonly number: number;
  readonly kind: CaseKind;
  readonly issued_at: string;
}

const subjectsOfRequests = sql.statement({
  parameters: [sql.text, sql.arrayOf(sql.text)],
  columns: {
    id: sql.text,
    user_id: sql.text.neverNull,
    heard: sql.jsonb<HeardSubject>().orNull,
    username: sql.text.orNull,
    display_name: sql.text.orNull,
    avatar_hash: sql.text.orNull,
    is_member: sql.bool,
    roles: sql.arrayOf(sql.text),
    cases: sql.int,
    latest: sql.jsonb<StoredCase[]>(),
  },
  text: `SELECT a.id, u.user_id, a.subject AS heard,
      coalesce(m.username, k.username) AS username, coalesce(m.display_name, k.display_name) AS display_name,
      m.avatar_hash, m.user_id IS NOT NULL AS is_member,
      ARRAY(SELECT name FROM roles r WHERE r.guild_id = $1 AND r.id <> $1
        AND (r.id = ANY (m.role_ids) OR a.subject->'roleIds' ? r.id) ORDER BY position DESC, id) AS roles,
      (SELECT count(*)::int FROM cases WHERE guild_id = $1 AND user_id = u.user_id) AS cases,
      coalesce((SELECT jsonb_agg(latest) FROM (
        SELECT case_number AS number, kind, issued_at FROM cases WHERE guild_id = $1 AND user_id = u.user_id
        ORDER BY issued_at DESC, case_number DESC LIMIT ${LATEST_CASES}) AS latest), '[]') AS latest
    FROM approval_requests a
    CROSS JOIN LATERAL (SELECT ${PERSON} AS user_id) AS u
    LEFT JOIN members m ON m.guild_id = $1 AND m.user_id = u.user_id
    LEFT JOIN known_names k ON k.user_id = u.user_id AND $1 = ANY (k.guild_ids)
    WHERE a.guild_id = $1 AND a.id = ANY ($2) AND u.user_id IS NOT NULL`,
});

/** The people whom some requests of a guild are about, by request. The caller must be the guild's owner. */
export async function subjectsOf(
  db: Database,
  guildId: string,
  approvalIds: readonly string[],
): Promise<Readonly<Record<string, Subject>>> {
  if (approvalIds.length === 0) return {};
  const rows = await subjectsOfRequests.all(db.pool, [guildId, approvalIds]);
  return Object.fromEntries(
    rows.map(({ id, heard, ...row }) => [
      id,
      {
        userId: row.user_id,
        displayName: row.display_name ?? heard?.displayName ?? null,
        username: row.username ?? heard?.username ?? null,
        avatarHash: row.avatar_hash ?? heard?.avatarHash ?? null,
        roles: row.roles,
        inGuild: heard?.inGuild ?? (row.is_member ? true : null),
        joinedAt: heard?.joinedAt ? new Date(heard.joinedAt) : null,
        cases: row.cases,
        latestCases: row.latest.map(({ issued_at, ...rest }) => ({ ...rest, issuedAt: new Date(issued_at) })),
      },
    ]),
  );
}
