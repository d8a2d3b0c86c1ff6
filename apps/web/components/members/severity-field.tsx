'use client';

import type { Severity } from '@bailiff/core';
import { useTranslations } from 'use-intl/react';
import { SelectField } from '#components/ui/field.tsx';

/** A control for the severity of a strike. */
export function SeverityField({
  value,
  onChange,
  error,
}: {
  value: Severity;
  onChange: (severity: Severity) => void;
  error: string | undefined;
}) {
  const t = useTranslations('cases');
  const common = useTranslations('common');
  return (
    <SelectField
      label={t('severity')}
      value={value}
      onChange={({ target }) => onChange(target.value === 'major' ? 'major' : 'minor')}
      error={error}
    >
      <option value="minor">{common('severityMinor')}</option>
      <option value="major">{common('severityMajor')}</option>
    </SelectField>
  );
}
