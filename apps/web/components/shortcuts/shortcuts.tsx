'use client';

import { Search } from 'lucide-react';
import { Suspense, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { pressLinkTo } from '#components/pressed-link.ts';
import { savePreference } from '#components/save-preference.ts';
import { lazyPart } from '#components/ui/lazy-part.tsx';
import { hearKeys } from '#src/early-input.ts';
import type { PaletteAct, PaletteSetting } from '#src/palette.ts';
import { type Destination, meaningOf, SHORTCUTS_COOKIE } from '#src/shortcuts.ts';
import { isDialogOpen, isForOther } from './keys.ts';

const Palette = lazyPart(async () => (await import('./palette.tsx')).Palette);
const Help = lazyPart(async () => (await import('./shortcut-help.tsx')).ShortcutHelp);

/** How long `g` waits for its letter. */
const PREFIX_MS = 2_000;

export interface ShortcutsProps {
  guildId: string;
  pages: readonly Destination[];
  settings: readonly PaletteSetting[];
  /** What the reader may do to people. */
  acts: readonly PaletteAct[];
  mayFindPeople: boolean;
  mayReadCases: boolean;
  mayReadTokens: boolean;
  /** Whether keys without Ctrl are shortcuts. */
  enabled: boolean;
}

/** The keyboard shortcuts of a guild's pages, and the button that opens the palette. */
export function Shortcuts({ enabled: wasEnabled, ...props }: ShortcutsProps) {
  const t = useTranslations('shortcuts');
  const [open, setOpen] = useState<'palette' | 'help' | null>(null);
  const [enabled, setEnabled] = useState(wasEnabled);
  const prefixAt = useRef(Number.NEGATIVE_INFINITY);
  const press = useEffectEvent((event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, timeStamp } = event;
    const afterG = timeStamp - prefixAt.current < PREFIX_MS;
    prefixAt.current = Number.NEGATIVE_INFINITY;
    const isBusy = open !== null || isForOther(event.target);
    const meaning = meaningOf({ key, ctrlKey, metaKey, altKey, isBusy, afterG }, props.pages, enabled);
    const { does } = meaning;
    if (does === 'none') return;
    if (does === 'prefix') prefixAt.current = timeStamp;
    else if (does === 'go') pressLinkTo(meaning.href);
    else if (does === 'help' || does === 'palette') {
      if (!isDialogOpen()) setOpen(does);
    } else if (does === 'select') pressCheckbox();
    else moveRow(does === 'next' ? 1 : -1);
    event.preventDefault();
  });
  useEffect(() => hearKeys((event) => press(event)), []);
  const close = () => setOpen(null);
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen('palette')}
        className="border-line bg-surface text-ink-soft hover:text-ink flex min-h-10 shrink-0 items-center gap-2 rounded-md border px-3 md:mb-3 md:min-h-9 md:w-full md:px-2.5"
      >
        <Search aria-hidden size={15} className="shrink-0" />
        <span className="min-w-0 truncate max-md:sr-only">{t('open')}</span>
        <kbd
          aria-hidden
          className="border-line ml-auto rounded whitespace-nowrap border px-1.5 text-xs max-md:hidden"
        >
          Ctrl K
        </kbd>
      </button>
      <Suspense fallback={null}>
        {open === 'palette' ? <Palette {...props} onHelp={() => setOpen('help')} onClose={close} /> : null}
        {open === 'help' ? (
          <Help
            pages={props.pages}
            enabled={enabled}
            onEnabled={(on) => {
              savePreference(SHORTCUTS_COOKIE, on ? 'on' : 'off');
              setEnabled(on);
            }}
            hasRows={rowLinks().length > 0}
            canSelect={document.querySelector('main .row-select') !== null}
            hasSearch={document.querySelector('input[aria-keyshortcuts="/"]') !== null}
            onClose={close}
          />
        ) : null}
      </Suspense>
    </>
  );
}

function rowLinks(): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('main .row-link')];
}

/** Focuses the link of the next or previous row; the first one if no row has the focus. */
function moveRow(by: 1 | -1): void {
  const links = rowLinks();
  const row = document.activeElement?.closest('tr');
  const at = row ? links.findIndex((link) => row.contains(link)) : -1;
  const next = links[at === -1 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** Selects the row with the focus, or unselects it. */
function pressCheckbox(): void {
  document.activeElement?.closest('tr')?.querySelector<HTMLElement>('.row-select')?.click();
}
