import type { Action, ActionError } from '@bailiff/engine/calls/actions';
import { type CaseRow, endCasesOf, type NewCase, only, openCase } from '@bailiff/engine/cases/cases';
import type { Transaction } from '@bailiff/engine/database/transaction';
import type { Performer } from '@bailiff/engine/worker/perform-action';
import { type APIGuildMember, RESTJSONErrorCodes as Code } from 'discord.js';
import type { DiscordFailure } from '#src/discord-api.ts';
import { reasonOf } from './audit-log.ts';
import { type Effect, performerOf } from './carry-out.ts';
import type { PerformerDeps } from './deps.ts';
import { missingPermissions, type PermissionName, readScene, refusalOf } from './members.ts';

type SanctionKind = 'ban' | 'mute';

/** A ban or mute, or the lifting of one: what is its own beside the checks, the one request and the record of all. */
export interface Sanction {
  readonly permission: PermissionName;
  readonly userId: string;
  readonly reason: string | null;
  /** Reads the user at Discord; as the member they are, or null. */
  readTarget(signal: AbortSignal): Promise<APIGuildMember | null>;
  /** Why there is nothing to do, once the target was read. */
  obstacle?(target: APIGuildMember | null): Promise<ActionError | null> | ActionError | null;
  announce?(target: APIGuildMember | null): Promise<void>;
  withdraw?(tx: Transaction): Promise<void>;
  /** The request, with the reason for the guild's audit log. */
  send(reason: string, signal: AbortSignal): Promise<unknown>;
  look: Effect['look'];
  /** What Discord's refusal of the request means here. */
  refusal?: Effect['refusal'];
  record(tx: Transaction): Promise<object>;
}

export function sanctionPerformer(deps: PerformerDeps, sanctionOf: (action: Action) => Sanction): Performer {
  return performerOf(deps, (action) => {
    const sanction = sanctionOf(action);
    const { userId, permission } = sanction;
    let name = '';
    let member: APIGuildMember | null = null;
    return {
      check: async (signal) => {
        const { scene, target } = await readScene(deps, action, sanction.readTarget(signal), signal);
        member = target;
        name = action.actor.tokenName ?? scene.actorUsername ?? action.actor.userId;
        const whom = { id: userId, roleIds: target?.roles ?? null };
        const refusal = refusalOf(deps, scene, action, whom, permission);
        return refusal ?? (await sanction.obstacle?.(target)) ?? null;
      },
      announce: async () => sanction.announce?.(member),
      ...(sanction.withdraw === undefined ? {} : { withdraw: sanction.withdraw }),
      send: (signal) => sanction.send(reasonOf(action, name, sanction.reason), signal),
      look: sanction.look,
      refusal: (failure: DiscordFailure) =>
        failure.code === Code.MissingPermissions
          ? missingPermissions(permission)
          : (sanction.refusal?.(failure) ?? null),
      done: { state: 'done', write: sanction.record },
    };
  });
}

/** Opens the case of a sanction, which replaces the one that the user has in force. */
export async function recordSanction(
  tx: Transaction,
  action: Action,
  sanction: { kind: SanctionKind; userId: string; reason: string; durationMinutes: number | undefined },
): Promise<CaseRow> {
  const { guildId } = action;
  const { kind, userId } = sanction;
  const endReason = `Replaced by a later ${kind}`;
  // Sent together, one after the other: one round trip.
  const [, opened] = await Promise.all([
    endCasesOf(tx, { guildId, kind, userId, endedBy: action.actor.userId, endReason, actionId: action.id }),
    openCase(tx, { guildId, issuedBy: action.actor.userId, actionId: action.id, ...sanction }),
  ]);
  return opened;
}

/**
 * Ends the case of a sanction. One that was never on record, because it is older than Bailiff here, becomes a case now,
 * as `found` tells it, so that its lifting is on record.
 */
export async function recordLift(
  tx: Transaction,
  { botUserId }: PerformerDeps,
  action: Action,
  lift: { kind: SanctionKind; userId: string; reason: string | undefined },
  found: Pick<NewCase, 'reason' | 'durationMinutes'>,
): Promise<CaseRow> {
  const { guildId } = action;
  const { kind, userId } = lift;
  const end = () =>
    endCasesOf(tx, {
      guildId,
      kind,
      userId,
      endedBy: action.actor.userId,
      endReason: lift.reason ?? null,
      actionId: action.id,
    });
  const [ended] = await end();
  if (ended !== undefined) return ended;
  await openCase(tx, { guildId, kind, userId, issuedBy: botUserId, actionId: null, ...found });
  return only(await end());
}
