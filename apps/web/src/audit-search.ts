import type { AuditFilter } from '@bailiff/engine/audit/audit-log';
import { idsNamed } from '@bailiff/engine/audit/ids-named';
import type { Database } from '@bailiff/prisma';
import { auditFilter } from './audit-filter.ts';
import { AUDIT_OPERATIONS } from './audit-operations.ts';
import type { AuditParameters } from './audit-query.ts';
import { type AuditTexts, operationTitle } from './operation-titles.ts';
import { isId } from './page-query.ts';

const REQUEST_ID = /^req_/;
const ACTION_ID = /^act_[0-9a-f]{32}$/;

/**
 * The database filter for an address with its search. An id is searched in all columns with ids. Other text matches
 * operations, and people, tokens, game servers and channels whose names contain it.
 */
export async function searchFilter(
  db: Database,
  guildId: string,
  given: AuditParameters,
  auditTexts: AuditTexts,
): Promise<AuditFilter> {
  const filter = auditFilter(given);
  const { q } = given;
  if (q === undefined) return filter;
  if (REQUEST_ID.test(q)) return { ...filter, requestId: q };
  if (ACTION_ID.test(q)) return { ...filter, actionId: q };
  if (isId(q)) return { ...filter, anyOf: { operations: [], ids: [q] } };
  const words = q.toLowerCase();
  const operations = AUDIT_OPERATIONS.filter(
    (name) => name.includes(words) || operationTitle(auditTexts, name).toLowerCase().includes(words),
  );
  return { ...filter, anyOf: { operations, ids: await idsNamed(db, guildId, q) } };
}
