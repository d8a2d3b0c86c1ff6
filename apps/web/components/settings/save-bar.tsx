'use client';

import { useTranslations } from 'use-intl/react';
import type { CallFailure } from '#components/call-api.ts';
import { Button } from '#components/ui/button.tsx';
import { FormFailure } from '#components/ui/form-failure.tsx';
import { LeaveGuard } from './leave-guard.tsx';

interface Props {
  readonly isChanged: boolean;
  readonly busy: boolean;
  readonly failure: CallFailure | null;
  /** Why the changes cannot be saved as they are; null if they can. */
  readonly wrong?: string | null;
  /** The text of the button that saves, if saving does more. */
  readonly save?: string;
  readonly onDiscard: () => void;
}

/**
 * The bar of a form with unsaved changes: it saves or discards them, and while it is there nobody leaves the page
 * without being asked. It stays in view.
 */
export function SaveBar({ isChanged, busy, failure, wrong = null, save, onDiscard }: Props) {
  const t = useTranslations('settings.unsaved');
  const message = wrong ?? t('title');
  return (
    <>
      <p role="status" className="sr-only">
        {isChanged ? message : ''}
      </p>
      {isChanged ? (
        <div className="bar-below border-line-strong bg-raised sticky bottom-3 z-20 flex flex-wrap items-center justify-end gap-2 rounded-lg border px-3.5 py-2.5 shadow-xl">
          <p aria-hidden className="mr-auto font-medium">
            {message}
          </p>
          <FormFailure failure={failure} />
          <Button variant="quiet" disabled={busy} onClick={onDiscard}>
            {t('discard')}
          </Button>
          <Button
            type="submit"
            variant="primary"
            disabled={busy || wrong !== null}
            title={wrong ?? undefined}
          >
            {save ?? t('save')}
          </Button>
          <LeaveGuard />
        </div>
      ) : null}
    </>
  );
}
