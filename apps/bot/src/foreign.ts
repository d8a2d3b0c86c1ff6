import type { ActionRecord } from '@bailiff/engine/calls/actions';
import { type CaseKind, endCasesOf } from '@bailiff/engine/cases/cases';
import { inTransaction } from '@bailiff/engine/database/transaction';
import { translator } from '@bailiff/messages';
import { sql } from '@bailiff/prisma';
import { tellGuild } from './guild-notice.ts';
import { ownReason } from './own-reasons.ts';
import type { PerformerDeps } from './performers/deps.ts';

/** What the record says of a case whose sanction was changed by nobody knows whom. */
const LEFT = { ban: 'banLeft', mute: 'muteLeft' } as const;

const endAsLeft = sql.statement({
  parameters: [sql.text, sql.text, sql.text, sql.bool],
  columns: { guild_id: sql.text, user_id: sql.text, case_number: sql.int },
  // Nobody has decided about the appeal of somebody who is not free.
  text: `WITH left_alone AS (
      UPDATE cases SET ended_at = clock_timestamp(), ended_by = $2, end_reason = $3
      WHERE id = $1 AND ended_at IS NULL RETURNING id, guild_id, user_id, case_number),
    over AS (
      UPDATE appeals SET state = 'over', decided_at = clock_timestamp() FROM left_alone
      WHERE case_id = left_alone.id AND state IN ('sent', 'in_review') AND $4)
    SELECT guild_id, user_id, case_number FROM left_alone`,
});

/**
 * Ends the case of a ban or mute that Bailiff can no longer show to be its own, leaves Discord as it is, and tells the
 * moderators (decisions: By hand in Discord).
 *
 * @param left.stands whether a ban or timeout stands
 */
export async function leaveAsItIs(
  deps: PerformerDeps,
  kind: keyof typeof LEFT,
  {
    guildId,
    caseId,
    stands,
  }: { readonly guildId: string; readonly caseId: string; readonly stands: boolean },
): Promise<void> {
  const reason = await ownReason(deps, guildId, LEFT[kind]);
  await inTransaction(deps.db, async (tx) => {
    const left = await endAsLeft.first(tx, [caseId, deps.botUserId, reason, stands]);
    if (left === null) return;
    deps.log.warn(
      { case_id: caseId, guild_id: left.guild_id },
      'a sanction was left, because it may not be ours',
    );
    await tellGuild(tx, { guildId: left.guild_id, about: caseId }, (language) =>
      translator(language, 'notices')(`log.left.${kind}`, {
        number: String(left.case_number),
        user: `<@${left.user_id}>`,
      }),
    );
  });
}

/** Ends the case of a sanction that does not stand any more, although nobody knows who lifted it. */
export async function endAsGone(
  { db, botUserId }: PerformerDeps,
  guildId: string,
  kind: CaseKind,
  userId: string,
): Promise<void> {
  const endReason = await ownReason({ db }, guildId, 'gone');
  await inTransaction(db, (tx) => endCasesOf(tx, { guildId, kind, userId, endedBy: botUserId, endReason }));
}

/** Tells the moderators that nobody will find out whether an action happened. */
export async function tellUnknown(
  deps: PerformerDeps,
  { id, guildId, requestId }: ActionRecord,
  what: CaseKind | 'banLifted' | 'muteLifted',
  userId: string,
): Promise<void> {
  deps.log.warn(
    { action_id: id, request_id: requestId, guild_id: guildId },
    'it cannot be found out whether an action happened',
  );
  await inTransaction(deps.db, (tx) =>
    tellGuild(tx, { guildId, about: id }, (language) =>
      translator(language, 'notices')('log.unknown', { what, user: `<@${userId}>` }),
    ),
  );
}
