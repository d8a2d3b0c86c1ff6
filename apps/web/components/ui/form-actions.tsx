'use client';

import { useTranslations } from 'use-intl/react';
import type { CallFailure } from '#components/call-api.ts';
import { Button } from './button.tsx';
import { FormFailure } from './form-failure.tsx';

interface Props {
  submit: string;
  onCancel?: (() => void) | undefined;
  danger?: boolean;
  busy: boolean;
  failure: CallFailure | null;
  /** Why the form cannot be sent yet; null if it can. */
  disabledBecause?: string | null;
}

/** The end of a form: its buttons, and the error message if no field shows it. */
export function FormActions({
  submit,
  onCancel,
  danger = false,
  busy,
  failure,
  disabledBecause = null,
}: Props) {
  const t = useTranslations('ui');
  return (
    <>
      <FormFailure failure={failure} />
      <div className="flex flex-wrap justify-end gap-2">
        {onCancel === undefined ? null : <Button onClick={onCancel}>{t('cancel')}</Button>}
        <Button
          type="submit"
          variant={danger ? 'danger' : 'primary'}
          disabled={busy || disabledBecause !== null}
          title={disabledBecause ?? undefined}
        >
          {submit}
        </Button>
      </div>
    </>
  );
}
