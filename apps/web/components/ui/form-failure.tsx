'use client';

import { useLayoutEffect, useRef, useState } from 'react';
import type { CallFailure } from '#components/call-api.ts';
import { Failure } from './failure.tsx';
import { FieldError } from './field.tsx';

/** What went wrong with a form, as far as none of its fields says it: no failure is silent. */
export function FormFailure({ failure }: { failure: CallFailure | null }) {
  const place = useRef<HTMLDivElement>(null);
  const [unsaid, setUnsaid] = useState<readonly string[]>([]);
  const [of, setOf] = useState(failure);
  if (of !== failure) {
    setOf(failure);
    setUnsaid([]);
  }
  // The fields say what is theirs in the same moment as this is rendered.
  useLayoutEffect(() => {
    const said = place.current?.closest('form')?.textContent ?? '';
    const messages = failure?.issues.map(({ message }) => message) ?? [];
    setUnsaid([...new Set(messages)].filter((message) => !said.includes(message)));
  }, [failure]);
  return (
    <div ref={place} className="empty:hidden">
      {failure === null || failure.issues.length > 0 ? null : <Failure failure={failure} />}
      {unsaid.length === 0 ? null : (
        <div role="alert">
          <FieldError>{unsaid}</FieldError>
        </div>
      )}
    </div>
  );
}
