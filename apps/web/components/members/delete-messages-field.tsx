'use client';

import { useTranslations } from 'use-intl/react';
import { SelectField } from '#components/ui/field.tsx';
import { useFormatDuration } from '#components/ui/use-format-duration.ts';

const DAY_SECONDS = 86_400;
const DELETE_MESSAGE_SECONDS = [3_600, DAY_SECONDS, 7 * DAY_SECONDS];

/** Asks how far back messages are deleted; undefined deletes none. */
export function DeleteMessagesField({
  seconds,
  onChange,
  error,
}: {
  seconds: number | undefined;
  onChange: (seconds: number | undefined) => void;
  error: string | undefined;
}) {
  const t = useTranslations('cases');
  const formatDuration = useFormatDuration();
  return (
    <SelectField
      label={t('deleteMessages')}
      value={seconds ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? undefined : Number(target.value))}
      error={error}
    >
      <option value="">{t('deleteNone')}</option>
      {DELETE_MESSAGE_SECONDS.map((each) => (
        <option key={each} value={each}>
          {t('deleteLast', { length: formatDuration(each / 60) })}
        </option>
      ))}
    </SelectField>
  );
}
