'use client';

import { Toast as Base } from '@base-ui/react/toast';
import { clsx } from 'clsx';
import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { useEffect } from 'react';
import { useTranslations } from 'use-intl/react';
import { onToastQueued, takeQueuedToasts } from './toast-queue.ts';

const SHOWN_MS = { good: 5_000, bad: 10_000 } as const;

/** The list of toasts in the corner of the page, inside the live region of `Toasts`. */
export function ToastList() {
  const t = useTranslations('ui');
  return (
    <Base.Provider limit={3}>
      <Base.Viewport
        aria-label={t('notifications')}
        // biome-ignore lint/a11y/useValidAriaValues: the region around it is the live one
        aria-live={undefined}
        className="fixed inset-x-3 bottom-3 z-60 mx-auto grid max-w-sm gap-2 sm:right-5 sm:bottom-5 sm:left-auto sm:mx-0 sm:w-96"
      >
        <Shown />
      </Base.Viewport>
    </Base.Provider>
  );
}

function Shown() {
  const t = useTranslations('ui');
  const { toasts, add } = Base.useToastManager();
  useEffect(() => {
    const show = () => {
      for (const { text, tone } of takeQueuedToasts())
        add({ title: text, type: tone, timeout: SHOWN_MS[tone] });
    };
    show();
    return onToastQueued(show);
  }, [add]);
  return toasts.map((each) => {
    const bad = each.type === 'bad';
    const Icon = bad ? CircleAlert : CircleCheck;
    return (
      <Base.Root
        key={each.id}
        toast={each}
        className={clsx(
          'border-line-strong bg-surface rounded-lg border shadow-xl transition-[opacity,translate] duration-200',
          'data-ending-style:translate-y-2 data-ending-style:opacity-0 data-starting-style:translate-y-2 data-starting-style:opacity-0 data-limited:hidden',
        )}
      >
        <Base.Content className="flex items-start gap-2.5 px-3.5 py-3">
          <Icon aria-hidden size={18} className={clsx('mt-px shrink-0', bad ? 'text-danger' : 'text-good')} />
          <Base.Title render={<p />} className="min-w-0 flex-1 wrap-anywhere" />
          {/* Without aria-hidden it would be hidden until the mouse is there, as if the toasts lay on each other. */}
          <Base.Close
            className="text-ink-soft hover:text-ink -m-1 rounded p-1"
            aria-hidden={false}
            aria-label={t('dismiss')}
          >
            <X aria-hidden size={16} />
          </Base.Close>
        </Base.Content>
      </Base.Root>
    );
  });
}
