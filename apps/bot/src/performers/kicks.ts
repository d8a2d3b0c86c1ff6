import type { Performer } from '@bailiff/engine/worker/perform-action';
import { AuditLogEvent, Routes } from 'discord.js';
import { auditLogEntryOf } from './audit-log.ts';
import type { PerformerDeps } from './deps.ts';
import { findMember } from './members.ts';
import { sanctionPerformer } from './sanctions.ts';

export function kickMember(deps: PerformerDeps): Performer<'members.kick'> {
  return sanctionPerformer(deps, (action) => {
    const { guildId, input } = action;
    const { user_id: userId, reason } = input;
    return {
      permission: 'KickMembers',
      kind: 'kick',
      userId,
      reason,
      membersOnly: true,
      send: (auditReason, signal) =>
        deps.api.send('DELETE', Routes.guildMember(guildId, userId), { signal, reason: auditReason }),
      look: async (signal) => {
        if ((await findMember(deps, guildId, userId, signal)) !== null) return 'not_made';
        // They are gone: kicked by this action, or they left, or somebody else removed them.
        const kick = { event: AuditLogEvent.MemberKick, userId };
        const isMade = (await auditLogEntryOf(deps, action, kick, signal)) !== 'absent';
        return isMade ? 'stands' : 'not_made';
      },
      answer: (row) => ({
        kick: {
          id: row.id,
          case_number: row.case_number,
          user_id: row.user_id,
          reason,
          issued_by: row.issued_by,
          issued_at: row.issued_at.toISOString(),
        },
      }),
    };
  });
}
