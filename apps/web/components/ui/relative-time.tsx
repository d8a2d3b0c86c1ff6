'use client';

import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { useLocale } from 'use-intl/react';

const UNITS = [
  ['year', 31_536_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** How long ago or ahead of `now` a moment is. */
export function relative(at: number, now: number, locale: string): string {
  const seconds = Math.round((at - now) / 1000);
  if (Math.abs(seconds) < 10)
    return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(0, 'second');
  // A distance of thirty hours is one day, but seldom "tomorrow" or "yesterday".
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'always' });
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return format.format(Math.round(seconds / length), unit);
  }
  return format.format(seconds, 'second');
}

function exact(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')} UTC`;
}

const ExactTimes = createContext(false);

/** Says whether the times inside are exact instead of relative. */
export function Times({ exact: isExact, children }: { exact: boolean; children: ReactNode }) {
  return <ExactTimes value={isExact}>{children}</ExactTimes>;
}

/**
 * How long ago or ahead a time is, with the exact time in UTC on hover, and while its row has the focus. Without script,
 * and where exact times were chosen, it is the exact time.
 *
 * Its text goes on with the time. A live region with it says `aria-relevant="additions"`: else a screen reader would
 * read each new text out. (`aria-live="off"` here would leave the time readable behind an open dialog.)
 */
export function RelativeTime({ iso }: { iso: string }) {
  const locale = useLocale();
  const isExact = useContext(ExactTimes);
  const [text, setText] = useState(exact(iso));
  useEffect(() => {
    const update = () => setText(isExact ? exact(iso) : relative(Date.parse(iso), Date.now(), locale));
    update();
    const timer = setInterval(update, 10_000);
    return () => clearInterval(timer);
  }, [iso, isExact, locale]);
  return (
    <time dateTime={iso} title={exact(iso)} data-exact={exact(iso)} className="exact-time whitespace-nowrap">
      {text}
    </time>
  );
}
