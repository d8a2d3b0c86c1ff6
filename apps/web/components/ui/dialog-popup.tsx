'use client';

import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { useTranslations } from 'use-intl/react';

export interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: string;
  /** The dialog has no close button, and neither Esc nor a click beside it closes it. */
  mustAnswer?: boolean;
  children: ReactNode;
}

/** The content of an open `Dialog`. */
export function DialogPopup({
  open,
  onOpenChange,
  title,
  description,
  mustAnswer = false,
  children,
}: DialogProps) {
  const t = useTranslations('ui');
  const body = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open={open} onOpenChange={(next) => (next || !mustAnswer) && onOpenChange(next)}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/60" />
        <Base.Viewport className="fixed inset-0 z-50 grid items-start justify-items-center overflow-y-auto p-3 sm:items-center">
          <Base.Popup
            initialFocus={() => firstField(body.current) ?? true}
            className="border-line bg-surface text-ink w-full max-w-xl rounded-lg border shadow-2xl"
          >
            <div className="border-line flex items-start justify-between gap-3 border-b px-4 py-3">
              <Base.Title className="text-base font-semibold">{title}</Base.Title>
              {mustAnswer ? null : (
                <Base.Close
                  className="text-ink-soft hover:text-ink -m-1 rounded p-1"
                  aria-label={t('closeDialog')}
                >
                  <X aria-hidden size={18} />
                </Base.Close>
              )}
            </div>
            <div ref={body} className="px-4 py-4">
              {description === undefined ? null : (
                <Base.Description className="text-ink-soft mb-4">{description}</Base.Description>
              )}
              {children}
            </div>
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

/** The first field of a form. A dialog without fields focuses its first button. */
function firstField(body: HTMLElement | null): HTMLElement | null {
  return body?.querySelector<HTMLElement>('input:not([type=hidden]), select, textarea') ?? null;
}
