import { clsx } from 'clsx';
import { CircleAlert, CircleCheck, CircleDashed, CircleX, Clock } from 'lucide-react';
import type { ReactNode } from 'react';

type Tone = 'good' | 'warn' | 'bad' | 'off' | 'waiting';

const TONES = {
  good: { style: 'bg-good-tint text-good', Icon: CircleCheck },
  warn: { style: 'bg-warn-tint text-warn', Icon: CircleAlert },
  bad: { style: 'bg-danger-tint text-danger', Icon: CircleX },
  off: { style: 'bg-raised text-ink-soft', Icon: CircleDashed },
  waiting: { style: 'bg-accent-tint text-accent', Icon: Clock },
} as const;

/** A badge for a state, shown by text, icon and colour, never by colour alone. */
export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  const { style, Icon } = TONES[tone];
  return (
    <span
      className={clsx(
        'inline-flex items-center gap-1 rounded px-1.5 py-0.5 text-xs font-medium whitespace-nowrap',
        style,
      )}
    >
      <Icon aria-hidden size={13} />
      {children}
    </span>
  );
}
