import { type BotOperation, caseKind, type DiscordPermission, isSpared, type OutputOf } from '@bailiff/core';
import { forbidden, notFound } from '@bailiff/engine/calls/action-errors';
import type { Action, ActionError, ActionRecord } from '@bailiff/engine/calls/actions';
import {
  CASE,
  CASE_COLUMNS,
  type CaseRow,
  endCase,
  endCasesOf,
  IN_FORCE,
  type NewCase,
  only,
  openCase,
  type SanctionRow,
} from '@bailiff/engine/cases/cases';
import { replacedBy, settleSanction, unopened } from '@bailiff/engine/cases/sanctions';
import type { Transaction } from '@bailiff/engine/database/transaction';
import type { Performer } from '@bailiff/engine/worker/perform-action';
import { CaseKind, sql } from '@bailiff/prisma';
import { type APIGuildMember, RESTJSONErrorCodes as Code } from 'discord.js';
import { DiscordFailure } from '#src/discord-api.ts';
import { endAsGone, tellUnknown } from '#src/foreign.ts';
import { withdrawAnnouncementSoon } from '#src/jobs.ts';
import { ownReason } from '#src/own-reasons.ts';
import { announceSanction } from '#src/target-notices.ts';
import { reasonOf } from './audit-log.ts';
import { type Effect, performerOf, Refusal } from './carry-out.ts';
import type { PerformerDeps } from './deps.ts';
import {
  findMember,
  lacksTwoFactor,
  missingPermissions,
  permissionsOf,
  readHierarchy,
  refusalOf,
} from './members.ts';

/** The common parts of giving and lifting a sanction. */
export interface UserAction {
  /** The Discord permission that the bot needs. */
  readonly permission: DiscordPermission;
  readonly kind: CaseKind;
  readonly userId: string;
  readonly reason: string | undefined;
  /** What Discord's refusal of the request means here. Null: the usual meaning. */
  refusal?(failure: DiscordFailure): ActionError | null;
}

/** A sanction that is given to a user: a ban, a mute. */
export interface NewSanction<N extends BotOperation> extends UserAction {
  readonly reason: string;
  /** Absent if it does not end by itself. */
  readonly durationMinutes?: number | undefined;
  /** Whether it can only be given to a member of the guild. */
  readonly membersOnly: boolean;
  /** Why there is nothing to do, beside what concerns members. */
  obstacle?(member: APIGuildMember | null, signal: AbortSignal): Promise<ActionError | null>;
  /** See {@link Effect.checkLimits}, for a sanction whose target is told before it. */
  checkLimits?(withinMs: number): void;
  /** The request, with the reason for the guild's audit log. */
  send(auditReason: string, signal: AbortSignal): Promise<unknown>;
  /** Whether it happened. `undone`: it did, and somebody has lifted it since. `unclear`: nothing shows either. */
  look(signal: AbortSignal): Promise<'stands' | 'undone' | 'not_made' | 'unclear'>;
  /** See {@link Effect.seemsDone}. */
  seemsDone?(signal: AbortSignal): Promise<boolean>;
  /** The body of the answer. */
  answer(row: SanctionRow): OutputOf<N>;
  /** Records what is not in the case as every kind has it. */
  recordMore?(row: CaseRow, tx: Transaction): Promise<void>;
}

/** A sanction that was given. */
interface Given {
  readonly stands: boolean;
  /** Nobody was told, because the target is not a member. */
  readonly isAbsent: boolean;
}

