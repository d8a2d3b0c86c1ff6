'use client';

import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';

/** A modal dialog; Esc and the cross close it, unless `mustAnswer`. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  mustAnswer = false,
  children,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: string;
  mustAnswer?: boolean;
  children: ReactNode;
}) {
  return (
    <Base.Root open={open} onOpenChange={(next) => (next || !mustAnswer) && onOpenChange(next)}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/60" />
        <Base.Viewport className="fixed inset-0 z-50 grid items-start justify-items-center overflow-y-auto p-3 sm:items-center">
          <Base.Popup className="border-line bg-surface text-ink w-full max-w-xl rounded-lg border shadow-2xl">
            <div className="border-line flex items-start justify-between gap-3 border-b px-4 py-3">
              <Base.Title className="text-base font-semibold">{title}</Base.Title>
              {mustAnswer ? null : (
                <Base.Close
                  className="text-ink-soft hover:text-ink -m-1 rounded p-1"
                  aria-label="Close the dialog"
                >
                  <X aria-hidden size={18} />
                </Base.Close>
              )}
            </div>
            <div className="px-4 py-4">
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
