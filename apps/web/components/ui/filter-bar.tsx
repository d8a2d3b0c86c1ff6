'use client';

import { clsx } from 'clsx';
import Link from 'next/link';
import { usePathname, useRouter, useSearchParams } from 'next/navigation';
import { type FormEvent, type ReactNode, useEffect, useEffectEvent, useRef, useTransition } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button, buttonClass } from './button.tsx';
import { CONTROL } from './field.tsx';

/**
 * The form with the filters of a list, which it keeps in the page's address. It also works without script. With script,
 * a choice applies at once, and empty filters are left out of the address.
 */
export function FilterBar({
  label,
  clearHref,
  active,
  children,
}: {
  label: string;
  /** The address of the list without filters. */
  clearHref: string;
  /** Whether any filter is set. */
  active: boolean;
  children: ReactNode;
}) {
  const t = useTranslations('ui');
  const path = usePathname();
  const router = useRouter();
  const form = useRef<HTMLFormElement>(null);
  const [going, startGoing] = useTransition();
  const address = useSearchParams();
  const apply = () => {
    if (form.current === null) return;
    const filled = [...new FormData(form.current)].flatMap(([name, value]) =>
      typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : [],
    );
    const query = new URLSearchParams(filled);
    startGoing(() => router.push(query.size === 0 ? path : `${path}?${query}`));
  };
  const isFirst = useRef(true);
  const follow = useEffectEvent((query: URLSearchParams) => {
    const controls = [...(form.current?.elements ?? [])].filter(isControl);
    const wanted = (name: string) => query.get(name) ?? '';
    if (isFirst.current) {
      // Somebody was quicker than the script: what they chose before it ran counts.
      isFirst.current = false;
      const chosen = controls.some(
        (each) => each instanceof HTMLSelectElement && each.value !== wanted(each.name),
      );
      if (chosen) apply();
    } else for (const each of controls) each.value = wanted(each.name);
  });
  // The address also changes in other ways, such as going back.
  useEffect(() => follow(address), [address]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    apply();
  };
  return (
    <search aria-label={label} className="mb-3 block">
      <form
        ref={form}
        method="get"
        action={path}
        aria-busy={going}
        onSubmit={submit}
        onChange={({ target }) => target instanceof HTMLSelectElement && apply()}
        className="flex flex-wrap items-end gap-2"
      >
        {children}
        <Button type="submit">{t('apply')}</Button>
        {active ? (
          <Link href={clearHref} prefetch={false} className={buttonClass('quiet')}>
            {t('clearFilters')}
          </Link>
        ) : null}
      </form>
    </search>
  );
}

function isControl(element: Element): element is HTMLInputElement | HTMLSelectElement {
  return element instanceof HTMLInputElement || element instanceof HTMLSelectElement;
}

const SMALL_LABEL = 'text-ink-soft mb-0.5 block text-xs font-medium';

export function FilterSelect({
  name,
  label,
  defaultValue = '',
  options,
}: {
  name: string;
  label: string;
  defaultValue?: string | undefined;
  /** The option with an empty value sets no filter. */
  options: readonly { value: string; label: string }[];
}) {
  return (
    <label className="min-w-0">
      <span className={SMALL_LABEL}>{label}</span>
      <select name={name} defaultValue={defaultValue} className={clsx(CONTROL, 'h-9 max-w-56')}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  );
}

export function FilterText({
  name,
  label,
  defaultValue = '',
  type = 'text',
  className,
}: {
  name: string;
  label: string;
  defaultValue?: string | undefined;
  type?: 'text' | 'date' | 'datetime-local';
  className?: string;
}) {
  return (
    <label className="min-w-0">
      <span className={SMALL_LABEL}>{label}</span>
      <input
        type={type}
        name={name}
        defaultValue={defaultValue}
        maxLength={200}
        className={clsx(CONTROL, 'h-9', type === 'text' && 'max-w-44', className)}
      />
    </label>
  );
}
