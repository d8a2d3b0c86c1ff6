import { clsx } from 'clsx';
import { type ReactNode, useId } from 'react';
import type { FilterOption } from '#src/list-filters.ts';
import { CONTROL } from './field.tsx';

interface FilterField {
  name: string;
  label: string;
  defaultValue?: string | undefined;
  /** What is wrong with the value in the address. */
  error?: ReactNode;
}

/** A choice among the filters of a list. A wrong value in the address is shown as chosen. */
export function FilterSelect({
  options,
  ...field
}: FilterField & {
  /** The option with an empty value sets no filter. */
  options: readonly FilterOption[];
}) {
  const { name, defaultValue = '' } = field;
  const isKnown = options.some(({ value }) => value === defaultValue);
  const all = isKnown ? options : [...options, { value: defaultValue, label: defaultValue }];
  return (
    <Labelled {...field}>
      {(described) => (
        <select
          name={name}
          defaultValue={defaultValue}
          {...described}
          className={clsx(CONTROL, 'h-9 max-w-56')}
        >
          {all.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

/** A text or a day among the filters of a list. A wrong day in the address is shown as a text. */
export function FilterText({ type = 'text', ...field }: FilterField & { type?: 'text' | 'date' }) {
  const { name, defaultValue = '', error } = field;
  const isDay = type === 'date' && !error;
  return (
    <Labelled {...field}>
      {(described) => (
        <input
          {...(isDay
            ? { type: 'date', min: '2000-01-01', max: '2099-12-31' }
            : { type: 'text', maxLength: 200 })}
          name={name}
          defaultValue={defaultValue}
          {...described}
          className={clsx(CONTROL, 'h-9 max-w-44')}
        />
      )}
    </Labelled>
  );
}

interface Described {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
}

/** A field among the filters of a list, with its label above and what is wrong below. */
export function Labelled({
  label,
  error,
  children,
}: Pick<FilterField, 'label' | 'error'> & { children: (attributes: Described) => ReactNode }) {
  const id = useId();
  const problem = `${id}-problem`;
  return (
    <div className="max-w-56 min-w-0">
      <label htmlFor={id} className="text-ink-soft mb-0.5 block text-xs font-medium">
        {label}
      </label>
      {children(error ? { id, 'aria-describedby': problem, 'aria-invalid': true } : { id })}
      {error ? (
        <p id={problem} className="text-danger mt-0.5 text-xs wrap-anywhere">
          {error}
        </p>
      ) : null}
    </div>
  );
}
