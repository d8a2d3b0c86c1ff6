import { clsx } from 'clsx';
import { type ComponentProps, type ReactNode, useId } from 'react';

export const CONTROL =
  'bg-canvas border-line-strong text-ink w-full rounded-md border px-2.5 py-1.5 placeholder:text-ink-soft disabled:opacity-60';

interface Described {
  label: string;
  /** Whether only assistive technology has the label, because the place says what the field is. */
  isLabelHidden?: boolean | undefined;
  hint?: ReactNode;
  /** The error message; one line per error. */
  error?: string | readonly string[] | undefined;
}

/** The attributes that connect a control to its label, hint and error. */
interface ControlAttributes {
  id: string;
  'aria-describedby': string;
  'aria-invalid': boolean;
}

/** A control with its label, hint and error, for controls other than the fields below. */
export function Field({
  label,
  isLabelHidden = false,
  hint,
  error,
  children,
}: Described & { children: (attributes: ControlAttributes) => ReactNode }) {
  const id = useId();
  const errors = error === undefined ? [] : [error].flat();
  return (
    <div>
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'mb-1 block font-medium'}>
        {label}
      </label>
      {children({ id, 'aria-describedby': `${id}-hint`, 'aria-invalid': errors.length > 0 })}
      <div id={`${id}-hint`} className="text-ink-soft mt-1 text-xs empty:mt-0">
        {errors.length === 0 ? hint : <FieldError>{errors}</FieldError>}
      </div>
    </div>
  );
}

/** The error message of a field, if there is one. `FormFailure` reads from it what the fields of a form say. */
export function FieldError({ children }: { children: string | readonly string[] }) {
  return [children].flat().map((line) => (
    <p key={line} data-field-error className="text-danger text-xs wrap-anywhere">
      {line}
    </p>
  ));
}

export function TextField({ label, hint, error, className, ...props }: Described & ComponentProps<'input'>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(attributes) => <input type="text" {...props} {...attributes} className={clsx(CONTROL, className)} />}
    </Field>
  );
}

export function TextAreaField({
  label,
  hint,
  error,
  className,
  ...props
}: Described & ComponentProps<'textarea'>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(attributes) => <textarea {...props} {...attributes} className={clsx(CONTROL, className)} />}
    </Field>
  );
}

export function SelectField({
  label,
  hint,
  error,
  className,
  ...props
}: Described & ComponentProps<'select'>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(attributes) => <select {...props} {...attributes} className={clsx(CONTROL, 'h-9', className)} />}
    </Field>
  );
}

export function CheckField({ label, className, ...props }: { label: ReactNode } & ComponentProps<'input'>) {
  return (
    <label className={clsx('flex items-center gap-2', className)}>
      <input type="checkbox" {...props} className="accent-accent-solid size-4 shrink-0" />
      <span>{label}</span>
    </label>
  );
}
