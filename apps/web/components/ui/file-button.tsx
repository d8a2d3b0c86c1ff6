import { clsx } from 'clsx';
import { Paperclip } from 'lucide-react';
import type { ComponentProps } from 'react';
import { buttonClass } from './button.tsx';

/** A field for files as a button. The browser's own words beside its field would be in its language, not in the page's. */
export function FileButton({ children, className, ...props }: Omit<ComponentProps<'input'>, 'type'>) {
  return (
    <label
      className={clsx(
        buttonClass(),
        'has-focus-visible:outline-accent relative w-fit cursor-pointer has-disabled:cursor-not-allowed',
        'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-disabled:opacity-55',
        className,
      )}
    >
      <Paperclip aria-hidden size={15} className="shrink-0" />
      {children}
      <input {...props} type="file" className="sr-only" />
    </label>
  );
}
