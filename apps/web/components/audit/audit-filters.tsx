import { ACTOR_SOURCES, AUDIT_OUTCOMES } from '@bailiff/core';
import { FilterBar, FilterSelect, FilterText } from '#components/ui/filter-bar.tsx';
import { SearchField } from '#components/ui/search-field.tsx';
import { AUDIT_OPERATIONS } from '#src/audit-operations.ts';
import type { AuditParameters } from '#src/audit-query.ts';
import { auditTexts, messagesFor } from '#src/messages.ts';
import { operationTitle } from '#src/operation-titles.ts';

/** The filters of the audit log with their current values. Ids are set by links on other pages. */
export async function AuditFilters({ given, path }: { given: AuditParameters; path: string }) {
  const t = await messagesFor('audit');
  const any = { value: '', label: t('any') };
  const texts = await auditTexts();
  const operations = AUDIT_OPERATIONS.map((value) => ({ value, label: operationTitle(texts, value) }));
  return (
    <FilterBar label={t('filters')} clearHref={path} active={Object.keys(given).length > 0}>
      <SearchField name="q" label={t('searchHint')} defaultValue={given.q} />
      <FilterSelect
        name="operation"
        label={t('operation')}
        defaultValue={given.operation}
        options={[any, ...operations.toSorted((a, b) => a.label.localeCompare(b.label))]}
      />
      <FilterSelect
        name="outcome"
        label={t('outcome')}
        defaultValue={given.outcome}
        options={[any, ...AUDIT_OUTCOMES.map((value) => ({ value, label: t(`outcomes.${value}`) }))]}
      />
      <FilterSelect
        name="source"
        label={t('source')}
        defaultValue={given.source}
        options={[any, ...ACTOR_SOURCES.map((value) => ({ value, label: t(`sources.${value}`) }))]}
      />
      <FilterText name="from" label={t('fromDay')} type="date" defaultValue={given.from} />
      <FilterText name="to" label={t('toDay')} type="date" defaultValue={given.to} />
      <FilterSelect
        name="reads"
        label={t('reads')}
        defaultValue={given.reads}
        options={[
          { value: '', label: t('readsHidden') },
          { value: 'shown', label: t('readsShown') },
        ]}
      />
      <details className="basis-full" open={hasIds(given)}>
        <summary className="text-ink-soft hover:text-ink w-fit cursor-pointer py-1">{t('byId')}</summary>
        <div className="mt-1 flex flex-wrap items-end gap-2">
          <FilterText name="actor" label={t('actor')} defaultValue={given.actor} />
          <FilterText name="target" label={t('targetId')} defaultValue={given.target} />
          <FilterText name="token" label={t('token')} defaultValue={given.token} />
          <FilterText name="request" label={t('request')} defaultValue={given.request} />
        </div>
      </details>
    </FilterBar>
  );
}

function hasIds({ actor, target, token, request }: AuditParameters): boolean {
  return [actor, target, token, request].some((value) => value !== undefined);
}
