'use client';

import { parseDuration, parseNumber } from '@bailiff/core/durations';
import { clsx } from 'clsx';
import { useId, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { CONTROL, FieldError } from './field.tsx';

const UNITS = [
  ['weeks', 10_080],
  ['days', 1_440],
  ['hours', 60],
  ['minutes', 1],
] as const;

type Unit = (typeof UNITS)[number][0] | 'permanent';

/**
 * A control for a duration: an amount and a unit. Whoever writes the unit with the amount, such as `2 hours` or `1 jour`,
 * is understood too. A form with it sends the field `name`: whole minutes, or an empty text for a permanent duration.
 */
export function DurationField({
  label,
  name,
  minutes,
  canBePermanent = false,
  error,
  onChange,
}: {
  label: string;
  name?: string;
  /** Null is permanent. What is typed stays as it is typed, until this becomes another length. */
  minutes: number | null;
  /** Offers a permanent duration as well. */
  canBePermanent?: boolean;
  error?: string | undefined;
  onChange?: (minutes: number | null) => void;
}) {
  const t = useTranslations('ui.length');
  const common = useTranslations('common');
  const hint = useId();
  const [unit, setUnit] = useState<Unit>(unitOf(minutes));
  const [amount, setAmount] = useState(minutes === null ? '' : String(minutes / sizeOf(unit)));
  const value = minutesOf(amount, unit);
  // Whoever wrote a text that is no length is not helped by an error about minutes alone.
  const isNone = value !== null && value <= 0;
  const [given, setGiven] = useState(minutes);
  if (given !== minutes) {
    setGiven(minutes);
    if (minutes !== value) {
      const nextUnit = unitOf(minutes);
      setUnit(nextUnit);
      setAmount(minutes === null ? '' : String(minutes / sizeOf(nextUnit)));
    }
  }
  const change = (nextAmount: string, nextUnit: Unit) => {
    setAmount(nextAmount);
    setUnit(nextUnit);
    onChange?.(minutesOf(nextAmount, nextUnit));
  };
  const separate = () => {
    const written = writtenMinutes(amount);
    if (written === undefined || (written === null && !canBePermanent)) return;
    const nextUnit = unitOf(written);
    change(written === null ? '' : String(written / sizeOf(nextUnit)), nextUnit);
  };
  return (
    <fieldset aria-describedby={hint}>
      <legend className="mb-1 font-medium">{label}</legend>
      <div className="flex gap-2">
        {unit === 'permanent' ? null : (
          <input
            type="text"
            inputMode="numeric"
            autoComplete="off"
            required
            aria-label={t('amount')}
            aria-describedby={hint}
            aria-invalid={error !== undefined}
            value={amount}
            onChange={({ target }) => change(target.value, unit)}
            onBlur={separate}
            className={clsx(CONTROL, 'h-9 max-w-24')}
          />
        )}
        <select
          aria-label={t('unit')}
          value={unit}
          onChange={({ target }) => change(/\d/.test(amount) ? amount : '1', target.value as Unit)}
          className={clsx(CONTROL, 'h-9')}
        >
          {UNITS.toReversed().map(([each]) => (
            <option key={each} value={each}>
              {t(each)}
            </option>
          ))}
          {canBePermanent ? <option value="permanent">{common('permanent')}</option> : null}
        </select>
      </div>
      {name === undefined ? null : <input type="hidden" name={name} value={value ?? ''} />}
      <div id={hint} className="mt-1">
        {error === undefined ? null : <FieldError>{isNone ? [error, t('noLength')] : error}</FieldError>}
      </div>
    </fieldset>
  );
}

/** The minutes of an amount in a unit, or as written with a unit of its own; 0 for what is no length. */
function minutesOf(amount: string, unit: Unit): number | null {
  const written = writtenMinutes(amount);
  if (written !== undefined) return written;
  if (unit === 'permanent') return null;
  return Math.round((parseNumber(amount) ?? 0) * sizeOf(unit));
}

/** The minutes of an amount that is written with its unit; undefined for any other text. */
function writtenMinutes(amount: string): number | null | undefined {
  const seconds = parseDuration(amount);
  if (seconds === 'bare' || seconds === 0 || seconds === undefined) return undefined;
  return seconds === null ? null : Math.ceil(seconds / 60);
}

function sizeOf(unit: Unit): number {
  return UNITS.find(([each]) => each === unit)?.[1] ?? 1;
}

/** The largest unit that divides the duration into whole numbers. */
function unitOf(minutes: number | null): Unit {
  if (minutes === null) return 'permanent';
  return UNITS.find(([, size]) => minutes % size === 0)?.[0] ?? 'minutes';
}
