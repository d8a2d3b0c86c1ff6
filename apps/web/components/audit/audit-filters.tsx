import { ACTOR_SOURCES, AUDIT_OUTCOMES } from '@bailiff/core';
import { tokenNames } from '@bailiff/engine/tokens/token-view';
import { AUDIT_OPERATIONS } from '#src/audit-operations.ts';
import type { AuditParameters } from '#src/audit-query.ts';
import type { ListFilter } from '#src/list-filters.ts';
import { auditTexts, messagesFor } from '#src/messages.ts';
import { operationTitle } from '#src/operation-titles.ts';
import { runtime } from '#src/runtime.ts';

/** The filters of the audit log. Ids are mostly set by links on other pages. */
export async function auditFilters(
  guildId: string,
  { token }: AuditParameters,
): Promise<readonly ListFilter[]> {
  const t = await messagesFor('audit');
  const texts = await auditTexts();
  const any = t('any');
  const named = await tokenNames(runtime().db, guildId);
  const tokens = named.map(({ id, name }) => ({ value: id, label: name }));
  // An older one, from a link.
  if (token !== undefined && named.every(({ id }) => id !== token))
    tokens.push({ value: token, label: token });
  const operations = AUDIT_OPERATIONS.map((value) => ({ value, label: operationTitle(texts, value) }));
  return [
    { name: 'q', label: t('searchHint'), place: 'search' },
    {
      name: 'operation',
      label: t('operation'),
      any,
      options: operations.toSorted((a, b) => a.label.localeCompare(b.label)),
    },
    {
      name: 'outcome',
      label: t('outcome'),
      any,
      options: AUDIT_OUTCOMES.map((value) => ({ value, label: t(`outcomes.${value}`) })),
    },
    {
      name: 'source',
      label: t('source'),
      any,
      options: ACTOR_SOURCES.map((value) => ({ value, label: t(`sources.${value}`) })),
    },
    { name: 'from', label: t('fromDay'), is: 'day' },
    { name: 'to', label: t('toDay'), is: 'day' },
    {
      name: 'reads',
      label: t('reads'),
      any: t('readsHidden'),
      options: [{ value: 'shown', label: t('readsShown') }],
    },
    { name: 'actor', label: t('actor'), is: 'person', place: 'more' },
    { name: 'target', label: t('targetId'), is: 'target', place: 'more' },
    { name: 'token', label: t('token'), any, options: tokens, place: 'more' },
    { name: 'request', label: t('request'), place: 'more' },
  ];
}
