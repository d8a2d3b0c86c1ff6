'use client';

import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { CallFailure } from '#components/call-api.ts';
import { Failure } from './failure.tsx';
import { FieldError } from './field.tsx';

/**
 * What went wrong with a form, as far as none of its fields says it: no failure is silent. The first field that says
 * something gets the focus, so that it is seen and a screen reader reads it.
 */
export function FormFailure({ failure }: { failure: CallFailure | null }) {
  const place = useRef<HTMLDivElement>(null);
  const known = useRef(failure);
  /** What had the focus when the form was sent. */
  const sender = useRef<Element>(null);
  const [unsaid, setUnsaid] = useState<readonly string[]>([]);
  const [unheard, setUnheard] = useState<readonly string[]>([]);
  const [of, setOf] = useState(failure);
  if (of !== failure) {
    setOf(failure);
    setUnsaid([]);
    setUnheard([]);
  }
  useEffect(() => {
    const form = place.current?.closest('form');
    const remember = () => {
      sender.current = document.activeElement;
    };
    form?.addEventListener('submit', remember);
    return () => form?.removeEventListener('submit', remember);
  }, []);
  // The fields say what is theirs in the same moment as this is rendered.
  useLayoutEffect(() => {
    const form = place.current?.closest('form');
    const said = [...(form?.querySelectorAll('[data-field-error]') ?? [])].map((line) => line.textContent);
    const messages = messagesOf(failure);
    const atFields = messages.filter((message) => said.some((line) => line.includes(message)));
    setUnsaid(messages.filter((message) => !atFields.includes(message)));
    // The bar of a form may come back with a failure that was said before.
    const isNew = known.current !== failure;
    known.current = failure;
    if (form && isNew && atFields.length > 0 && !focusWrongField(form, sender.current)) setUnheard(atFields);
  }, [failure]);
  return (
    <>
      <div ref={place} className="empty:hidden">
        {failure === null || unsaid.length === 0 ? null : failure.issues.length === 0 ? (
          <Failure failure={failure} />
        ) : (
          <div role="alert">
            <FieldError>{unsaid}</FieldError>
          </div>
        )}
      </div>
      {unheard.length === 0 ? null : (
        <p role="alert" className="sr-only">
          {unheard.join(' ')}
        </p>
      )}
    </>
  );
}

function messagesOf(failure: CallFailure | null): readonly string[] {
  if (failure === null) return [];
  if (failure.issues.length === 0) return [failure.message];
  return [...new Set(failure.issues.map(({ message }) => message))];
}

/** Focuses the first wrong field of a form. Returns whether the focus moved, and a screen reader so reads the field. */
function focusWrongField(form: HTMLFormElement, sender: Element | null): boolean {
  const { activeElement } = document;
  // A button that cannot be pressed meanwhile loses the focus. Whoever has gone on to another field stays there.
  if (activeElement === sender || activeElement?.contains(form))
    form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  return document.activeElement !== activeElement;
}
