import {
  ApiError,
  type CountedStrike,
  type Escalation,
  type EscalationPolicy,
  type EscalationStep,
  escalationOf,
  isSameStep,
  NO_ESCALATION,
  pointsOf,
  type Severity,
} from '@bailiff/core';
import { type Database, EscalationKind, type Queryable, sql } from '@bailiff/prisma';
import { type DashboardCall, recordChange } from '#src/calls/dashboard-call.ts';
import type { Transaction } from '#src/database/transaction.ts';
import { changeAsOwner } from '#src/guilds/guilds.ts';
import type { CaseRow } from './cases.ts';

/** A policy in the format of the dashboard's API. */
export function escalationWire(policy: EscalationPolicy) {
  return {
    minor_points: policy.minorPoints,
    major_points: policy.majorPoints,
    decay_days: policy.decayDays,
    steps: policy.steps.map(({ points, sanction, durationMinutes }) => ({
      points,
      sanction,
      duration_minutes: durationMinutes,
    })),
  };
}

export type EscalationWire = ReturnType<typeof escalationWire>;

/** The escalation policy of a guild. The caller decides who may see it. */
export async function escalationPolicy(
  { pool }: Pick<Database, 'pool'>,
  guildId: string,
): Promise<EscalationPolicy> {
  const { policy } = await readStanding(pool, guildId, { userId: '', upTo: null });
  return policy;
}

/**
 * Sets the escalation policy of a guild that the user owns.
 *
 * @throws ApiError as `ownedGuild`
 */
export async function updateEscalation(
  db: Database,
  call: DashboardCall,
  guildId: string,
  policy: EscalationPolicy,
): Promise<EscalationPolicy> {
  return changeAsOwner(db, call, guildId, async (tx) => {
    const { minorPoints, majorPoints, decayDays, steps } = policy;
    const points = { minorPoints, majorPoints, decayDays };
    await tx.prisma.escalationPolicy.upsert({
      where: { guildId },
      create: { guildId, ...points },
      update: points,
    });
    await tx.prisma.escalationStep.deleteMany({ where: { guildId } });
    await tx.prisma.escalationStep.createMany({ data: steps.map((step) => ({ guildId, ...step })) });
    await recordChange(tx, call, {
      guildId,
      operation: 'escalation.update',
      details: escalationWire(policy),
    });
    return policy;
  });
}

/** A member's points, and the next step. */
export interface Standing {
  readonly points: number;
  readonly next: EscalationStep | null;
}

/** A member's points and distance to the next step. Null if the guild has no steps. */
export async function standingOf(
  { pool }: Pick<Database, 'pool'>,
  guildId: string,
  userId: string,
): Promise<Standing | null> {
  const { policy, strikes, now } = await readStanding(pool, guildId, { userId, upTo: null });
  if (policy.steps.length === 0) return null;
  const points = pointsOf(policy, strikes, now);
  return { points, next: policy.steps.find((step) => step.points > points) ?? null };
}

/** The escalation that a person's strike would cause now, to show it to them beforehand. */
export async function foreseeEscalation(
  { pool }: Pick<Database, 'pool'>,
  guildId: string,
  userId: string,
  severity: Severity,
): Promise<Escalation> {
  const { policy, strikes, now } = await readStanding(pool, guildId, { userId, upTo: null });
  return escalationOf(policy, [...strikes, { severity, issuedAt: now, active: true, byPerson: true }], now);
}

const longerSanction = sql.statement({
  parameters: [sql.text, sql.text, sql.text, sql.int.orNull],
  columns: { stands: sql.bool },
  text: `SELECT EXISTS (SELECT FROM cases WHERE guild_id = $1 AND user_id = $2 AND kind::text = $3
      AND case_is_enforced(id, import_id)
      AND case_is_in_force(ended_at, expires_at, clock_timestamp() + make_interval(mins => $4))) AS stands`,
});

/** Whether a sanction as long as that of a step is in force already, so that the step would change nothing. */
export async function isSuperseded(
  { pool }: Pick<Database, 'pool'>,
  guildId: string,
  userId: string,
  { sanction, durationMinutes }: EscalationStep,
): Promise<boolean> {
  return (await longerSanction.only(pool, [guildId, userId, sanction, durationMinutes])).stands;
}

const keepEscalation = sql.command({
  parameters: [sql.text, sql.text, sql.int, sql.oneOf({ EscalationKind }), sql.int.orNull],
  text: `INSERT INTO escalations (strike_id, guild_id, points, sanction, duration_minutes)
    VALUES ($1, $2, $3, $4, $5)`,
});

const escalateSoon = sql.command({
  parameters: [sql.text],
  text: "SELECT ask_bot('escalate', $1)",
});

/**
 * Records the escalation of a strike that was just opened, in the same transaction, and leaves it to the bot. Strike
 * and escalation are on record together, or neither is.
 *
 * @param foreseen what the person was shown; undefined if they were shown nothing
 * @throws ApiError FORBIDDEN ESCALATION_CHANGED if the escalation differs from what they were shown
 */
export async function escalate(
  tx: Transaction,
  strike: CaseRow,
  foreseen: EscalationStep | null | undefined,
): Promise<void> {
  const { step, pointsAfter } = await judgeStrike(tx, strike);
  if (foreseen !== undefined && !isSameStep(foreseen, step)) {
    const message = 'Something else would follow from this strike by now than what was shown. Look again.';
    throw new ApiError('FORBIDDEN', message, { details: { reason: 'ESCALATION_CHANGED' } });
  }
  if (step === null) return;
  const { sanction, durationMinutes } = step;
  await keepEscalation.run(tx, [strike.id, strike.guild_id, pointsAfter, sanction, durationMinutes]);
  await escalateSoon.run(tx, [strike.id]);
}

