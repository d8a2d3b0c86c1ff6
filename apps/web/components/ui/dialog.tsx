'use client';

import { lazy, Suspense, useState } from 'react';
import type { DialogProps } from './dialog-popup.tsx';

/** Most who look at a page open no dialog: what makes one is fetched with the first. */
const Popup = lazy(async () => ({ default: (await import('./dialog-popup.tsx')).DialogPopup }));

/** A modal dialog; Esc and the cross close it, unless `mustAnswer`. */
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
