import {
  isSpared,
  MODERATION_PERMISSIONS,
  MOST_AT_ONCE,
  type OutputOf,
  readPeopleList,
  SPARED,
  type Spared,
  targetRefusal,
} from '@bailiff/core';
import type { Action, ActionError } from '@bailiff/engine/calls/actions';
import type { Outcome } from '@bailiff/engine/calls/settle';
import { keepPeople, type Listed, USABLE_MS } from '@bailiff/engine/cases/people-lists';
import type { Run } from '@bailiff/engine/worker/long-actions';
import { type ListKind, sql } from '@bailiff/prisma';
import { type APIBan, type APIGuildMember, Routes } from 'discord.js';
import { DiscordFailure } from '#src/discord-api.ts';
import { usualRefusal } from '#src/discord-errors.ts';
import { dropPages } from './action-pages.ts';
import { logFailure } from './carry-out.ts';
import type { PerformerDeps } from './deps.ts';
import { readPatiently } from './long-requests.ts';
import { type Hierarchy, permissionsOf, readHierarchy, topRole } from './members.ts';
import { PeopleReading } from './people-reading.ts';

type PreviewOperation = 'bans.preview' | 'mutes.preview';
type Preview = Action<PreviewOperation>;
type PreviewOutcome = Outcome<OutputOf<PreviewOperation>>;

export const previewBans = previewOf('ban');
export const previewMutes = previewOf('mute');

/** Says on whom a mass action would act and whom it would spare, and keeps exactly these people for it. */
function previewOf(kind: ListKind) {
  return (deps: PerformerDeps) => ({
    work: async (action: Preview, run: Run): Promise<PreviewOutcome | 'unfinished'> => {
      try {
        const people = await peopleOf(deps, action, run, kind);
        if (people !== 'unfinished') return previewed(action, kind, people);
        return run.stop === null ? people : failed(action, run.stop);
      } catch (error) {
        if (!(error instanceof DiscordFailure)) throw error;
        logFailure(deps.log, action, error, 'a preview was not made');
        return failed(action, usualRefusal(error));
      }
    },
    // It changes nothing, so nothing can have happened unseen.
    verify: async (action: Preview): Promise<PreviewOutcome> => previewed(action, kind, []),
  });
}

/** What was read is kept until the failure is on record: whoever goes on without that record needs it. */
function failed(action: Preview, error: ActionError): PreviewOutcome {
  return { state: 'failed', error, write: (tx) => dropPages(tx, action.id) };
}

function previewed(action: Preview, kind: ListKind, people: readonly Listed[]): PreviewOutcome {
  const countOf = (why: Spared | null) => people.filter(({ spared }) => spared === why).length;
  return {
    state: 'done',
    write: async (tx) => {
      await dropPages(tx, action.id);
      await keepPeople(tx, action, kind, people);
      const spared = SPARED.map((why) => ({ why, count: countOf(why) })).filter(({ count }) => count > 0);
      const usable_until = new Date(Date.now() + USABLE_MS).toISOString();
      return { preview: { id: action.id, count: countOf(null), spared, usable_until } };
    },
  };
}

/** What decides who is spared. */
interface Judged {
  readonly action: Preview;
  readonly kind: ListKind;
  readonly hierarchy: Hierarchy;
  readonly staffRoles: ReadonlySet<string>;
  readonly botUserId: string;
}

const grantedRoles = sql.statement({
  parameters: [sql.text],
  columns: { role_id: sql.text },
  text: 'SELECT role_id FROM role_grants WHERE guild_id = $1',
});

