'use client';

import { clsx } from 'clsx';
import {
  createContext,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  use,
  useRef,
  useState,
} from 'react';
import { useTranslations } from 'use-intl/react';

/** A person who can be selected. */
export interface Selectable {
  readonly id: string;
  readonly name: string;
}

interface Selection {
  readonly all: readonly Selectable[];
  readonly selected: readonly Selectable[];
  readonly select: (ids: readonly string[], on: boolean) => void;
  /** Selects or unselects one person, with `range` also everybody between them and the one before. */
  readonly toggle: (id: string, range: boolean) => void;
  readonly clear: () => void;
}

const Context = createContext<Selection | null>(null);

/** The people who are selected on this page. */
export function useSelection(): Selection {
  const selection = use(Context);
  if (selection === null) throw new Error('A part that selects people stands outside of SelectPeople');
  return selection;
}

/** Lets the rows inside be selected. Esc unselects all of them. */
export function SelectPeople({ people, children }: { people: readonly Selectable[]; children: ReactNode }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<string | null>(null);
  const select = (ids: readonly string[], on: boolean) =>
    setChosen((before) => {
      const next = new Set(before);
      for (const id of ids)
        if (on) next.add(id);
        else next.delete(id);
      return next;
    });
  const toggle = (id: string, range: boolean) => {
    const at = people.findIndex((person) => person.id === id);
    const from = range ? people.findIndex((person) => person.id === last.current) : -1;
    const between = from === -1 ? [at, at] : [Math.min(at, from), Math.max(at, from)];
    const ids = people.slice(between[0], (between[1] ?? at) + 1).map((person) => person.id);
    select(ids, !chosen.has(id));
    last.current = id;
  };
  const clear = () => setChosen(new Set());
  const press = ({ key, currentTarget, target }: KeyboardEvent) => {
    // In a dialog that was opened here, which stands elsewhere in the page, Esc means something else.
    if (key === 'Escape' && target instanceof Node && currentTarget.contains(target)) clear();
  };
  // Whoever has left the list since is not selected any more.
  const selected = people.filter(({ id }) => chosen.has(id));
  return (
    <Context value={{ all: people, selected, select, toggle, clear }}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Esc is one more way to what a button does too */}
      <div onKeyDown={press}>{children}</div>
    </Context>
  );
}

const BOX = 'accent-accent-solid size-4 shrink-0';

/** The checkbox of a row. */
export function SelectOne({ id, name }: Selectable) {
  const t = useTranslations('many');
  const { selected, toggle } = useSelection();
  return (
    // The whole corner of the row can be pressed. It stands above the link that covers the row.
    <label className="relative z-[1] -m-2 flex p-2.5">
      <input
        type="checkbox"
        className={`row-select ${BOX}`}
        aria-label={t('selectOne', { name })}
        checked={selected.some((person) => person.id === id)}
        onClick={({ shiftKey }) => toggle(id, shiftKey)}
        // A click has the Shift key, and a change has not.
        onChange={() => {}}
      />
    </label>
  );
}

/** The checkbox that selects everybody on the page, or nobody. */
export function SelectAll({ ref }: { ref: RefObject<HTMLInputElement | null> }) {
  const t = useTranslations('many');
  const { all, selected, select, clear } = useSelection();
  const isSome = selected.length > 0 && selected.length < all.length;
  return (
    <label className="flex min-h-9 items-center gap-2">
      <input
        type="checkbox"
        className={BOX}
        ref={(box) => {
          ref.current = box;
          if (box !== null) box.indeterminate = isSome;
        }}
        checked={all.length > 0 && selected.length === all.length}
        onChange={({ target }) =>
          target.checked
            ? select(
                all.map(({ id }) => id),
                true,
              )
            : clear()
        }
      />
      {/* On a phone the buttons need the room. */}
      <span className={clsx(selected.length > 0 && 'max-sm:sr-only')}>{t('selectAll')}</span>
    </label>
  );
}
