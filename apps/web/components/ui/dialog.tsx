'use client';

import { Suspense, useState } from 'react';
import type { DialogProps } from './dialog-popup.tsx';
import { lazyPart } from './lazy-part.tsx';

/** Loaded when a dialog first opens, because most visits open none. */
const Popup = lazyPart(async () => (await import('./dialog-popup.tsx')).DialogPopup);

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
