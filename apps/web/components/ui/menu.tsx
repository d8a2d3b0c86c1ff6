'use client';

import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Button } from './button.tsx';

export interface MenuItem {
  readonly label: string;
  readonly danger?: boolean;
  readonly onSelect: () => void;
}

export interface MenuProps {
  /** What the menu is of, for who does not see where it stands. */
  readonly label: string;
  /** What the button shows. */
  readonly button: ReactNode;
  readonly items: readonly MenuItem[];
}

/** What makes a menu is fetched when the first is opened: it is the heaviest part of the design system. */
const Opened = lazy(async () => ({ default: (await import('./menu-popup.tsx')).MenuPopup }));

/** A small button with a menu of actions. */
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
