'use client';

import type { InputOf, Severity } from '@bailiff/core';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { SeverityField } from '#components/members/severity-field.tsx';
import { DurationField } from '#components/ui/duration-field.tsx';
import { TextAreaField } from '#components/ui/field.tsx';
import { FormActions } from '#components/ui/form-actions.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';

export interface EditableCase {
  guildId: string;
  caseId: string;
  number: number;
  userId: string;
  reason: string | null;
  /** Of a strike that counts. */
  severity: Severity | null;
  /** Of a ban or mute in force, whose length can change. */
  length: { operation: 'bans.change' | 'mutes.change'; minutes: number | null } | null;
}

/** An operation of the dashboard's API, with its input. */
type Change =
  | { operation: 'cases.edit'; input: InputOf<'cases.edit'> }
  | {
      operation: 'strikes.change';
      input: InputOf<'strikes.change'>;
    }
  | { operation: 'bans.change' | 'mutes.change'; input: InputOf<'bans.change'> };

/** The form that changes a case. It sends what was changed, each as the operation that does it. */
export function EditCaseForm({
  guildId,
  caseId,
  number,
  userId,
  onClose,
  ...now
}: EditableCase & { onClose: () => void }) {
  const t = useTranslations('cases');
  const { call, busy, failure, isShown } = useCall();
  /** What stood when the form was opened: what others change meanwhile is not changed back. */
  const [before] = useState(now);
  const [reason, setReason] = useState(before.reason ?? '');
  const [severity, setSeverity] = useState(before.severity);
  const [minutes, setMinutes] = useState(before.length?.minutes ?? null);

  const changes = (): Change[] => {
    const { length } = before;
    return [
      ...(reason.trim() === (before.reason ?? '')
        ? []
        : [{ operation: 'cases.edit', input: { caseId, reason: reason.trim() } } as const]),
      ...(severity === null || severity === before.severity
        ? []
        : [{ operation: 'strikes.change', input: { strikeId: caseId, severity } } as const]),
      ...(length === null || minutes === length.minutes
        ? []
        : [
            {
              operation: length.operation,
              input: { userId, ...(minutes === null ? {} : { duration_minutes: minutes }) },
            },
          ]),
    ];
  };
  const send = async (event: FormEvent) => {
    event.preventDefault();
    for (const change of changes()) {
      if ((await call('POST', `/api/guilds/${guildId}/actions`, change)) === null) return;
    }
    if (isShown()) onClose();
    toast({ text: t('edited', { number: String(number) }) });
  };
  return (
    <form onSubmit={(event) => void send(event)} className="grid gap-4">
      <TextAreaField
        label={t('reason')}
        required={before.reason !== null}
        rows={4}
        maxLength={512}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
        error={failure?.issueOf('reason')}
      />
      {severity === null ? null : (
        <SeverityField value={severity} onChange={setSeverity} error={failure?.issueOf('severity')} />
      )}
      {before.length === null ? null : (
        <DurationField
          label={t('lengthFromBegin')}
          minutes={minutes}
          onChange={setMinutes}
          canBePermanent={before.length.operation === 'bans.change'}
          error={failure?.issueOf('duration_minutes')}
        />
      )}
      <FormActions submit={t('edit')} onCancel={onClose} busy={busy} failure={failure} />
    </form>
  );
}
