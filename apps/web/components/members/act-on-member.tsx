'use client';

import type { Capability, OperationName, Severity } from '@bailiff/core';
import type { PresetWire } from '@bailiff/engine/cases/presets';
import { Gavel, MicOff, TriangleAlert } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { useLength } from '#components/settings/use-length.ts';
import { Button } from '#components/ui/button.tsx';
import { Dialog } from '#components/ui/dialog.tsx';
import { SelectField, TextAreaField } from '#components/ui/field.tsx';
import { FormActions } from '#components/ui/form-actions.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';
import { Foresight, useForesight } from './foresight.tsx';
import { LengthField, lengthOf, minutesIn } from './length-field.tsx';

const DEEDS = {
  strike: {
    operation: 'strikes.add',
    needs: 'strikes.write',
    title: 'strikeOf',
    done: 'struck',
    Icon: TriangleAlert,
  },
  mute: { operation: 'mutes.add', needs: 'mutes.write', title: 'muteOf', done: 'muted', Icon: MicOff },
  ban: { operation: 'bans.add', needs: 'bans.write', title: 'banOf', done: 'banned', Icon: Gavel },
} as const satisfies Record<string, { operation: OperationName; needs: Capability; [more: string]: unknown }>;

type Deed = keyof typeof DEEDS;
const DEED_NAMES = ['strike', 'mute', 'ban'] as const;

interface Target {
  guildId: string;
  userId: string;
  /** As the dialogs call them. */
  name: string;
  presets: readonly PresetWire[];
}

/** The buttons that strike, mute and ban somebody, each with its dialog. */
export function ActOnMember({ capabilities, ...target }: Target & { capabilities: readonly Capability[] }) {
  const t = useTranslations('cases');
  const [open, setOpen] = useState<Deed | null>(null);
  return (
    <>
      {DEED_NAMES.map((deed) => {
        const { needs, Icon } = DEEDS[deed];
        const may = capabilities.includes(needs);
        return (
          <Button
            key={deed}
            look={deed === 'ban' ? 'danger' : 'plain'}
            disabled={!may}
            title={may ? undefined : t('needs', { capability: needs })}
            onClick={() => setOpen(deed)}
          >
            <Icon aria-hidden size={16} />
            {t(deed)}
          </Button>
        );
      })}
      {DEED_NAMES.map((deed) => (
        <Dialog
          key={deed}
          open={open === deed}
          onOpenChange={() => setOpen(null)}
          title={t(DEEDS[deed].title, { name: target.name })}
        >
          <DeedForm deed={deed} onClose={() => setOpen(null)} {...target} />
        </Dialog>
      ))}
    </>
  );
}

const DAY_SECONDS = 86_400;
const DELETED = [3_600, DAY_SECONDS, 7 * DAY_SECONDS];

function DeedForm({
  deed,
  guildId,
  userId,
  name,
  presets,
  onClose,
}: Target & { deed: Deed; onClose: () => void }) {
  const t = useTranslations('cases');
  const inWords = useLength();
  const { call, busy, failure } = useCall();
  const [reason, setReason] = useState('');
  const [severity, setSeverity] = useState<Severity>('minor');
  const [length, setLength] = useState(lengthOf(deed === 'ban' ? null : 60));
  const [deleted, setDeleted] = useState('');
  const foreseen = useForesight(guildId, userId, severity, deed === 'strike');
  const fitting = presets.filter(({ kind }) => kind === deed);

  const pick = (id: string) => {
    const preset = fitting.find((each) => each.id === id);
    if (preset === undefined) return;
    setReason(preset.reason);
    if (preset.severity !== null) setSeverity(preset.severity);
    if (deed !== 'strike') setLength(lengthOf(preset.duration_minutes));
  };
  const act = async (event: FormEvent) => {
    event.preventDefault();
    const { operation, done } = DEEDS[deed];
    const minutes = minutesIn(length);
    const own = {
      strike: { severity },
      mute: { duration_minutes: minutes },
      ban: {
        ...(minutes === undefined ? {} : { duration_minutes: minutes }),
        ...(deleted === '' ? {} : { delete_message_seconds: Number(deleted) }),
      },
    }[deed];
    const answer = await call<Record<Deed, { case_number: number }>>(
      'POST',
      `/api/guilds/${guildId}/actions`,
      {
        operation,
        input: { user_id: userId, reason: reason.trim(), ...own },
        ...(deed === 'strike' && foreseen !== null ? { foreseen: foreseen.step } : {}),
      },
    );
    if (answer === null) return;
    onClose();
    toast({ text: t(done, { name, number: String(answer[deed].case_number) }) });
  };

  return (
    <form onSubmit={(event) => void act(event)} className="grid gap-4">
      {fitting.length === 0 ? null : (
        <SelectField label={t('preset')} defaultValue="" onChange={({ target }) => pick(target.value)}>
          <option value="">{t('noPreset')}</option>
          {fitting.map((preset) => (
            <option key={preset.id} value={preset.id}>
              {preset.name}
            </option>
          ))}
        </SelectField>
      )}
      {deed === 'strike' ? (
        <SeverityField value={severity} onChange={setSeverity} error={failure?.issueOf('severity')} />
      ) : (
        <LengthField
          value={length}
          onChange={setLength}
          canBeForGood={deed === 'ban'}
          error={failure?.issueOf('duration_minutes')}
        />
      )}
      <TextAreaField
        label={t('reason')}
        required
        rows={3}
        maxLength={512}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
        error={failure?.issueOf('reason')}
      />
      {deed === 'ban' ? (
        <SelectField
          label={t('deleteMessages')}
          value={deleted}
          onChange={({ target }) => setDeleted(target.value)}
          error={failure?.issueOf('delete_message_seconds')}
        >
          <option value="">{t('deleteNone')}</option>
          {DELETED.map((seconds) => (
            <option key={seconds} value={seconds}>
              {t('deleteLast', { length: inWords(seconds / 60) })}
            </option>
          ))}
        </SelectField>
      ) : null}
      {deed === 'strike' ? <Foresight foreseen={foreseen} /> : null}
      <FormActions
        submit={t(deed)}
        onCancel={onClose}
        danger={deed === 'ban'}
        busy={busy}
        failure={failure}
      />
    </form>
  );
}

function SeverityField({
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
