import type { Performer } from '@bailiff/engine/worker/perform-action';
import { AuditLogEvent, Routes } from 'discord.js';
import { CLOCK_TOLERANCE_MS } from '#src/jobs.ts';
import { auditLogEntryOf } from './audit-log.ts';
import type { PerformerDeps } from './deps.ts';
import { findMember } from './members.ts';
import { onRecord, sanctionPerformer } from './sanctions.ts';

export function kickMember(deps: PerformerDeps): Performer<'members.kick'> {
  return sanctionPerformer(deps, (action) => {
    const { guildId, input } = action;
    const { user_id: userId, reason } = input;
    const route = Routes.guildMember(guildId, userId);
    const isStillThere = async (signal: AbortSignal) => {
      const member = await findMember(deps, guildId, userId, signal);
      return Date.parse(member?.joined_at ?? '') < action.createdAt.getTime() - CLOCK_TOLERANCE_MS;
    };
    return {
      permission: 'KickMembers',
      kind: 'kick',
      userId,
      reason,
      membersOnly: true,
      checkLimits: (withinMs) => deps.api.checkLimits('DELETE', route, withinMs),
      send: (auditReason, signal) => deps.api.send('DELETE', route, { signal, reason: auditReason }),
      look: async (signal) => {
        const kick = { event: AuditLogEvent.MemberKick, targetId: userId };
        const entry = await auditLogEntryOf(deps, action, kick, signal);
        if (entry === 'absent') return 'not_made';
        if (entry !== 'unreadable') return 'stands';
        // Who is gone was kicked by this action, or left, or was removed by somebody else. Who joined again as well.
        return (await isStillThere(signal)) ? 'not_made' : 'unclear';
      },
      seemsDone: async (signal) => !(await isStillThere(signal)),
      answer: (row) => ({
        kick: onRecord(row, reason),
      }),
    };
  });
}
