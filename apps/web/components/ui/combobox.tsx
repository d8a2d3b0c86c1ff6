'use client';

import { clsx } from 'clsx';
import { X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { ACTIVE_OPTION } from './active-option.ts';
import { ColorDot } from './color-dot.tsx';
import { type ComboboxOption, groupsOf, matches, meantBy, type Offer } from './combobox-options.ts';
import { CONTROL, Field } from './field.tsx';
import { isComposing } from './is-composing.ts';

interface Props {
  readonly label: string;
  readonly isLabelHidden?: boolean;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly placeholder: string;
  readonly clear: string;
  readonly options: readonly ComboboxOption[];
  readonly value: ComboboxOption | null;
  /** What a typed or pasted text stands for, besides the options that contain it. */
  readonly offer?: Offer;
  readonly onChange: (id: string | null) => void;
  /** Called with a text that was left in the field and stands for nothing; null once there is none. */
  readonly onUnknown: (typed: string | null) => void;
}

/**
 * A field with a list that what is typed searches (the ARIA pattern *combobox with a list*). The arrow keys move, Enter
 * chooses, Esc closes. A text that is left in the field is chosen if it stands for one thing, and else stays.
 */
export function Combobox({ label, isLabelHidden, hint, error, placeholder, clear, value, ...props }: Props) {
  const { options, offer, onChange, onUnknown } = props;
  const t = useTranslations('ui');
  const list = useId();
  const input = useRef<HTMLInputElement>(null);
  const popup = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const [at, setAt] = useState(0);
  const found = isOpen ? matches(options, typed ?? '', offer) : [];
  const active = found[at];
  const idOf = (option: ComboboxOption) => `${list}-${option.id}`;

  const activeId = active && idOf(active);
  useEffect(() => {
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' });
  }, [activeId]);

  useEffect(() => {
    if (isOpen) popup.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);

  const open = (text: string | null) => {
    setTyped(text);
    setIsOpen(true);
    const chosen = text === null ? options.findIndex(({ id }) => id === value?.id) : 0;
    setAt(Math.max(0, chosen));
  };
  const choose = (option: ComboboxOption | null) => {
    setTyped(null);
    setIsOpen(false);
    onUnknown(null);
    onChange(option?.id ?? null);
  };
  const leave = () => {
    setIsOpen(false);
    const text = typed?.trim() ?? null;
    if (text === null) return;
    if (text === '') return choose(null);
    const meant = meantBy(options, text, offer);
    if (meant === null) onUnknown(text);
    else choose(meant);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    const { key } = event;
    if (key === 'Escape' && isOpen) {
      setIsOpen(false);
      setTyped(null);
      onUnknown(null);
    } else if (key === 'Enter' && active !== undefined) choose(active);
    else if (key === 'ArrowDown' || key === 'ArrowUp') {
      const step = key === 'ArrowDown' ? 1 : -1;
      if (isOpen) setAt((at + step + found.length) % Math.max(1, found.length));
      else open(typed);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <Field label={label} isLabelHidden={isLabelHidden} hint={hint} error={error}>
      {(attributes) => (
        <div className="relative">
          <input
            {...attributes}
            ref={input}
            type="text"
            role="combobox"
            aria-expanded={isOpen}
            aria-controls={list}
            aria-autocomplete="list"
            aria-activedescendant={activeId}
            autoComplete="off"
            spellCheck={false}
            placeholder={placeholder}
            value={typed ?? value?.text ?? ''}
            onChange={({ target }) => open(target.value)}
            onClick={() => (isOpen ? null : open(typed))}
            onKeyDown={onKeyDown}
            onBlur={leave}
            className={clsx(CONTROL, 'h-9 pr-9')}
          />
          {value === null && typed === null ? null : (
            <button
              type="button"
              aria-label={clear}
              title={clear}
              onClick={() => {
                choose(null);
                input.current?.focus();
              }}
              className="text-ink-soft hover:text-ink absolute top-0 right-0 flex size-9 items-center justify-center"
            >
              <X aria-hidden size={15} />
            </button>
          )}
          <p role="status" className="sr-only">
            {isOpen ? t('found', { count: found.length }) : ''}
          </p>
          {isOpen ? (
            <div
              ref={popup}
              className="border-line bg-surface absolute z-30 mt-1 max-h-72 w-full overflow-y-auto rounded-md border p-1 shadow-xl"
            >
              {found.length === 0 ? <p className="text-ink-soft px-2.5 py-1.5">{t('foundNothing')}</p> : null}
              <div id={list} role="listbox" aria-label={label}>
                {groupsOf(found).map(([group, members]) => (
                  // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
                  <div key={group} role="group" aria-label={group === '' ? undefined : group}>
                    {group === '' ? null : (
                      <p
                        aria-hidden
                        className="text-ink-soft px-2.5 pt-2 pb-1 text-xs font-medium wrap-anywhere"
                      >
                        {group}
                      </p>
                    )}
                    {members.map((option) => (
                      // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the field has the focus and the keys (aria-activedescendant)
                      <div
                        key={option.id}
                        id={idOf(option)}
                        role="option"
                        aria-selected={option.id === value?.id}
                        // The field keeps the focus.
                        onMouseDown={(event) => event.preventDefault()}
                        onClick={() => choose(option)}
                        className={clsx(
                          'hover:bg-raised cursor-pointer rounded px-2.5 py-1.5 wrap-anywhere',
                          option === active && ACTIVE_OPTION,
                          option.id === value?.id && 'font-medium',
                        )}
                      >
                        {option.color === undefined ? null : <ColorDot color={option.color} />}
                        {option.text}
                        {option.detail == null ? null : (
                          <span className="text-ink-soft block text-xs font-normal">{option.detail}</span>
                        )}
                        {option.note == null ? null : (
                          <span className="text-warn block text-xs font-normal">{option.note}</span>
                        )}
                      </div>
                    ))}
                  </div>
                ))}
              </div>
            </div>
          ) : (
            <div id={list} role="listbox" aria-label={label} hidden />
          )}
        </div>
      )}
    </Field>
  );
}
