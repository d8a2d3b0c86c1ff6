'use client';

import { PRESET_KINDS } from '@bailiff/core/case-kinds';
import type { PresetWire } from '@bailiff/engine/cases/presets';
import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import type { CallFailure } from '#components/call-api.ts';
import { kindName } from '#components/cases/case-labels.ts';
import { ConfirmDialog } from '#components/ui/confirm-dialog.tsx';
import { DurationField } from '#components/ui/duration-field.tsx';
import { SelectField, TextAreaField, TextField } from '#components/ui/field.tsx';

const A_DAY_MINUTES = 1_440;

/** The dialog that adds or edits a preset reason. */
export function PresetDialog({
  guildId,
  preset,
  open,
  onClose,
}: {
  guildId: string;
  preset: PresetWire | null;
  open: boolean;
  onClose: () => void;
}) {
  const t = useTranslations('settings');
  const path = `/api/guilds/${guildId}/presets`;
  return (
    <ConfirmDialog<PresetWire>
      open={open}
      onClose={onClose}
      title={preset === null ? t('presets.addTitle') : t('presets.editTitle', { name: preset.name })}
      confirm={preset === null ? t('presets.add') : t('save')}
      request={(form) => ({
        method: preset === null ? 'POST' : 'PUT',
        path: preset === null ? path : `${path}/${preset.id}`,
        body: bodyOf(form),
      })}
      done={({ name }) => t('presets.saved', { name })}
    >
      {(failure) => <Fields preset={preset} failure={failure} />}
    </ConfirmDialog>
  );
}

function Fields({ preset, failure }: { preset: PresetWire | null; failure: CallFailure | null }) {
  const t = useTranslations('settings.presets');
  const common = useTranslations('common');
  const say = useTranslations('operations');
  const [kind, setKind] = useState<PresetWire['kind']>(preset?.kind ?? 'strike');
  return (
    <>
      <TextField
        label={t('name')}
        hint={t('nameHint')}
        name="name"
        required
        maxLength={64}
        defaultValue={preset?.name}
        error={failure?.issueOf('name')}
      />
      <SelectField
        label={t('kind')}
        name="kind"
        value={kind}
        onChange={({ target }) => setKind(target.value as PresetWire['kind'])}
      >
        {PRESET_KINDS.map((each) => (
          <option key={each} value={each}>
            {say(kindName(each))}
          </option>
        ))}
      </SelectField>
      <TextAreaField
        label={t('reason')}
        name="reason"
        required
        rows={2}
        defaultValue={preset?.reason}
        error={failure?.issueOf('reason')}
      />
      {kind === 'strike' ? (
        <SelectField label={t('severity')} name="severity" defaultValue={preset?.severity ?? 'minor'}>
          <option value="minor">{common('severityMinor')}</option>
          <option value="major">{common('severityMajor')}</option>
        </SelectField>
      ) : (
        <DurationField
          key={kind}
          label={t('lasts')}
          name="duration_minutes"
          minutes={preset?.kind === kind ? preset.duration_minutes : A_DAY_MINUTES}
          canBePermanent={kind === 'ban'}
          error={failure?.issueOf('duration_minutes')}
        />
      )}
    </>
  );
}

function bodyOf(form: FormData): object {
  const { duration_minutes: minutes, ...fields } = Object.fromEntries(form);
  if (minutes === undefined) return fields;
  return { ...fields, duration_minutes: minutes === '' ? null : Number(minutes) };
}
