import { ApiError, type AppealInput, type Issue } from '@bailiff/core';
import type { WordedIssue } from '@bailiff/core/issue-words';
import { AppealState, CaseKind, type Database, type RowOf, StrikeSeverity, sql } from '@bailiff/prisma';
import type { z } from 'zod';
import { type DashboardCall, sessionRefusal } from '#src/calls/dashboard-call.ts';
import type { Answered } from './appeals.ts';

/** A case of the reader's own that can be appealed or was. It does not say who gave it, decided or voted. */
const OWN = {
  case_id: sql.text,
  guild_name: sql.text,
  guild_id: sql.text,
  kind: sql.oneOf({ CaseKind }),
  severity: sql.oneOf({ StrikeSeverity }).orNull,
  reason: sql.text.orNull,
  issued_at: sql.timestamptz,
  expires_at: sql.timestamptz.orNull,
  active: sql.bool,
  introduction: sql.text,
  questions: sql.arrayOf(sql.text),
  /** Until when the person waits, because an appeal of theirs was refused. */
  waits_until: sql.timestamptz.orNull,
  state: sql.oneOf({ AppealState }).orNull,
  answers: sql.jsonb<readonly Answered[]>().orNull,
  sent_at: sql.timestamptz.orNull,
  decided_at: sql.timestamptz.orNull,
  reply: sql.text.orNull,
};
export type OwnCase = RowOf<typeof OWN>;

/**
 * Most cases of one person that the page lists. The newest of each guild come first: a guild whose owner gives somebody
 * many strikes must not crowd out the ban of another.
 */
const MOST_LISTED = 200;

const ownCases = sql.statement({
  parameters: [sql.text, sql.text.orNull],
  columns: OWN,
  text: `SELECT c.id AS case_id, g.name AS guild_name, c.guild_id, c.kind, c.severity, c.reason, c.issued_at, c.expires_at,
      case_is_in_force(c.ended_at, c.expires_at) AS active,
      coalesce(s.introduction, '') AS introduction, coalesce(s.questions, '{}') AS questions,
      (SELECT max(r.decided_at) + make_interval(days => s.cooldown_days) FROM appeals r
       WHERE r.user_id = $1 AND r.guild_id = c.guild_id AND r.state = 'refused') AS waits_until,
      a.state, a.answers, a.sent_at, a.decided_at, a.reply
    FROM cases c
    JOIN guilds g ON g.id = c.guild_id AND g.left_at IS NULL
    LEFT JOIN appeals a ON a.case_id = c.id
    LEFT JOIN appeal_settings s ON s.guild_id = c.guild_id AND c.kind = ANY (s.kinds)
    WHERE c.user_id = $1 AND ($2::text IS NULL OR c.id = $2 OR c.action_id = $2)
      AND (a.id IS NOT NULL OR s.guild_id IS NOT NULL AND case_is_in_force(c.ended_at, c.expires_at))
    ORDER BY row_number() OVER (PARTITION BY c.guild_id ORDER BY c.issued_at DESC, c.id DESC),
      c.issued_at DESC, c.id DESC
    LIMIT ${MOST_LISTED}`,
});

/** The cases of a person, in all guilds, that they can appeal or have appealed; the newest of each guild first. */
export function listOwnCases({ pool }: Database, userId: string): Promise<OwnCase[]> {
  return ownCases.all(pool, [userId, null]);
}

/**
 * One of them, by its id or that of the action that opened it. Null for a case of somebody else, for one that cannot be
 * appealed, and for one that there is not: nobody learns which.
 */
export function ownCase({ pool }: Database, userId: string, named: string): Promise<OwnCase | null> {
  return ownCases.first(pool, [userId, named]);
}

type Filed = {
  readonly status: 'filed' | 'exists' | 'missing' | 'changed' | 'invalid' | 'too_many' | 'too_soon';
};

const file = sql.statement({
  parameters: [sql.jsonb<object>()],
  columns: { filed: sql.jsonb<Filed>() },
  text: 'SELECT file_appeal($1) AS filed',
});

/**
 * Files the appeal of the person who calls. A second one against the same case changes nothing.
 *
 * @throws ApiError NOT_FOUND as {@link ownCase}; VALIDATION_FAILED if the guild's questions have changed;
 * RATE_LIMITED; FORBIDDEN APPEAL_TOO_SOON.
 */
export async function fileAppeal(
  db: Database,
  call: DashboardCall,
  named: string,
  { questions, answers, language }: z.output<typeof AppealInput> & { readonly language: string },
): Promise<void> {
  const { filed } = await file
    .only(db.pool, [
      {
        named,
        questions,
        answers,
        language,
        request_id: call.requestId,
        actor_user_id: call.userId,
        session_proof: call.sessionProof ?? null,
      },
    ])
    .catch((error: unknown) => {
      throw sessionRefusal(error);
    });
  switch (filed.status) {
    case 'filed':
    case 'exists':
      return;
    case 'missing':
      throw new ApiError('NOT_FOUND', 'There is nothing here that you can appeal.');
    case 'too_soon':
      throw refused(
        'APPEAL_TOO_SOON',
        'An appeal of yours was refused, and you have to wait before the next one.',
      );
    case 'too_many':
      throw refused('APPEAL_LIMIT', 'Too many appeals were sent. Try again tomorrow.');
    case 'changed':
    case 'invalid': {
      const message = 'the questions have changed; load the page again';
      const say = { key: 'questionsChanged' } as const;
      const issue = { path: 'questions', message, say } satisfies WordedIssue & Issue;
      throw new ApiError('VALIDATION_FAILED', `questions: ${message}.`, { details: { issues: [issue] } });
    }
  }
}

function refused(reason: 'APPEAL_TOO_SOON' | 'APPEAL_LIMIT', message: string): ApiError {
  return new ApiError('FORBIDDEN', message, { details: { reason } });
}
