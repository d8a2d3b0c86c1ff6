'use client';

import { useTranslations } from 'use-intl/react';
import { DialogPopup } from '#components/ui/dialog-popup.tsx';
import { Switch } from '#components/ui/switch.tsx';
import type { Destination } from '#src/shortcuts.ts';

/** Lists the shortcuts that work on this page, with the switch for those of one key. */
export function ShortcutHelp({
  pages,
  enabled,
  onEnabled,
  hasRows,
  canSelect,
  hasSearch,
  onClose,
}: {
  pages: readonly Destination[];
  enabled: boolean;
  onEnabled: (on: boolean) => void;
  hasRows: boolean;
  canSelect: boolean;
  hasSearch: boolean;
  onClose: () => void;
}) {
  const t = useTranslations('shortcuts');
  const always = [{ keys: ['Ctrl', 'K'], text: t('title') }];
  const oneKey = [
    ...(hasRows
      ? [
          { keys: ['j'], text: t('nextRow') },
          { keys: ['k'], text: t('previousRow') },
          { keys: ['Enter'], text: t('openRow') },
        ]
      : []),
    ...(canSelect ? [{ keys: ['x'], text: t('selectRow') }] : []),
    ...(hasSearch ? [{ keys: ['/'], text: t('search') }] : []),
    { keys: ['?'], text: t('help') },
    ...pages.map(({ letter, label }) => ({ keys: ['g', letter], text: t('goTo', { page: label }) })),
  ];
  return (
    <DialogPopup open onOpenChange={onClose} title={t('help')}>
      <Switch label={t('oneKey')} hint={t('oneKeyHint')} checked={enabled} onChange={onEnabled} />
      <dl className="mt-4 grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-4 gap-y-1.5">
        {[...always, ...(enabled ? oneKey : [])].map(({ keys, text }) => (
          <div key={text} className="contents">
            <dt className="flex gap-1">
              {keys.map((key) => (
                <kbd key={key} className="border-line-strong rounded border px-1.5 text-xs">
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </DialogPopup>
  );
}
