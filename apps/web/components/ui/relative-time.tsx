'use client';

import { useEffect, useState } from 'react';

const UNITS = [
  ['year', 31_536_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

function relative(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return format.format(Math.round(seconds / length), unit);
  }
  return Math.abs(seconds) < 10 ? 'just now' : format.format(seconds, 'second');
}

function exact(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')} UTC`;
}

/** How long ago or ahead, with the exact time in UTC on hover; without script the exact time. */
export function RelativeTime({ iso }: { iso: string }) {
  const [text, setText] = useState(exact(iso));
  useEffect(() => {
    const update = () => setText(relative(Date.parse(iso), Date.now()));
    update();
    const timer = setInterval(update, 10_000);
    return () => clearInterval(timer);
  }, [iso]);
  return (
    <time dateTime={iso} title={exact(iso)} className="whitespace-nowrap">
      {text}
    </time>
  );
}
