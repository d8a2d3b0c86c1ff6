import { clsx } from 'clsx';
import { CircleAlert, CircleCheck, CircleDashed, CircleX, Clock } from 'lucide-react';
import type { ReactNode } from 'react';

type Tone = 'good' | 'warn' | 'bad' | 'off' | 'waiting';

const TONES = {
  good: { look: 'bg-good-tint text-good', Icon: CircleCheck },
  warn: { look: 'bg-warn-tint text-warn', Icon: CircleAlert },
  bad: { look: 'bg-danger-tint text-danger', Icon: CircleX },
  off: { look: 'bg-raised text-ink-soft', Icon: CircleDashed },
  waiting: { look: 'bg-accent-tint text-accent', Icon: Clock },
} as const;

/** A badge for a state, shown by text, icon and colour, never by colour alone. */
export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  const { look, Icon } = TONES[tone];
  return (
    <span
      className={clsx(
        'inline-flex items-center gap-1 rounded px-1.5 py-0.5 text-xs font-medium whitespace-nowrap',
        look,
      )}
    >
      <Icon aria-hidden size={13} />
      {children}
    </span>
  );
}
