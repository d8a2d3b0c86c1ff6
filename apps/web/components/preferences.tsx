import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { PreferenceSelect } from './preference-select.tsx';

/** A choice of a preference that is kept in this browser, as an icon; with `withText`, wide screens show the choice. */
export function PreferenceMenu({
  name,
  value,
  options,
  label,
  icon,
  withText = false,
}: {
  /** The cookie. */
  name: string;
  value: string;
  options: readonly { readonly value: string; readonly label: string; readonly lang?: string }[];
  label: string;
  icon: ReactNode;
  withText?: boolean;
}) {
  return (
    <span className="text-ink-soft hover:text-ink hover:bg-raised relative inline-flex h-9 shrink-0 items-center rounded-md">
      <span aria-hidden className="pointer-events-none absolute left-2.5">
        {icon}
      </span>
      <PreferenceSelect
        name={name}
        value={value}
        aria-label={label}
        title={label}
        className={clsx(
          // Otherwise what does not fit widens the page in Safari.
          'size-9 cursor-pointer appearance-none overflow-hidden rounded-md bg-transparent text-transparent',
          withText && 'sm:field-sizing-content sm:w-auto sm:pr-2.5 sm:pl-8.5 sm:text-inherit',
        )}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} lang={option.lang} className="bg-surface text-ink">
            {option.label}
          </option>
        ))}
      </PreferenceSelect>
    </span>
  );
}
