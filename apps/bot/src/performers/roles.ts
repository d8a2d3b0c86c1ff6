import { isAbove } from '@bailiff/core';
import { forbidden, notFound } from '@bailiff/engine/calls/action-errors';
import type { ActionError, ActionRecord } from '@bailiff/engine/calls/actions';
import {
  dropMeasure,
  dropPlannedMeasure,
  type MeasureKey,
  measureOf,
  planMeasure,
  roleSubject,
  takeMeasure,
} from '@bailiff/engine/guilds/measures';
import type { Performer } from '@bailiff/engine/worker/perform-action';
import { type APIRole, AuditLogEvent, RESTJSONErrorCodes as Code, Routes } from 'discord.js';
import type { DiscordFailure } from '#src/discord-api.ts';
import { latestEntry } from './audit-log.ts';
import { performerOf, Refusal } from './carry-out.ts';
import { auditReasonFor, changeEntry } from './channel-settings.ts';
import type { PerformerDeps } from './deps.ts';
import {
  findMember,
  type Hierarchy,
  missingPermissions,
  readHierarchy,
  refusalOf,
  topRole,
} from './members.ts';
import { powerRefusal } from './role-power.ts';

const NOTHING = {};

/** Gives a role for a while, or gives one that was given so another end. */
export function giveRole(deps: PerformerDeps): Performer<'roles.give'> {
  return performerOf(deps, (action) => {
    const { id: actionId, guildId, input } = action;
    const { user_id: userId, role_id: roleId, duration_minutes: minutes, reason } = input;
    const key = keyOf(guildId, userId, roleId);
    const hasRole = async (signal: AbortSignal) =>
      (await findMember(deps, guildId, userId, signal))?.roles.includes(roleId) === true;
    return {
      check: async (signal, mirrored) => {
        const reading = findMember(deps, guildId, userId, signal);
        const { hierarchy, member } = await readHierarchy(deps, { action, mirrored }, reading, signal);
        const user = { userId, roleIds: member?.roles ?? null };
        const refusal =
          refusalOf(deps, hierarchy, action, user, 'ManageRoles') ??
          (member === null ? notFound('member', userId) : null) ??
          (await roleRefusal(deps, hierarchy, action, roleId, signal, (role) =>
            powerRefusal(deps, hierarchy, action, role, signal),
          ));
        if (refusal !== null) return new Refusal(refusal);
        const has = user.roleIds?.includes(roleId) === true;
        const isOurs = has && (await measureOf(deps.db, key)) !== null;
        if (has && !isOurs) return new Refusal(forbidden('HAS_ROLE'));
        return { isOurs, auditReason: await auditReasonFor(deps, action, reason) };
      },
      send: async ({ isOurs, auditReason }, signal) => {
        if (isOurs) return true as const;
        await planMeasure(deps.db, key, { actionId, before: NOTHING, after: NOTHING });
        const route = Routes.guildMemberRole(guildId, userId, roleId);
        await deps.api.send('PUT', route, { signal, reason: auditReason });
        return true as const;
      },
      look: async (_seen, signal) => {
        const sought = { events: [AuditLogEvent.MemberRoleUpdate], id: userId };
        const entry = await changeEntry(deps, action, sought, signal);
        if (entry === 'absent') return null;
        if (entry !== 'unreadable') return true;
        return (await hasRole(signal)) ? true : null;
      },
      seemsDone: (_seen, signal) => hasRole(signal),
      withdraw: (tx) => dropPlannedMeasure(tx, actionId),
      refusal: (failure) => refusalFor(failure, userId, roleId),
      record: async (_made, tx) => {
        const taken = await takeMeasure(tx, key, { actionId, after: NOTHING }, minutes);
        const expiresAt = taken?.expiresAt ?? new Date(action.createdAt.getTime() + minutes * 60_000);
        return { role: { user_id: userId, role_id: roleId, expires_at: expiresAt.toISOString() } };
      },
    };
  });
}

