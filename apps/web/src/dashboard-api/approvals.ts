import { ownedGuild } from '@bailiff/engine/guilds/guilds';
import {
  type ApprovalView,
  decideApproval,
  isApproval,
  listApprovals,
} from '@bailiff/engine/tokens/approvals';
import { windowWire } from '@bailiff/engine/tokens/windows';
import { type Described, describeCalls } from '#src/describe-calls.ts';
import { localeOfRequest } from '#src/locale-of-request.ts';
import { bodyOf, DecideApproval, guildIdOf } from './input.ts';
import { json, type Route, requireFreshSignIn } from './route.ts';

/** The routes for approval requests (decisions: Approval requests). */
export const approvalRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/approvals',
    handle: async ({ db }, request) => {
      const { userId } = request.session;
      const guild = await ownedGuild(db, guildIdOf(request), userId, { needsMirror: false });
      const approvals = await listApprovals(db, userId, guild.id);
      const locale = localeOfRequest(request.request.headers);
      return json(200, { data: (await describeCalls(db, guild, approvals, locale)).map(approvalWire) });
    },
  },
  {
    method: 'POST',
    path: '/api/approvals/{approvalId}',
    handle: async ({ db, config }, request) => {
      const approvalId = request.params.approvalId ?? '';
      const { decision } = await bodyOf(request, DecideApproval);
      if (isApproval(decision)) requireFreshSignIn(request);
      const window = await decideApproval(db, request.call, approvalId, decision, config.reauthWindowMinutes);
      return json(200, { approval_id: approvalId, decision, ...windowWire(window) });
    },
  },
];

function approvalWire(approval: Described<ApprovalView>) {
  return {
    id: approval.id,
    token: approval.token,
    operation: approval.operation,
    input: approval.input,
    sentence: approval.sentence,
    digest: approval.digest,
    request_id: approval.requestId,
    address: approval.address,
    state: approval.state,
    created_at: approval.createdAt.toISOString(),
    expires_at: approval.expiresAt.toISOString(),
    decided_at: approval.decidedAt?.toISOString() ?? null,
    admits_until: approval.admitsUntil?.toISOString() ?? null,
  };
}
