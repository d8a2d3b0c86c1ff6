'use client';

import { Languages, Moon, Sun } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { savePreference } from './save-preference.ts';
import { Button } from './ui/button.tsx';

export function LanguageMenu({
  name,
  locale,
  languages,
  label,
}: {
  name: string;
  locale: string;
  /** The names of the languages by locale, each in its own language. */
  languages: Readonly<Record<string, string>>;
  label: string;
}) {
  const router = useRouter();
  return (
    <span className="text-ink-soft hover:text-ink hover:bg-raised relative inline-flex h-9 shrink-0 items-center rounded-md">
      <Languages aria-hidden size={16} className="pointer-events-none absolute left-2.5" />
      <select
        aria-label={label}
        title={label}
        value={locale}
        onChange={({ target }) => {
          savePreference(name, target.value);
          router.refresh();
        }}
        className="size-9 cursor-pointer appearance-none rounded-md bg-transparent text-transparent sm:field-sizing-content sm:w-auto sm:pr-2.5 sm:pl-8.5 sm:text-inherit"
      >
        {Object.entries(languages).map(([each, language]) => (
          <option key={each} value={each} lang={each} className="bg-surface text-ink">
            {language}
          </option>
        ))}
      </select>
    </span>
  );
}

export function ThemeButton({
  name,
  theme,
  label,
}: {
  name: string;
  theme: 'dark' | 'light';
  label: string;
}) {
  const router = useRouter();
  const other = theme === 'dark' ? 'light' : 'dark';
  return (
    <Button
      variant="quiet"
      size="icon"
      aria-label={label}
      title={label}
      onClick={() => {
        savePreference(name, other);
        router.refresh();
      }}
    >
      {theme === 'dark' ? <Sun aria-hidden size={16} /> : <Moon aria-hidden size={16} />}
    </Button>
  );
}
