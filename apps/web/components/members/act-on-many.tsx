'use client';

import type { OutputOf } from '@bailiff/core';
import type { OwnPreview } from '@bailiff/engine/cases/own-preview';
import type { PresetWire } from '@bailiff/engine/cases/presets';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { CallFailure } from '#components/call-api.ts';
import { Button } from '#components/ui/button.tsx';
import { DialogPopup } from '#components/ui/dialog-popup.tsx';
import { DurationField } from '#components/ui/duration-field.tsx';
import { Failure } from '#components/ui/failure.tsx';
import { TextAreaField, TextField } from '#components/ui/field.tsx';
import { FormActions } from '#components/ui/form-actions.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';
import { DeleteMessagesField } from './delete-messages-field.tsx';
import { PresetField } from './preset-field.tsx';
import type { Selectable } from './selection.tsx';
import { usePreview } from './use-preview.ts';

export type ManyKind = 'ban' | 'mute';

const DEFAULT_MINUTES = 60;
const TITLES = { ban: 'willBan', mute: 'willMute' } as const;

interface Props {
  guildId: string;
  kind: ManyKind;
  people: readonly Selectable[];
  presets: readonly PresetWire[];
  onDone: () => void;
  onClose: () => void;
}

/** The dialog that bans or mutes the selected people: whom it means and whom it spares, then the form. */
export function ActOnMany({ guildId, kind, people, presets, onDone, onClose }: Props) {
  const t = useTranslations('many');
  const users = people.map(({ id }) => id).join('\n');
  // Whoever is chosen by name is meant, also if they have left.
  const preview = usePreview(
    guildId,
    kind === 'ban' ? 'bans.preview' : 'mutes.preview',
    kind === 'ban' ? { users, include_left: true } : { users },
  );
  const found = preview instanceof CallFailure ? null : preview;
  const count = found?.preview?.count ?? people.length;
  // Nobody is left to act on: then it is still about those who were selected.
  const titled = count > 0 ? count : people.length;
  return (
    <DialogPopup open onOpenChange={onClose} title={t(TITLES[kind], { count: titled })}>
      <div className="grid gap-4">
        {preview === null ? (
          <p role="status" className="text-ink-soft">
            {t('looking')}
          </p>
        ) : null}
        {preview instanceof CallFailure ? <Failure failure={preview} /> : null}
        {found === null ? null : <Spared people={people} spared={found.spared} />}
        {found?.preview == null || found.preview.count > 0 ? null : <p>{t('nobody')}</p>}
        {found?.preview != null && found.preview.count > 0 ? (
          <ManyForm
            guildId={guildId}
            kind={kind}
            previewId={found.preview.id}
            count={count}
            presets={presets}
            onDone={onDone}
            onClose={onClose}
          />
        ) : (
          <CloseButton onClose={onClose} />
        )}
      </div>
    </DialogPopup>
  );
}

function CloseButton({ onClose }: { onClose: () => void }) {
  const t = useTranslations('ui');
  return (
    <div className="flex justify-end">
      <Button onClick={onClose}>{t('cancel')}</Button>
    </div>
  );
}

/** Who is left alone, each with the reason. */
function Spared({ people, spared }: { people: readonly Selectable[]; spared: OwnPreview['spared'] }) {
  const t = useTranslations('many');
  if (spared.length === 0) return null;
  return (
    <div>
      <p className="font-medium">{t('spared')}</p>
      <ul className="text-ink-soft mt-1 max-h-40 overflow-y-auto">
        {spared.map(({ user_id, spared: why }) => (
          <li key={user_id} className="wrap-anywhere">
            <bdi className="text-ink">{people.find(({ id }) => id === user_id)?.name ?? user_id}</bdi>
            {why === null ? null : `: ${t(`why.${why}`)}`}
          </li>
        ))}
      </ul>
    </div>
  );
}

type Answer = OutputOf<'bans.many'> | { readonly action: object };

function ManyForm({
  guildId,
  kind,
  previewId,
  count,
  presets,
  onDone,
  onClose,
}: Omit<Props, 'people'> & { previewId: string; count: number }) {
  const t = useTranslations('many');
  const cases = useTranslations('cases');
  const ui = useTranslations('ui');
  const { call, busy, failure, isShown } = useCall();
  const [minutes, setMinutes] = useState<number | null>(kind === 'ban' ? null : DEFAULT_MINUTES);
  const [presetsPicked, setPresetsPicked] = useState(0);
  const [deleted, setDeleted] = useState<number>();
  const [reason, setReason] = useState('');
  const [repeated, setRepeated] = useState('');
  const isRepeated = repeated.trim() === String(count);

  const pick = (preset: PresetWire) => {
    setReason(preset.reason);
    setMinutes(preset.duration_minutes);
    setPresetsPicked(presetsPicked + 1);
  };

  const act = async (event: FormEvent) => {
    event.preventDefault();
    if (!isRepeated) return;
    const answer = await call<Answer>('POST', `/api/guilds/${guildId}/actions`, {
      operation: kind === 'ban' ? 'bans.many' : 'mutes.many',
      input: {
        preview_id: previewId,
        count,
        reason: reason.trim(),
        ...(minutes === null ? {} : { duration_minutes: minutes }),
        ...(deleted === undefined ? {} : { delete_message_seconds: deleted }),
      },
    });
    if (answer === null) return;
    if (isShown()) onClose();
    onDone();
    if ('action' in answer) return toast({ text: t('begun') });
    const { done, failed, unknown, not_tried: left } = answer.many;
    toast({ text: t('ended', { done, failed, unknown, left }), tone: done === count ? 'good' : 'bad' });
  };

  return (
    <form onSubmit={(event) => void act(event)} className="grid gap-4">
      <p className="text-ink-soft">{t('exactly')}</p>
      <PresetField presets={presets} kind={kind} onPick={pick} />
      <DurationField
        key={presetsPicked} // the field keeps what was typed, so a picked preset needs a new one
        label={cases('length')}
        minutes={minutes}
        onChange={setMinutes}
        canBePermanent={kind === 'ban'}
        error={failure?.issueOf('duration_minutes')}
      />
      <TextAreaField
        label={cases('reason')}
        required
        rows={3}
        maxLength={512}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
        error={failure?.issueOf('reason')}
      />
      {kind === 'ban' ? (
        <DeleteMessagesField
          seconds={deleted}
          onChange={setDeleted}
          error={failure?.issueOf('delete_message_seconds')}
        />
      ) : null}
      <TextField
        label={t('repeat', { count: String(count) })}
        inputMode="numeric"
        autoComplete="off"
        value={repeated}
        onChange={({ target }) => setRepeated(target.value)}
      />
      <FormActions
        submit={t(TITLES[kind], { count })}
        onCancel={onClose}
        danger
        busy={busy}
        failure={failure}
        disabledBecause={isRepeated ? null : ui('typeFirst')}
      />
    </form>
  );
}
