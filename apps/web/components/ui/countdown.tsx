'use client';

import { useEffect, useState } from 'react';

/** Minutes and seconds until something ends. Counted from what the server said is left: browsers' clocks differ. */
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
  const seconds = Math.ceil(left / 1000);
  return (
    <span role="timer" className="font-mono tabular-nums">
      {Math.floor(seconds / 60)}:{String(seconds % 60).padStart(2, '0')}
    </span>
  );
}
