'use client';

import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { CheckField, SelectField, TextField } from '#components/ui/field.tsx';

const UNITS = { unitWeeks: 10_080, unitDays: 1_440, unitHours: 60, unitMinutes: 1 } as const;
type Unit = keyof typeof UNITS;

/** A length of time as people say it. */
export interface Length {
  readonly amount: string;
  readonly unit: Unit;
  readonly forGood: boolean;
}

/** In the largest unit that it is a whole number of; null is for good. */
export function lengthOf(minutes: number | null): Length {
  if (minutes === null) return { amount: '1', unit: 'unitDays', forGood: true };
  const unit = (Object.keys(UNITS) as Unit[]).find((each) => minutes % UNITS[each] === 0) ?? 'unitMinutes';
  return { amount: String(minutes / UNITS[unit]), unit, forGood: false };
}

/** Whole minutes; NaN while it says none. Absent for good. */
export function minutesIn({ amount, unit, forGood }: Length): number | undefined {
  return forGood ? undefined : Number(amount.trim() === '' ? Number.NaN : amount) * UNITS[unit];
}

/** Asks for a length; `canBeForGood` of what need not end. */
export function LengthField({
  value,
  onChange,
  canBeForGood,
  error,
}: {
  value: Length;
  onChange: (length: Length) => void;
  canBeForGood: boolean;
  error: string | undefined;
}) {
  const t = useTranslations('cases');
  const [remembered, setRemembered] = useState(value);
  return (
    <div className="grid gap-2">
      <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)] gap-3">
        <TextField
          label={t('length')}
          inputMode="numeric"
          pattern="[0-9]{1,6}"
          autoComplete="off"
          required={!value.forGood}
          disabled={value.forGood}
          value={value.forGood ? '' : value.amount}
          onChange={({ target }) => onChange({ ...value, amount: target.value })}
          error={error}
        />
        <SelectField
          label={t('unit')}
          disabled={value.forGood}
          value={value.unit}
          onChange={({ target }) => onChange({ ...value, unit: target.value as Unit })}
        >
          {(Object.keys(UNITS) as Unit[]).toReversed().map((unit) => (
            <option key={unit} value={unit}>
              {t(unit)}
            </option>
          ))}
        </SelectField>
      </div>
      {canBeForGood ? (
        <CheckField
          label={t('permanently')}
          checked={value.forGood}
          onChange={({ target }) => {
            setRemembered(value);
            onChange(target.checked ? { ...value, forGood: true } : { ...remembered, forGood: false });
          }}
        />
      ) : null}
    </div>
  );
}
