'use client';

import { useEffect, useState } from 'react';

/**
 * The hours, minutes and seconds until something ends. It counts from the time left that the server sent, because the
 * browser's clock may be wrong.
 */
export function Countdown({ leftMs, onEnd }: { leftMs: number; onEnd?: () => void }) {
  const [left, setLeft] = useState(leftMs);
  useEffect(() => {
    const endsAt = performance.now() + leftMs;
    const timer = setInterval(() => {
      const now = Math.max(0, endsAt - performance.now());
      setLeft(now);
      if (now === 0) {
        clearInterval(timer);
        onEnd?.();
      }
    }, 500);
    return () => clearInterval(timer);
  }, [leftMs, onEnd]);
  return (
    <span role="timer" className="font-mono tabular-nums">
      {clockOf(Math.ceil(left / 1000))}
    </span>
  );
}

function clockOf(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const tail = String(seconds % 60).padStart(2, '0');
  return hours === 0 ? `${minutes}:${tail}` : `${hours}:${String(minutes).padStart(2, '0')}:${tail}`;
}
