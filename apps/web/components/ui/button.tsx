import { clsx } from 'clsx';
import type { ComponentProps } from 'react';
import { Link } from './link.tsx';

/** `danger` does what cannot be undone. `risky` opens the dialog that asks about it. */
type Variant = 'primary' | 'plain' | 'danger' | 'risky' | 'quiet';

const VARIANTS: Readonly<Record<Variant, string>> = {
  primary: 'bg-accent-solid text-white hover:bg-accent-solid-hover border-transparent',
  plain: 'bg-raised text-ink hover:border-line-strong border-line',
  danger: 'bg-danger-solid text-white hover:brightness-110 border-transparent',
  risky: 'bg-raised text-danger hover:border-danger border-line',
  quiet: 'text-ink-soft hover:text-ink hover:bg-raised border-transparent',
};

type Size = 'small' | 'normal' | 'icon';

const SIZES: Readonly<Record<Size, string>> = {
  small: 'min-h-7 px-2 text-xs',
  normal: 'min-h-9 px-3 py-1 text-sm',
  icon: 'size-9 shrink-0',
};

/** The classes of a button, for other elements that look like one. */
export function buttonClass(variant: Variant = 'plain', size: Size = 'normal'): string {
  return clsx(
    'inline-flex items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap no-underline',
    'transition-colors disabled:opacity-55',
    SIZES[size],
    VARIANTS[variant],
  );
}

interface Shape {
  variant?: Variant;
  size?: Size;
}

export function Button({
  variant = 'plain',
  size = 'normal',
  className,
  ...props
}: ComponentProps<'button'> & Shape) {
  return <button type="button" {...props} className={clsx(buttonClass(variant, size), className)} />;
}

/** A link within the site that looks like a button. */
export function LinkButton({
  variant = 'plain',
  size = 'normal',
  className,
  ...props
}: ComponentProps<typeof Link> & Shape) {
  return <Link {...props} className={clsx(buttonClass(variant, size), className)} />;
}
