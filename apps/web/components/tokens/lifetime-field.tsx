'use client';

import { useTranslations } from 'use-intl/react';
import { SelectField } from '#components/ui/field.tsx';

const DAYS = { '7d': 7, '30d': 30, '90d': 90 } as const;

/** The field for the lifetime of a token. */
export function LifetimeField({ label, hint }: { label: string; hint?: string }) {
  const t = useTranslations('tokens');
  const common = useTranslations('common');
  return (
    <SelectField label={label} name="expires_in" defaultValue="90d" hint={hint}>
      {Object.entries(DAYS).map(([value, count]) => (
        <option key={value} value={value}>
          {common('days', { count })}
        </option>
      ))}
      <option value="never">{t('neverExpires')}</option>
    </SelectField>
  );
}
