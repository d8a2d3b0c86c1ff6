'use client';

import { useTranslations } from 'use-intl/react';
import { ConfirmDialog } from '#components/ui/confirm-dialog.tsx';

/** Asks once more before a window is opened, because it lets a token do everything it may. */
export function OpenWindowDialog({
  tokenName,
  windowMinutes,
  request,
  open,
  onClose,
}: {
  tokenName: string;
  windowMinutes: number;
  /** The call to the dashboard's API that opens the window. */
  request: { method: string; path: string; body?: object };
  open: boolean;
  onClose: () => void;
}) {
  const t = useTranslations('approvals');
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={t('windowTitle', { name: tokenName, count: windowMinutes })}
      description={t('windowMeans', { name: tokenName, count: windowMinutes })}
      confirm={t('allowEverything', { count: windowMinutes })}
      danger
      request={() => request}
      done={t('allowedWindow')}
    />
  );
}
