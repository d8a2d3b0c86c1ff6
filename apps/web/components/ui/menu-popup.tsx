'use client';

import { Menu as Base } from '@base-ui/react/menu';
import { clsx } from 'clsx';
import { buttonClass } from './button.tsx';
import type { MenuProps } from './menu.tsx';

/** The open `Menu`. It is rendered inside the landmark of the page's content. */
export function MenuPopup({ label, button, items }: MenuProps) {
  return (
    <Base.Root defaultOpen>
      <Base.Trigger className={buttonClass('plain', 'small')} aria-label={label}>
        {button}
      </Base.Trigger>
      <Base.Portal container={document.querySelector('main')}>
        <Base.Positioner align="end" sideOffset={4} className="z-30">
          <Base.Popup className="border-line bg-surface text-ink min-w-36 rounded-md border p-1 shadow-xl">
            {items.map((item) => (
              <Base.Item
                key={item.label}
                onClick={item.onSelect}
                className={clsx(
                  'data-highlighted:bg-raised cursor-pointer rounded px-2.5 py-1.5',
                  item.danger === true && 'text-danger',
                )}
              >
                {item.label}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
