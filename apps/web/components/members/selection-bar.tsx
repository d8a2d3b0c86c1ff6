'use client';

import type { Capability } from '@bailiff/core';
import type { PresetWire } from '@bailiff/engine/cases/presets';
import { Gavel, MicOff, X } from 'lucide-react';
import { Suspense, useRef, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { lazyPart } from '#components/ui/lazy-part.tsx';
import type { ManyKind } from './act-on-many.tsx';
import { SelectAll, useSelection } from './selection.tsx';

const ActOnMany = lazyPart(async () => (await import('./act-on-many.tsx')).ActOnMany);

const KINDS = [
  { kind: 'mute', needs: 'mutes.write', Icon: MicOff },
  { kind: 'ban', needs: 'bans.write', Icon: Gavel },
] as const satisfies readonly { kind: ManyKind; needs: Capability; Icon: typeof Gavel }[];

/** How many people are selected, and what can be done to all of them. It stays in sight while the list scrolls. */
export function SelectionBar({
  guildId,
  capabilities,
  presets,
}: {
  guildId: string;
  capabilities: readonly Capability[];
  /** The guild's preset reasons. */
  presets: readonly PresetWire[];
}) {
  const t = useTranslations('many');
  const { selected, clear } = useSelection();
  const [open, setOpen] = useState<ManyKind | null>(null);
  const count = selected.length;
  const all = useRef<HTMLInputElement>(null);
  const finish = () => {
    clear();
    // The button that opened the dialog is gone.
    all.current?.focus();
  };
  return (
    <div className="bar-above border-line bg-surface sticky top-0 z-10 flex min-h-12 flex-wrap items-center gap-x-3 gap-y-2 rounded-t-lg border-b px-3 py-1.5">
      <SelectAll ref={all} />
      <p role="status" className="text-ink-soft tabular-nums">
        {count === 0 ? '' : t('selected', { count })}
      </p>
      {count === 0 ? null : (
        <div className="flex flex-wrap gap-2 sm:ml-auto">
          {KINDS.filter(({ needs }) => capabilities.includes(needs)).map(({ kind, Icon }) => (
            <Button key={kind} size="small" variant="risky" onClick={() => setOpen(kind)}>
              <Icon aria-hidden size={14} />
              {t(kind, { count })}
            </Button>
          ))}
          <Button size="small" variant="quiet" onClick={clear}>
            <X aria-hidden size={14} />
            <span className="max-sm:sr-only">{t('clear')}</span>
          </Button>
        </div>
      )}
      {open === null ? null : (
        <Suspense fallback={null}>
          <ActOnMany
            guildId={guildId}
            kind={open}
            people={selected}
            presets={presets}
            onDone={finish}
            onClose={() => setOpen(null)}
          />
        </Suspense>
      )}
    </div>
  );
}