/** Gives a sanction and opens its case, which replaces the user's case of this kind in force. */
export function sanctionPerformer<N extends BotOperation>(
  deps: PerformerDeps,
  sanctionOf: (action: Action<N>) => NewSanction<N>,
): Performer<N> {
  return performerOf(deps, (action) => {
    const sanction = sanctionOf(action);
    const { kind, userId, reason, durationMinutes, membersOnly } = sanction;
    const announced = caseKind(kind).toldBefore;
    const notAMember = membersOnly ? notFound('member', userId) : null;
    const of = { actionId: action.id, kind, reason, durationMinutes: durationMinutes ?? null };
    const isAbsent = (seen: SeenOf<APIGuildMember | null> | null) =>
      announced && seen !== null && seen.target === null;
    let recorded: Promise<void> = Promise.resolve();
    return {
      ...userEffect(deps, action, sanction, {
        read: (signal) => findMember(deps, action.guildId, userId, signal),
        memberOf: (member) => member,
        obstacle: async (member, signal) =>
          (member === null ? notAMember : null) ?? (await sanction.obstacle?.(member, signal)) ?? null,
      }),
      checkLimits: (withinMs) => sanction.checkLimits?.(withinMs),
      announce: async (seen, signal) => {
        if (!announced || isAbsent(seen) || seen.isDoubtful) return;
        ({ recorded } = await announceSanction(deps, action, { ...of, userId }, signal));
      },
      ...(announced ? { withdraw: (tx: Transaction) => withdrawAnnouncementSoon(tx, action.id) } : {}),
      refusal: (failure) =>
        refusalFrom(sanction, failure) ?? (failure.code === Code.UnknownMember ? notAMember : null),
      send: async (seen, signal) => {
        // The result of the message is recorded meanwhile.
        await sanction.send(seen.auditReason, signal).finally(() => recorded);
        if (announced && seen.isDoubtful && !isAbsent(seen)) {
          await (await announceSanction(deps, action, { ...of, userId }, signal)).recorded;
        }
        return { stands: true, isAbsent: isAbsent(seen) };
      },
      look: async (seen, signal) => {
        const found = await sanction.look(signal);
        if (found === 'unclear') return found;
        return found === 'not_made' ? null : { stands: found === 'stands', isAbsent: isAbsent(seen) };
      },
      seemsDone: async (_seen, signal) => (await sanction.seemsDone?.(signal)) ?? false,
      giveUp: () => tellUnknown(deps, action, kind, userId),
      record: async ({ stands }, tx) => {
        const row = await recordSanction(tx, action, { kind, userId, reason, durationMinutes });
        // By a later one, before this one was found out.
        const isReplaced = row.ended_at !== null;
        if (isReplaced) return sanction.answer(row);
        if (stands) {
          await sanction.recordMore?.(row, tx);
          return sanction.answer(row);
        }
        const endReason = await ownReason(deps, action.guildId, 'liftedOutside');
        const lift = { guildId: action.guildId, kind, userId, endedBy: deps.botUserId, endReason };
        return sanction.answer(only(await endCasesOf(tx, lift)));
      },
      settle: ({ stands, isAbsent }) => {
        if (!stands || sanction.recordMore !== undefined) return null;
        const given = { ...of, isAbsent };
        const answer = sanction.answer(unopened(given, { userId, issuedBy: action.actor.userId }));
        return (tx) => settleSanction(tx, given, answer);
      },
    } satisfies Effect<N, SeenOf<APIGuildMember | null>, Given>;
  });
}

/** A case that stays on record as it is, in the answer of its operation. */
export function onRecord(row: SanctionRow, reason: string) {
  return {
    id: row.id,
    case_number: row.case_number,
    user_id: row.user_id,
    reason,
    issued_by: row.issued_by,
    issued_at: row.issued_at.toISOString(),
  };
}

/** What is known of a lifted sanction, for the case of one that was never on record. */
export type FoundSanction = Pick<NewCase, 'reason' | 'durationMinutes'>;

/** The lifting of a sanction. `Target` is Discord's data about it. */
export interface Lift<N extends BotOperation, Target> extends UserAction {
  /** Reads Discord's data about the sanction. */
  read(signal: AbortSignal): Promise<Target>;
  /** The user in it, if they are a member. */
  memberOf(target: Target): APIGuildMember | null;
  /** Why there is nothing to lift. */
  obstacle(target: Target, signal: AbortSignal): Promise<ActionError | null> | ActionError | null;
  /** Does the rest of the work for the case. Returns the body of the answer. */
  record(row: CaseRow, tx: Transaction): Promise<OutputOf<N>> | OutputOf<N>;
  /** Sends the request, with the reason for the guild's audit log. Returns what it lifts. */
  send(target: Target, auditReason: string, signal: AbortSignal): Promise<FoundSanction>;
  /**
   * What was lifted. Null if it was not, `unclear` if nothing shows either. `target` is null if the process that read it
   * has died; then it is read again.
   */
  look(target: Target | null, signal: AbortSignal): Promise<FoundSanction | 'unclear' | null>;
  /** See {@link Effect.seemsDone}. */
  seemsDone(target: Target, signal: AbortSignal): Promise<boolean>;
  /** Whether it does not stand any more, whoever lifted it. */
  isGone(signal: AbortSignal): Promise<boolean>;
}

const caseInForce = sql.command({
  parameters: [sql.text, sql.text, sql.oneOf({ CaseKind })],
  text: `SELECT FROM cases WHERE guild_id = $1 AND user_id = $2 AND kind = $3 AND ${IN_FORCE} LIMIT 1`,
});

/** Whether a user has a case of a kind in force, which a lifting ends also where nothing stands at Discord. */
export async function hasCase(
  { db }: Pick<PerformerDeps, 'db'>,
  { guildId, kind, userId }: Pick<NewCase, 'guildId' | 'kind' | 'userId'>,
): Promise<boolean> {
  return (await caseInForce.run(db.pool, [guildId, userId, kind])) === 1;
}

