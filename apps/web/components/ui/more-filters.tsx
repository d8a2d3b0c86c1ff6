'use client';

import { type ReactNode, useEffect, useRef, useState } from 'react';

/** Filters that are rarely used. Once one of them is set they do not close by themselves: one may be in use. */
export function MoreFilters({
  label,
  isSet,
  children,
}: {
  label: string | undefined;
  isSet: boolean;
  children: ReactNode;
}) {
  const details = useRef<HTMLDetailsElement>(null);
  const [isOpenAtFirst] = useState(isSet);
  useEffect(() => {
    if (isSet && details.current !== null) details.current.open = true;
  }, [isSet]);
  return (
    <details ref={details} open={isOpenAtFirst} className="basis-full">
      <summary className="text-ink-soft hover:text-ink w-fit cursor-pointer py-1">{label}</summary>
      <div className="mt-1 flex flex-wrap items-start gap-2">{children}</div>
    </details>
  );
}
