'use client';

import { lazy, Suspense, useState } from 'react';
import type { DialogProps } from './dialog-popup.tsx';

/** Loaded when a dialog first opens, because most visits open none. */
const Popup = lazy(async () => ({ default: (await import('./dialog-popup.tsx')).DialogPopup }));

/** A modal dialog. Esc and the close button close it, unless `mustAnswer` is set. */
export function Dialog(props: DialogProps) {
  const [wasOpened, setWasOpened] = useState(false);
  if (props.open && !wasOpened) setWasOpened(true);
  if (!wasOpened) return null;
  return (
    <Suspense fallback={null}>
      <Popup {...props} />
    </Suspense>
  );
}
