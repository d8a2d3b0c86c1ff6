'use client';

import type { EscalationStep } from '@bailiff/core';
import type { EscalationWire } from '@bailiff/engine/cases/escalation';
import { Plus, Trash2 } from 'lucide-react';
import type { FormEvent } from 'react';
import { useTranslations } from 'use-intl/react';
import type { CallFailure } from '#components/call-api.ts';
import { Button } from '#components/ui/button.tsx';
import { DurationField } from '#components/ui/duration-field.tsx';
import { SelectField, TextField } from '#components/ui/field.tsx';
import { Obstacles } from '#components/ui/obstacles.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useFormatDuration } from '#components/ui/use-format-duration.ts';
import { useCall } from '#components/use-call.ts';
import { isEmpty, useKeptChanges } from '#components/use-kept-draft.ts';
import { PLACES } from '#src/settings-sections.ts';
import { STARTING_ESCALATION } from '#src/starting-escalation.ts';
import { consequencesOf } from './escalation-preview.ts';
import { SaveBar } from './save-bar.tsx';
import { useSaved } from './use-saved.ts';

const A_DAY_MINUTES = 1_440;

interface Draft {
  /** As typed; if empty, a strike never expires. */
  readonly decayDays: string;
  readonly minorPoints: number;
  readonly majorPoints: number;
  /** The React key of a step, which stays the same while other steps are added or removed. */
  readonly steps: readonly (EscalationStep & { readonly key: number })[];
}

/** The form for the points of strikes and the steps they lead to, with examples that follow what is typed. */
export function EscalationForm({
  guildId,
  policy: rendered,
  mostSteps,
}: {
  guildId: string;
  policy: EscalationWire;
  mostSteps: number;
}) {
  const t = useTranslations('settings');
  const { call, busy, failure, forget, refreshing } = useCall();
  const [policy, keepSaved] = useSaved(rendered, refreshing);
  const saved = draftOf(policy);
  const [edited, change, settle, discard] = useKeptChanges(`escalation:${guildId}`, saved, busy);
  const draft: Draft = { ...saved, ...edited };
  const isChanged = !isEmpty(edited);
  const hasTwins = draft.steps.some((step) => hasTwin(draft, step));
  const isFull = draft.steps.length >= mostSteps;
  const changeStep = (key: number, changes: Partial<EscalationStep>) =>
    change({ steps: draft.steps.map((step) => (step.key === key ? { ...step, ...changes } : step)) });

  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (hasTwins || !isChanged) return;
    if ((await call('PUT', `/api/guilds/${guildId}/escalation`, wireOf(draft))) === null) return;
    keepSaved(wireOf(draft));
    settle();
    toast({ text: t('saved') });
  };
  return (
    <form onSubmit={(event) => void save(event)} className="grid gap-5 p-4">
      <div id={PLACES.strikePoints} className="grid gap-4 sm:grid-cols-3">
        <PointsField
          label={t('escalation.minor')}
          value={draft.minorPoints}
          error={failure?.issueOf('minor_points')}
          onChange={(minorPoints) => change({ minorPoints })}
        />
        <PointsField
          label={t('escalation.major')}
          value={draft.majorPoints}
          error={failure?.issueOf('major_points')}
          onChange={(majorPoints) => change({ majorPoints })}
        />
        <div id={PLACES.strikesExpire}>
          <TextField
            type="number"
            min={1}
            max={3650}
            label={t('escalation.decay')}
            hint={t('escalation.decayHint')}
            value={draft.decayDays}
            onChange={({ target }) => change({ decayDays: target.value })}
            error={failure?.issueOf('decay_days')}
          />
        </div>
      </div>
      <div id={PLACES.steps}>
        <h3 className="mb-2 font-medium">{t('escalation.steps')}</h3>
        {draft.steps.length === 0 ? (
          <div className="grid justify-items-start gap-2">
            <p className="text-ink-soft">{t('escalation.noSteps')}</p>
            <Button variant="primary" onClick={() => change(draftOf(STARTING_ESCALATION))}>
              {t('escalation.propose')}
            </Button>
          </div>
        ) : (
          <ol className="grid gap-2">
            {draft.steps.map((step, index) => (
              <StepFields
                key={step.key}
                step={step}
                number={index + 1}
                failure={failure}
                isTwice={hasTwin(draft, step)}
                onChange={(changes) => changeStep(step.key, changes)}
                onRemove={() => change({ steps: draft.steps.filter(({ key }) => key !== step.key) })}
              />
            ))}
          </ol>
        )}
        <Button
          className="mt-2"
          disabled={isFull}
          onClick={() => change({ steps: [...draft.steps, nextStep(draft)] })}
        >
          <Plus aria-hidden size={16} />
          {t('escalation.addStep')}
        </Button>
        <Obstacles because={[isFull ? t('escalation.full', { count: mostSteps }) : null]} />
      </div>
      {hasTwins ? null : <Preview draft={draft} />}
      <SaveBar
        isChanged={isChanged}
        busy={busy}
        failure={failure}
        wrong={hasTwins ? t('escalation.twiceFirst') : null}
        onDiscard={() => {
          discard();
          forget();
        }}
      />
    </form>
  );
}

