import type { AuditFilter } from '@bailiff/engine/audit/audit-log';
import type { AuditParameters } from './audit-query.ts';
import type { AuditRow } from './audit-row.ts';
import { dayOf } from './page-query.ts';

/** The database filter for an address, without its search, which needs names from the database (audit-search.ts). */
export function auditFilter(given: AuditParameters): AuditFilter {
  const to = given.to === undefined ? null : dayOf(given.to);
  return {
    source: given.source as AuditFilter['source'],
    outcome: given.outcome as AuditFilter['outcome'],
    operation: given.operation,
    actorId: given.actor,
    tokenId: given.token,
    targetId: given.target,
    requestId: given.request,
    from: given.from === undefined ? undefined : (dayOf(given.from) ?? undefined),
    // The named day is included.
    to: to === null ? undefined : new Date(to.getTime() + DAY_MS),
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Whether a row matches the filter of an address without a search. */
export function fitsAudit(row: AuditRow, given: AuditParameters): boolean {
  const { from, to } = auditFilter(given);
  const at = Date.parse(row.at);
  return (
    (given.source ?? row.actorSource) === row.actorSource &&
    (given.outcome ?? row.outcome) === row.outcome &&
    (given.operation ?? row.operation) === row.operation &&
    (given.actor ?? row.actorUserId) === row.actorUserId &&
    (given.token ?? row.tokenId) === row.tokenId &&
    (given.target ?? row.targetId) === row.targetId &&
    (given.request ?? row.requestId) === row.requestId &&
    (from === undefined || at >= from.getTime()) &&
    (to === undefined || at < to.getTime())
  );
}