/** Takes back a role that was given for a while. What is the member's by somebody else's hand by now is left. */
export function endRole(deps: PerformerDeps): Performer<'roles.end'> {
  return performerOf(deps, (action) => {
    const { guildId, input } = action;
    const { user_id: userId, role_id: roleId, reason } = input;
    const key = keyOf(guildId, userId, roleId);
    return {
      check: async (signal, mirrored) => {
        if ((await measureOf(deps.db, key)) === null) return new Refusal(notFound('role_for_a_time', userId));
        const reading = findMember(deps, guildId, userId, signal);
        const { hierarchy, member } = await readHierarchy(deps, { action, mirrored }, reading, signal);
        const giver =
          member?.roles.includes(roleId) === true ? await giverOf(deps, guildId, input, signal) : null;
        if (giver === 'unknown') return new Refusal(missingPermissions(['ViewAuditLog']));
        const refusal =
          giver === 'bailiff' ? await roleRefusal(deps, hierarchy, action, roleId, signal) : null;
        if (refusal !== null) return new Refusal(refusal);
        return { giver, auditReason: await auditReasonFor(deps, action, reason) };
      },
      send: async ({ giver, auditReason }, signal) => {
        const route = Routes.guildMemberRole(guildId, userId, roleId);
        if (giver === 'bailiff') await deps.api.send('DELETE', route, { signal, reason: auditReason });
        return { left: giver === 'somebody' };
      },
      look: async (_seen, signal) => {
        const member = await findMember(deps, guildId, userId, signal);
        if (member?.roles.includes(roleId) !== true) return { left: false };
        const giver = await giverOf(deps, guildId, input, signal);
        if (giver === 'unknown') return 'unclear';
        return giver === 'bailiff' ? null : { left: true };
      },
      refusal: (failure) => refusalFor(failure, userId, roleId),
      record: async ({ left }, tx) => {
        await dropMeasure(tx, key, action.id);
        return { ended: { user_id: userId, role_id: roleId, left } };
      },
    };
  });
}

function keyOf(guildId: string, userId: string, roleId: string): MeasureKey {
  return { guildId, kind: 'role', subjectId: roleSubject({ userId, roleId }) };
}

/** Who gave a member the role last, by the guild's audit log. Unknown: the bot may not read the log. */
async function giverOf(
  deps: PerformerDeps,
  guildId: string,
  { user_id: targetId, role_id: roleId }: { readonly user_id: string; readonly role_id: string },
  signal: AbortSignal,
): Promise<'bailiff' | 'somebody' | 'unknown'> {
  const entry = await latestEntry(
    deps,
    guildId,
    { event: AuditLogEvent.MemberRoleUpdate, targetId },
    signal,
    (each) => JSON.stringify(each.changes?.filter(({ key }) => key === '$add') ?? []).includes(`"${roleId}"`),
  );
  if (entry === 'unreadable') return 'unknown';
  return entry === 'absent' || entry.user_id === deps.botUserId ? 'bailiff' : 'somebody';
}

/** Why the role cannot be given or taken: it is above the actor's or the bot's highest, or nobody's to give. */
async function roleRefusal(
  deps: PerformerDeps,
  hierarchy: Hierarchy,
  { guildId, actor }: ActionRecord,
  roleId: string,
  signal: AbortSignal,
  more: (role: APIRole) => Promise<ActionError | null> = async () => null,
): Promise<ActionError | null> {
  const roles = await deps.api.get<APIRole[]>(Routes.guildRoles(guildId), { signal });
  const role = roles.find(({ id }) => id === roleId);
  if (role === undefined) return notFound('role', roleId);
  if (role.managed || role.id === guildId) return forbidden('ROLE_NOT_GIVEN');
  const reaches = (roleIds: readonly string[] | null) => isAbove(topRole(hierarchy, roleIds), role);
  const actorReaches = actor.userId === hierarchy.ownerId || reaches(hierarchy.actorRoleIds);
  return actorReaches && reaches(hierarchy.botRoleIds) ? more(role) : forbidden('ROLE_HIERARCHY');
}

function refusalFor({ code }: DiscordFailure, userId: string, roleId: string): ActionError | null {
  if (code === Code.UnknownMember) return notFound('member', userId);
  if (code === Code.UnknownRole) return notFound('role', roleId);
  return code === Code.MissingPermissions ? missingPermissions(['ManageRoles']) : null;
}