async function peopleOf(
  deps: PerformerDeps,
  action: Preview,
  run: Run,
  kind: ListKind,
): Promise<Listed[] | 'unfinished'> {
  const { guildId, input } = action;
  const at = await readPatiently(run, true, ({ signal }) =>
    readHierarchy(deps, { action, mirrored: null }, Promise.resolve(null), signal),
  );
  if (at === 'unfinished') return at;
  const granted = await grantedRoles.all(deps.db.pool, [guildId]);
  const staffRoles = new Set(granted.map(({ role_id }) => role_id));
  const judged: Judged = { action, kind, hierarchy: at.hierarchy, staffRoles, botUserId: deps.botUserId };
  const isNarrowed = input.role_id !== undefined || input.joined_since !== undefined;
  if (input.users === undefined && !isNarrowed) return [];
  const named = input.users === undefined ? null : readPeopleList(input.users);
  const wanted = named?.flatMap(({ userId }) => userId ?? []) ?? null;
  const reading = await PeopleReading.resume(deps, action, run);
  const { found } = reading;
  const members = await reading.readThrough<APIGuildMember>({
    ...{ name: 'members', route: Routes.guildMembers(guildId), wanted },
    judge: (member) =>
      wanted !== null || fits(action, member)
        ? sparedBecause(judged, member.user.id, member, false)
        : undefined,
  });
  if (members === 'unfinished') return members;
  const absent = wanted?.filter((id) => !found.has(id)) ?? [];
  if (kind === 'ban' && absent.length > 0) {
    const bans = await reading.readThrough<APIBan>({
      ...{ name: 'bans', route: Routes.guildBans(guildId), wanted: absent },
      judge: ({ user }) => sparedBecause(judged, user.id, null, true),
    });
    if (bans === 'unfinished') return bans;
  }
  const lines = named ?? [...found.keys()].map((userId, index) => ({ line: index + 1, userId }));
  return judge(judged, lines, found);
}

function judge(
  judged: Judged,
  lines: readonly { readonly line: number; readonly userId: string | null }[],
  found: ReadonlyMap<string, Spared | null>,
): Listed[] {
  const seen = new Set<string>();
  let chosen = 0;
  return lines.map(({ line, userId }) => {
    if (userId === null) return { line, user_id: null, spared: 'unreadable' };
    if (seen.has(userId)) return { line, user_id: userId, spared: 'duplicate' };
    seen.add(userId);
    const known = found.get(userId);
    const spared = known === undefined ? sparedBecause(judged, userId, null, false) : known;
    if (spared === null) chosen += 1;
    return { line, user_id: userId, spared: spared ?? (chosen > MOST_AT_ONCE ? 'later' : null) };
  });
}

/** Why a person is left alone; null if they are not. */
function sparedBecause(
  { action, kind, hierarchy, staffRoles, botUserId }: Judged,
  userId: string,
  member: APIGuildMember | null,
  isBanned: boolean,
): Spared | null {
  const { actor, input } = action;
  if (userId === actor.userId) return 'self';
  if (userId === botUserId || member?.user.bot === true) return 'bot';
  if (isBanned) return 'already';
  if (member === null) {
    if (!('include_left' in input && input.include_left)) return 'left';
    return input.role_id === undefined && input.joined_since === undefined ? null : 'unfit';
  }
  if (!fits(action, member)) return 'unfit';
  const permissions = permissionsOf(hierarchy, member.roles);
  const refusal = targetRefusal({
    guildOwnerId: hierarchy.ownerId,
    botId: botUserId,
    actorId: actor.userId,
    targetId: userId,
    actorTopRole: topRole(hierarchy, hierarchy.actorRoleIds),
    botTopRole: topRole(hierarchy, hierarchy.botRoleIds),
    targetTopRole: topRole(hierarchy, member.roles),
  });
  if (refusal !== null || isSpared(kind === 'ban' ? 'bans.add' : 'mutes.add', permissions)) return 'above';
  const moderates = (permissions & MODERATION_PERMISSIONS) !== 0n;
  if (moderates || member.roles.some((id) => staffRoles.has(id))) return 'staff';
  const mutedUntil = Date.parse(member.communication_disabled_until ?? '');
  return kind === 'mute' && mutedUntil > Date.now() ? 'already' : null;
}

function fits({ input: { role_id, joined_since } }: Preview, { roles, joined_at }: APIGuildMember): boolean {
  if (role_id !== undefined && !roles.includes(role_id)) return false;
  return joined_since === undefined || Date.parse(joined_at ?? '') >= Date.parse(joined_since);
}
