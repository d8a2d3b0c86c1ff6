'use client';

import { type ReactNode, Suspense, useState } from 'react';
import { Button } from './button.tsx';
import { lazyPart } from './lazy-part.tsx';

export interface MenuItem {
  readonly label: string;
  readonly danger?: boolean;
  readonly onSelect: () => void;
}

export interface MenuProps {
  /** The menu's name for screen readers. */
  readonly label: string;
  /** The content of the button. */
  readonly button: ReactNode;
  readonly items: readonly MenuItem[];
}

/** Loaded when a menu first opens, because it is the largest part of the design system. */
const Opened = lazyPart(async () => (await import('./menu-popup.tsx')).MenuPopup);

/** A small button that opens a menu of actions. */
export function Menu(props: MenuProps) {
  const [wasOpened, setWasOpened] = useState(false);
  const closed = (
    <Button size="small" aria-haspopup="menu" aria-label={props.label} onClick={() => setWasOpened(true)}>
      {props.button}
    </Button>
  );
  return wasOpened ? (
    <Suspense fallback={closed}>
      <Opened {...props} />
    </Suspense>
  ) : (
    closed
  );
}