/** The escalation of a strike by the present policy and the strikes before it. */
export async function judgeStrike(
  db: Queryable,
  strike: Pick<CaseRow, 'guild_id' | 'user_id' | 'case_number' | 'issued_at'>,
): Promise<Escalation> {
  const { policy, strikes } = await readStanding(db, strike.guild_id, {
    userId: strike.user_id,
    upTo: strike.case_number,
  });
  return escalationOf(policy, strikes, strike.issued_at);
}

/** An escalation as shown on the case it came from and on the one it led to. */
export interface EscalationLink {
  readonly strike: { readonly id: string; readonly caseNumber: number };
  /** Points including that strike. */
  readonly points: number;
  readonly sanction: EscalationStep['sanction'];
  readonly durationMinutes: number | null;
  /** The sanction's case, once it is in force. Null before that, or if it never was. */
  readonly sanctionCase: { readonly id: string; readonly caseNumber: number } | null;
  /** The action that carried it out or tried to. */
  readonly actionId: string | null;
}

const linkOfCase = sql.statement({
  parameters: [sql.text, sql.text],
  columns: {
    strike_id: sql.text,
    strike_number: sql.int,
    points: sql.int,
    sanction: sql.oneOf({ EscalationKind }),
    duration_minutes: sql.int.orNull,
    action_id: sql.text.orNull,
    sanction_id: sql.text.orNull,
    sanction_number: sql.int.orNull,
  },
  text: `SELECT e.strike_id, s.case_number AS strike_number, e.points, e.sanction, e.duration_minutes, e.action_id,
      x.id AS sanction_id, x.case_number AS sanction_number
    FROM escalations e
    JOIN cases s ON s.id = e.strike_id
    LEFT JOIN cases x ON x.guild_id = e.guild_id AND x.user_id = s.user_id AND x.kind IN ('mute', 'ban')
      AND x.action_id = e.action_id
    WHERE e.guild_id = $1
      AND (e.strike_id = $2 OR e.action_id = (SELECT action_id FROM cases WHERE guild_id = $1 AND id = $2))`,
});

/** The escalation that a strike's or sanction's case is part of. Null if there is none. */
export async function escalationOfCase(
  { pool }: Pick<Database, 'pool'>,
  guildId: string,
  caseId: string,
): Promise<EscalationLink | null> {
  const row = await linkOfCase.first(pool, [guildId, caseId]);
  if (row === null) return null;
  return {
    strike: { id: row.strike_id, caseNumber: row.strike_number },
    points: row.points,
    sanction: row.sanction,
    durationMinutes: row.duration_minutes,
    sanctionCase:
      row.sanction_id === null || row.sanction_number === null
        ? null
        : { id: row.sanction_id, caseNumber: row.sanction_number },
    actionId: row.action_id,
  };
}

/** Most strikes of a member that count, the latest first. */
const MOST_STRIKES_COUNTED = 500;

const standingOfUser = sql.statement({
  parameters: [sql.text, sql.text, sql.int.orNull, sql.bigint],
  columns: {
    minor_points: sql.int.orNull,
    major_points: sql.int.orNull,
    decay_days: sql.int.orNull,
    now: sql.timestamptz,
    steps: sql.jsonb<EscalationStep[]>().orNull,
    strikes: sql.jsonb<(Omit<CountedStrike, 'issuedAt'> & { issuedAt: string })[]>().orNull,
  },
  text: `SELECT p.minor_points, p.major_points, p.decay_days, clock_timestamp() AS now,
      (SELECT jsonb_agg(jsonb_build_object('points', points, 'sanction', sanction, 'durationMinutes', duration_minutes)
                        ORDER BY points)
       FROM escalation_steps WHERE guild_id = $1) AS steps,
      (SELECT jsonb_agg(jsonb_build_object('severity', s.severity, 'issuedAt', s.issued_at, 'active', case_is_in_force(s.ended_at, s.expires_at),
                        'byPerson', a.actor_source IS DISTINCT FROM 'token') ORDER BY s.case_number)
       FROM (SELECT * FROM cases WHERE guild_id = $1 AND user_id = $2 AND kind = 'strike'
               AND case_number <= coalesce($3, case_number) ORDER BY id DESC LIMIT $4) AS s
       LEFT JOIN actions a ON a.id = s.action_id) AS strikes
    FROM (VALUES (1)) AS once LEFT JOIN escalation_policies p ON p.guild_id = $1`,
});

async function readStanding(
  db: Queryable,
  guildId: string,
  whose: { userId: string; upTo: number | null },
): Promise<{ policy: EscalationPolicy; strikes: CountedStrike[]; now: Date }> {
  const row = await standingOfUser.only(db, [guildId, whose.userId, whose.upTo, MOST_STRIKES_COUNTED]);
  return {
    policy: {
      minorPoints: row.minor_points ?? NO_ESCALATION.minorPoints,
      majorPoints: row.major_points ?? NO_ESCALATION.majorPoints,
      decayDays: row.decay_days,
      steps: row.steps ?? [],
    },
    strikes: (row.strikes ?? []).map((strike) => ({ ...strike, issuedAt: new Date(strike.issuedAt) })),
    now: row.now,
  };
}
