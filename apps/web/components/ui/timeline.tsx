import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { RelativeTime } from './relative-time.tsx';

/** A list of events in order. */
export function Timeline({ children }: { children: ReactNode }) {
  return <ol className="grid">{children}</ol>;
}

const TONES = {
  plain: 'bg-raised text-ink-soft',
  good: 'bg-good-tint text-good',
  warn: 'bg-warn-tint text-warn',
  bad: 'bg-danger-tint text-danger',
} as const;

export function TimelineEntry({
  icon,
  title,
  at,
  tone = 'plain',
  children,
}: {
  /** An icon that repeats the title, so screen readers skip it. */
  icon: ReactNode;
  title: ReactNode;
  /** The time in ISO 8601. */
  at: string;
  tone?: keyof typeof TONES;
  children?: ReactNode;
}) {
  return (
    <li className="group grid grid-cols-[1.75rem_minmax(0,1fr)] gap-x-3">
      <div className="flex flex-col items-center">
        <span
          aria-hidden
          className={clsx('grid size-7 shrink-0 place-items-center rounded-full', TONES[tone])}
        >
          {icon}
        </span>
        <span className="bg-line w-px flex-1 group-last:hidden" />
      </div>
      <div className="pb-5 group-last:pb-0">
        <div className="flex flex-wrap items-baseline gap-x-3 pt-1">
          <p className="font-medium wrap-anywhere">{title}</p>
          <span className="text-ink-soft text-xs">
            <RelativeTime iso={at} />
          </span>
        </div>
        {children === undefined ? null : <div className="text-ink-soft mt-1 wrap-anywhere">{children}</div>}
      </div>
    </li>
  );
}
