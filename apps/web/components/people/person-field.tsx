'use client';

import { clsx } from 'clsx';
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
} from 'react';
import { useTranslations } from 'use-intl/react';
import { ACTIVE_OPTION } from '#components/ui/active-option.ts';
import { CONTROL } from '#components/ui/field.tsx';
import { Labelled } from '#components/ui/filter-fields.tsx';
import { isComposing } from '#components/ui/is-composing.ts';
import type { PersonWire } from '#src/person-wire.ts';
import { nameOf } from './name-of.ts';
import { PersonRow } from './person-row.tsx';
import { SearchState } from './search-state.tsx';
import { usePeopleSearch } from './use-people-search.ts';

/**
 * A field of a form for a person: a combobox (WAI-ARIA) that finds people by name, id or mention. The form gets the
 * person's id and is submitted when a choice is made. A text that stands for nobody is sent as it is, so that the page
 * can say so.
 */
export function PersonField({
  guildId,
  name,
  label,
  value = '',
  valueName,
  error,
}: {
  guildId: string;
  name: string;
  label: string;
  /** The id in the address, or the text that was given instead. */
  value?: string | undefined;
  /** The name of that person, if it is known. */
  valueName?: string | undefined;
  error?: ReactNode;
}) {
  const t = useTranslations('people');
  const shown = valueName ?? value;
  const list = useId();
  const sent = useRef<HTMLInputElement>(null);
  const input = useRef<HTMLInputElement>(null);
  /** The text for which the address is on its way. */
  const settled = useRef<string>(null);
  const [text, setText] = useState(shown);
  const [isOpen, setOpen] = useState(false);
  /** The place of the person who Enter chooses; null until an arrow key moves it. */
  const [moved, setMoved] = useState<number | null>(null);
  /** What is searched for: while the chosen person stands in the field, nothing in particular. */
  const wanted = text === valueName ? '' : text.trim();
  const search = usePeopleSearch(guildId, isOpen ? wanted : null);
  const { people } = search;
  const isListed = isOpen && people.length > 0;
  const active = Math.min(moved ?? (wanted === '' ? -1 : 0), people.length - 1);
  const optionId = (index: number) => `${list}-${index}`;
  // The address also changes in other ways, such as a chip that is removed.
  useEffect(() => {
    settled.current = null;
    setText(shown);
  }, [shown]);
  const typeEarly = useEffectEvent(() => {
    // Somebody was quicker than the script.
    const typed = input.current?.value ?? shown;
    if (typed === shown) return;
    setText(typed);
    setOpen(input.current === document.activeElement);
  });
  useEffect(() => typeEarly(), []);

  const send = (next: string, as: string) => {
    setOpen(false);
    settled.current = as;
    if (sent.current === null || sent.current.value === next) return;
    sent.current.value = next;
    sent.current.form?.requestSubmit();
  };
  const choose = (person: PersonWire) => {
    setText(nameOf(person));
    send(person.user_id, nameOf(person));
  };
  const leave = () => {
    setOpen(false);
    const typed = text.trim();
    if (typed !== shown && text !== settled.current) send(idIn(typed) ?? typed, text);
  };
  const move = (by: number) => {
    setOpen(true);
    if (isListed) setMoved((Math.max(active, by < 0 ? 0 : -1) + by + people.length) % people.length);
  };
  const enter = () => {
    const person = people[active];
    const isCurrent = isOpen && search.of === wanted;
    if (isCurrent && person !== undefined) choose(person);
    // What is typed may still be found.
    else if (wanted === '' || !search.isSearching || idIn(wanted) !== null) leave();
  };
  const press = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Escape' && isOpen) setOpen(false);
    else if (event.key === 'Enter') enter();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <Labelled label={label} error={error}>
      {(described) => (
        <div className="relative w-56 max-w-full">
          <input ref={sent} type="hidden" name={name} defaultValue={value} />
          <input
            {...described}
            ref={input}
            type="text"
            role="combobox"
            autoComplete="off"
            spellCheck={false}
            maxLength={100}
            dir="auto"
            aria-autocomplete="list"
            aria-haspopup="listbox"
            aria-expanded={isListed}
            aria-controls={isListed ? list : undefined}
            aria-activedescendant={isListed && active >= 0 ? optionId(active) : undefined}
            value={text}
            onChange={(event) => {
              event.stopPropagation(); // the form follows the id, not what is being typed
              setText(event.target.value);
              setMoved(null);
              setOpen(true);
            }}
            onClick={() => setOpen(true)}
            onKeyDown={press}
            // Another window may come to the front meanwhile.
            onBlur={({ target }) => target !== document.activeElement && leave()}
            className={clsx(CONTROL, 'h-9')}
          />
          {isOpen ? (
            // biome-ignore lint/a11y/noStaticElementInteractions: the focus stays in the field
            <div
              onMouseDown={(event) => event.preventDefault()}
              className="border-line bg-surface absolute top-full left-0 z-30 mt-1 w-full rounded-md border shadow-xl"
            >
              {isListed ? (
                <PeopleList
                  id={list}
                  label={label}
                  people={people}
                  active={active}
                  optionId={optionId}
                  onChoose={choose}
                />
              ) : null}
              <SearchState search={search} nobody={t('nobody')} />
            </div>
          ) : null}
        </div>
      )}
    </Labelled>
  );
}

/** The id that a text is, or mentions; null if it is neither. */
function idIn(text: string): string | null {
  return /^(?:<@!?)?(\d{17,20})>?$/.exec(text)?.[1] ?? null;
}

function PeopleList({
  id,
  label,
  people,
  active,
  optionId,
  onChoose,
}: {
  id: string;
  label: string;
  people: readonly PersonWire[];
  active: number;
  optionId: (index: number) => string;
  onChoose: (person: PersonWire) => void;
}) {
  const option = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the active option is another one
  useEffect(() => {
    option.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <div id={id} role="listbox" aria-label={label} className="max-h-72 overflow-y-auto p-1">
      {people.map((person, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and the keys
        <div
          key={person.user_id}
          id={optionId(index)}
          ref={index === active ? option : undefined}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          onClick={() => onChoose(person)}
          className={clsx(
            'hover:bg-raised cursor-pointer rounded px-2 py-1',
            index === active && ACTIVE_OPTION,
          )}
        >
          <PersonRow person={person} />
        </div>
      ))}
    </div>
  );
}
