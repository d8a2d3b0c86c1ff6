import { clsx } from 'clsx';
import { type ComponentProps, type ReactNode, useId } from 'react';

const CONTROL =
  'bg-canvas border-line-strong text-ink w-full rounded-md border px-2.5 py-1.5 placeholder:text-ink-soft disabled:opacity-60';

/** A labelled control with its hint and its error. */
function Field({
  label,
  hint,
  error,
  children,
}: {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  children: (attributes: { id: string; 'aria-describedby': string; 'aria-invalid': boolean }) => ReactNode;
}) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1 block font-medium">
        {label}
      </label>
      {children({ id, 'aria-describedby': `${id}-hint`, 'aria-invalid': error !== undefined })}
      <p
        id={`${id}-hint`}
        className={clsx('mt-1 text-xs', error === undefined ? 'text-ink-soft' : 'text-danger')}
      >
        {error ?? hint}
      </p>
    </div>
  );
}

interface Described {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
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