/** Lifts a sanction and ends its case. */
export function liftPerformer<N extends BotOperation, Target>(
  deps: PerformerDeps,
  liftOf: (action: Action<N>) => Lift<N, Target>,
): Performer<N> {
  return performerOf(deps, (action) => {
    const lift = liftOf(action);
    return {
      ...userEffect(deps, action, lift, lift),
      refusal: (failure) => refusalFrom(lift, failure),
      send: ({ target, auditReason }, signal) => lift.send(target, auditReason, signal),
      look: (seen, signal) => lift.look(seen === null ? null : seen.target, signal),
      seemsDone: ({ target }, signal) => lift.seemsDone(target, signal),
      giveUp: async (signal) => {
        const { kind, userId } = lift;
        // Where Discord does not say it either, the case stays.
        const isGone = await lift.isGone(signal).catch((error: unknown) => {
          if (error instanceof DiscordFailure) return false;
          throw error;
        });
        if (isGone) await endAsGone(deps, action.guildId, kind, userId);
        await tellUnknown(deps, action, kind === 'ban' ? 'banLifted' : 'muteLifted', userId);
      },
      record: async (found, tx) => lift.record(await recordLift(tx, deps, action, lift, found), tx),
    } satisfies Effect<N, SeenOf<Target>, FoundSanction>;
  });
}

/** What the checks found. */
export interface SeenOf<Target> {
  readonly target: Target;
  /** The reason for the guild's audit log. */
  readonly auditReason: string;
  /** Discord will probably refuse it, so nobody is told of it before it has happened. */
  readonly isDoubtful: boolean;
}

/** The checks before an action on a user: rank and permission first, then whether there is anything to do. */
export function userEffect<N extends BotOperation, Target>(
  deps: PerformerDeps,
  action: Action<N>,
  { userId, permission, reason }: Pick<UserAction, 'permission' | 'userId' | 'reason'>,
  { read, memberOf, obstacle }: Pick<Lift<N, Target>, 'read' | 'memberOf' | 'obstacle'>,
): Pick<Effect<N, SeenOf<Target>, never>, 'check'> {
  return {
    check: async (signal, mirrored) => {
      const reading = read(signal);
      const of = { action, mirrored };
      const { hierarchy, member } = await readHierarchy(deps, of, reading.then(memberOf), signal);
      const user = { userId, roleIds: member?.roles ?? null };
      const target = await reading;
      const refusal =
        refusalOf(deps, hierarchy, action, user, permission) ?? (await obstacle(target, signal));
      if (refusal !== null) return new Refusal(refusal);
      const targetMay = permissionsOf(hierarchy, user.roleIds);
      if (isSpared(action.operation, targetMay)) return new Refusal(forbidden('TARGET_IS_ADMIN'));
      const name = action.actor.tokenName ?? hierarchy.actorUsername ?? action.actor.userId;
      const isDoubtful = await lacksTwoFactor(deps, hierarchy, permission, signal);
      return { target, auditReason: reasonOf(action, name, reason ?? null), isDoubtful };
    },
  };
}

export function refusalFrom(
  { permission, refusal }: Pick<UserAction, 'permission' | 'refusal'>,
  failure: DiscordFailure,
): ActionError | null {
  if (failure.code === Code.MissingPermissions) return missingPermissions([permission]);
  return refusal?.(failure) ?? null;
}

async function recordSanction(
  tx: Transaction,
  { id: actionId, guildId, actor }: ActionRecord,
  sanction: Pick<NewCase, 'kind' | 'userId' | 'reason' | 'durationMinutes'>,
): Promise<CaseRow> {
  const { kind, userId } = sanction;
  const isReplaced = caseKind(kind).end !== null;
  // Sent together without waiting in between: one round trip.
  const [, opened] = await Promise.all([
    isReplaced &&
      endCasesOf(tx, { guildId, kind, userId, endedBy: actor.userId, endReason: replacedBy(kind), actionId }),
    openCase(tx, { guildId, issuedBy: actor.userId, actionId, ...sanction }),
  ]);
  return opened;
}

const caseEndedMeanwhile = sql.statement({
  parameters: [sql.text, sql.text, sql.oneOf({ CaseKind }), sql.text],
  columns: CASE,
  text: `SELECT ${CASE_COLUMNS} FROM cases WHERE guild_id = $1 AND user_id = $2
      AND (kind = $3 OR $3 = 'ban' AND kind = 'softban') AND issued_at <= late_since($4) AND ended_at > late_since($4)
    ORDER BY ended_at LIMIT 1`,
});

/**
 * Ends the case of a sanction. If it was replaced before the lifting was found out, it stays as it is, and so does what
 * replaced it. A sanction that was never on record, because it is older than Bailiff in this guild, becomes a case now
 * with the data in `found`, so that its lifting is on record.
 */
async function recordLift(
  tx: Transaction,
  { botUserId }: PerformerDeps,
  { id: actionId, guildId, actor }: ActionRecord,
  { kind, userId, reason }: Pick<UserAction, 'kind' | 'userId' | 'reason'>,
  found: FoundSanction,
): Promise<CaseRow> {
  const lifted = { endedBy: actor.userId, endReason: reason ?? null, actionId };
  const [ended] = await endCasesOf(tx, { guildId, kind, userId, ...lifted });
  const known = ended ?? (await caseEndedMeanwhile.first(tx, [guildId, userId, kind, actionId]));
  if (known !== null) return known;
  const opened = { guildId, kind, userId, issuedBy: botUserId, actionId: null, ...found };
  return endCase(tx, (await openCase(tx, opened)).id, lifted);
}
