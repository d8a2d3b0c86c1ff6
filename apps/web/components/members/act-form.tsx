'use client';

import type { DashboardField, Severity } from '@bailiff/core';
import type { PresetWire } from '@bailiff/engine/cases/presets';
import { type FormEvent, Fragment, type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import {
  AlsoInGames,
  type GamePlaces,
  type GamesAnswer,
  useGamesSummary,
} from '#components/servers/also-in-games.tsx';
import { DurationField } from '#components/ui/duration-field.tsx';
import { TextAreaField } from '#components/ui/field.tsx';
import { FormActions } from '#components/ui/form-actions.tsx';
import { Callout } from '#components/ui/panel.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';
import type { PersonOffer } from '#src/offers.ts';
import { DeleteMessagesField } from './delete-messages-field.tsx';
import { PresetField } from './preset-field.tsx';
import { SeverityField } from './severity-field.tsx';
import { StrikeForecast, useStrikeForecast } from './strike-forecast.tsx';

/** A ban or mute in force. */
export interface Sanction {
  kind: 'ban' | 'mute';
  caseId: string;
  caseNumber: number;
  /** ISO 8601; null: permanent. */
  until: string | null;
  /** Whether it has run out, and could not be lifted. */
  isOverdue: boolean;
}

export interface ActTarget {
  guildId: string;
  userId: string;
  /** The name that the dialogs show. */
  name: string;
  presets: readonly PresetWire[];
  /** What is in force against them. */
  inForce: readonly Sanction[];
  /** The game servers where they are known, by what can be done there. */
  games: GamePlaces;
}

const DEFAULT_MINUTES = 60;

/** The form in the dialog of an operation on a person. */
export function ActForm({
  offer: { operation, fields, presets: presetKind, inGames },
  guildId,
  userId,
  presets,
  inForce,
  games,
  submit,
  danger,
  doneText,
  onClose,
}: ActTarget & {
  offer: PersonOffer;
  submit: string;
  danger: boolean;
  doneText: (caseNumber: string) => string;
  onClose: () => void;
}) {
  const t = useTranslations('cases');
  const { call, busy, failure, isShown } = useCall();
  const isRequired = (field: DashboardField) =>
    fields.some(({ name, required }) => name === field && required);
  const [reason, setReason] = useState('');
  const [severity, setSeverity] = useState<Severity>('minor');
  const [minutes, setMinutes] = useState(isRequired('duration_minutes') ? DEFAULT_MINUTES : null);
  const [deleted, setDeleted] = useState<number>();
  const [alsoInGames, setAlsoInGames] = useState(false);
  const summary = useGamesSummary();
  const places = inGames === null ? [] : games[inGames];
  const escalates = operation === 'strikes.add';
  const forecast = useStrikeForecast(guildId, userId, severity, escalates, failure);
  const replaced = inForce.find(({ kind }) => kind === presetKind);

  const pick = (preset: PresetWire) => {
    setReason(preset.reason);
    if (preset.severity !== null) setSeverity(preset.severity);
    setMinutes(preset.duration_minutes);
  };

  /** Each field with the value to send, undefined to leave it out, and with its control. */
  const controls: Record<
    DashboardField,
    { value: unknown; control: (error: string | undefined) => ReactNode }
  > = {
    severity: {
      value: severity,
      control: (error) => <SeverityField value={severity} onChange={setSeverity} error={error} />,
    },
    duration_minutes: {
      value: minutes ?? undefined,
      control: (error) => (
        <DurationField
          label={t('length')}
          minutes={minutes}
          onChange={setMinutes}
          canBePermanent={!isRequired('duration_minutes')}
          error={error}
        />
      ),
    },
    reason: {
      value: reason.trim(),
      control: (error) => (
        <TextAreaField
          label={t('reason')}
          required
          rows={3}
          maxLength={512}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
          error={error}
        />
      ),
    },
    delete_message_seconds: {
      value: deleted,
      control: (error) => <DeleteMessagesField seconds={deleted} onChange={setDeleted} error={error} />,
    },
  };

  const act = async (event: FormEvent) => {
    event.preventDefault();
    const given = fields.flatMap(({ name }) => {
      const { value } = controls[name];
      return value === undefined ? [] : [[name, value] as const];
    });
    const answer = await call<object & GamesAnswer>('POST', `/api/guilds/${guildId}/actions`, {
      operation,
      input: { user_id: userId, ...Object.fromEntries(given) },
      ...(escalates && forecast !== null ? { foreseen: forecast.step } : {}),
      ...(alsoInGames && places.length > 0 ? { game_servers: true } : {}),
    });
    if (answer === null) return;
    if (isShown()) onClose();
    toast({ text: doneText(caseNumberIn(answer)) });
    const told = summary(answer);
    if (told !== null) toast(told);
  };

  return (
    <form onSubmit={(event) => void act(event)} className="grid gap-4">
      {replaced === undefined ? null : (
        <Callout tone="warn">
          {t('replaces', { kind: replaced.kind, number: String(replaced.caseNumber) })}
        </Callout>
      )}
      <PresetField presets={presets} kind={presetKind} onPick={pick} />
      {fields.map(({ name }) => (
        <Fragment key={name}>{controls[name].control(failure?.issueOf(name))}</Fragment>
      ))}
      <AlsoInGames places={places} checked={alsoInGames} onChange={setAlsoInGames} />
      {escalates ? <StrikeForecast forecast={forecast} /> : null}
      <FormActions submit={submit} onCancel={onClose} danger={danger} busy={busy} failure={failure} />
    </form>
  );
}

/** The number of the case in an answer of the API. */
function caseNumberIn(answer: object): string {
  for (const value of Object.values(answer)) {
    if (typeof value === 'object' && value !== null && 'case_number' in value)
      return String(value.case_number);
  }
  return '';
}
