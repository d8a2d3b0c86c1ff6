'use client';

import { clsx } from 'clsx';
import { Search } from 'lucide-react';
import { type ComponentProps, useEffect, useRef } from 'react';
import { areShortcutsOn, isForOther } from '#components/shortcuts/keys.ts';
import { hearKeys } from '#src/early-input.ts';
import { CONTROL } from './field.tsx';

/** A search field. The key `/` focuses it, unless shortcuts of one key are switched off. */
export function SearchField({
  label,
  defaultValue = '',
  ...props
}: Omit<ComponentProps<'input'>, 'className' | 'placeholder' | 'ref' | 'type'> & { label: string }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    return hearKeys((event) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!areShortcutsOn() || isForOther(event.target)) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    });
  }, []);
  return (
    <div className="relative min-w-0 flex-1 basis-56">
      <Search aria-hidden size={15} className="text-ink-soft pointer-events-none absolute top-2.5 left-2.5" />
      <input
        ref={input}
        type="search"
        name="q"
        {...props}
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={label}
        defaultValue={defaultValue}
        maxLength={200}
        className={clsx(CONTROL, 'peer h-9 pl-8 md:pr-8')}
      />
      <kbd
        aria-hidden
        className="border-line text-ink-soft pointer-events-none absolute top-2 right-2 rounded border px-1.5 text-xs peer-focus:hidden max-md:hidden"
      >
        /
      </kbd>
    </div>
  );
}