function PointsField({
  label,
  value,
  least = 0,
  error,
  onChange,
}: {
  label: string;
  value: number;
  least?: number;
  error: string | undefined;
  onChange: (points: number) => void;
}) {
  return (
    <TextField
      type="number"
      min={least}
      required
      label={label}
      value={Number.isFinite(value) ? value : ''}
      onChange={({ target }) => onChange(target.valueAsNumber)}
      error={error}
    />
  );
}

function StepFields({
  step,
  number,
  failure,
  isTwice,
  onChange,
  onRemove,
}: {
  step: EscalationStep;
  number: number;
  failure: CallFailure | null;
  /** Whether another step has as many points, so that neither can be saved. */
  isTwice: boolean;
  onChange: (changes: Partial<EscalationStep>) => void;
  onRemove: () => void;
}) {
  const t = useTranslations('settings.escalation');
  const presets = useTranslations('settings.presets');
  const at = `steps.${number - 1}`;
  return (
    <li className="border-line rounded-md border p-3">
      <fieldset className="grid gap-3 sm:grid-cols-2 sm:items-start lg:grid-cols-[7rem_minmax(0,13rem)_minmax(0,16rem)_auto]">
        <legend className="sr-only">{t('step', { number })}</legend>
        <PointsField
          label={t('points')}
          value={step.points}
          least={1}
          error={isTwice ? t('twice', { points: step.points }) : failure?.issueOf(`${at}.points`)}
          onChange={(points) => onChange({ points })}
        />
        <SelectField
          label={t('sanction')}
          value={step.sanction}
          onChange={({ target }) =>
            onChange({
              sanction: target.value as EscalationStep['sanction'],
              durationMinutes: step.durationMinutes ?? A_DAY_MINUTES,
            })
          }
        >
          <option value="mute">{t('mute')}</option>
          <option value="ban">{t('ban')}</option>
        </SelectField>
        <DurationField
          label={presets('lasts')}
          minutes={step.durationMinutes}
          canBePermanent={step.sanction === 'ban'}
          error={failure?.issueOf(`${at}.duration_minutes`)}
          onChange={(durationMinutes) => onChange({ durationMinutes })}
        />
        <Button
          variant="quiet"
          size="icon"
          className="lg:mt-6"
          aria-label={t('removeStep', { number })}
          title={t('removeStep', { number })}
          onClick={onRemove}
        >
          <Trash2 aria-hidden size={16} />
        </Button>
      </fieldset>
    </li>
  );
}

function Preview({ draft }: { draft: Draft }) {
  const t = useTranslations('settings.escalation');
  const formatDuration = useFormatDuration();
  const consequences = consequencesOf(draft).filter(({ strikes }) => Number.isFinite(strikes));
  if (consequences.length === 0) return null;
  const days = Number(draft.decayDays);
  const within = days > 0 ? 'yes' : 'no';
  return (
    <div aria-live="polite" className="bg-raised rounded-md px-3.5 py-3">
      <h3 className="font-medium">{t('preview')}</h3>
      <ul className="mt-1 grid gap-0.5">
        {consequences.map(({ severity, strikes, step }) => {
          const values = { severity, count: strikes, within, days, length: durationOf(step) };
          return (
            <li key={`${severity}-${strikes}`}>
              {step.sanction === 'mute' ? t('previewMute', values) : t('previewBan', values)}
            </li>
          );
        })}
      </ul>
    </div>
  );

  function durationOf({ sanction, durationMinutes }: EscalationStep): string {
    const length = formatDuration(durationMinutes);
    return sanction === 'ban' && durationMinutes !== null ? t('for', { length }) : length;
  }
}

function draftOf({ minor_points, major_points, decay_days, steps }: EscalationWire): Draft {
  return {
    minorPoints: minor_points,
    majorPoints: major_points,
    decayDays: decay_days === null ? '' : String(decay_days),
    steps: steps.map(({ points, sanction, duration_minutes }, index) => ({
      points,
      sanction,
      durationMinutes: duration_minutes,
      key: index,
    })),
  };
}

function wireOf({ minorPoints, majorPoints, decayDays, steps }: Draft): EscalationWire {
  return {
    minor_points: minorPoints,
    major_points: majorPoints,
    decay_days: decayDays === '' ? null : Number(decayDays),
    steps: steps.map(({ points, sanction, durationMinutes }) => ({
      points,
      sanction,
      duration_minutes: durationMinutes,
    })),
  };
}

function hasTwin({ steps }: Draft, { key, points }: Draft['steps'][number]): boolean {
  return steps.some((other) => other.key !== key && other.points === points);
}

/** A new step above the highest one, for the owner to edit. */
function nextStep(draft: Draft): Draft['steps'][number] {
  const highest = Math.max(0, ...draft.steps.map(({ points }) => points));
  return {
    points: highest + Math.max(1, draft.majorPoints || 1),
    sanction: 'mute',
    durationMinutes: A_DAY_MINUTES,
    key: nextKey(draft),
  };
}

function nextKey({ steps }: Draft): number {
  return Math.max(-1, ...steps.map(({ key }) => key)) + 1;
}
