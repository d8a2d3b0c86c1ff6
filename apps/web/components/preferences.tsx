'use client';

import { Moon, Sun } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { Button } from './ui/button.tsx';
import { Switch } from './ui/switch.tsx';

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Preferences are cookies, so that the server renders the page as this browser wants it. */
function keep(name: string, value: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
  document.cookie = `${name}=${value}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax`;
}

export function DeveloperModeSwitch({ name, on }: { name: string; on: boolean }) {
  const router = useRouter();
  return (
    <Switch
      label="Developer Mode"
      checked={on}
      onChange={(checked) => {
        keep(name, checked ? 'on' : 'off');
        router.refresh();
      }}
    />
  );
}

export function ThemeButton({ name, theme }: { name: string; theme: 'dark' | 'light' }) {
  const router = useRouter();
  const other = theme === 'dark' ? 'light' : 'dark';
  return (
    <Button
      look="quiet"
      size="icon"
      aria-label={`Switch to the ${other} theme`}
      title={`Switch to the ${other} theme`}
      onClick={() => {
        keep(name, other);
        router.refresh();
      }}
    >
      {theme === 'dark' ? <Sun aria-hidden size={16} /> : <Moon aria-hidden size={16} />}
    </Button>
  );
}
