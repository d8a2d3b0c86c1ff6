'use client';

import { useEffect, useState } from 'react';
import { useLocale } from 'use-intl/react';

const UNITS = [
  ['year', 31_536_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

function relative(at: number, now: number, locale: string): string {
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const seconds = Math.round((at - now) / 1000);
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return format.format(Math.round(seconds / length), unit);
  }
  return format.format(Math.abs(seconds) < 10 ? 0 : seconds, 'second');
}

function exact(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')} UTC`;
}

/** How long ago or ahead a time is, with the exact time in UTC on hover. Without script it is the exact time. */
export function RelativeTime({ iso }: { iso: string }) {
  const locale = useLocale();
  const [text, setText] = useState(exact(iso));
  useEffect(() => {
    const update = () => setText(relative(Date.parse(iso), Date.now(), locale));
    update();
    const timer = setInterval(update, 10_000);
    return () => clearInterval(timer);
  }, [iso, locale]);
  return (
    <time dateTime={iso} title={exact(iso)} className="whitespace-nowrap">
      {text}
    </time>
  );
}
