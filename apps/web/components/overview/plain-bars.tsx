import { clsx } from 'clsx';
import type { BarsProps } from './bars.ts';

/** The chart as plain bars, shown until the library for the interactive chart is loaded. */
export function PlainBars({ series, days, ticks }: BarsProps) {
  const top = ticks.at(-1) ?? 1;
  const each = Math.ceil(days.length / MOST_LABELS);
  return (
    <div className="text-ink-soft relative h-full pt-1 pr-2 pb-7 pl-10 text-xs">
      <div className="relative h-full">
        {ticks.map((tick) => (
          <div
            key={tick}
            className="border-line absolute inset-x-0 border-t"
            style={{ bottom: `${(tick / top) * 100}%` }}
          >
            <span className="absolute -top-2 right-full pr-2 tabular-nums">{tick}</span>
          </div>
        ))}
        <div className="absolute inset-0 flex">
          {days.map(({ day, label, values }, place) => (
            <div key={day} className="relative flex h-full min-w-0 flex-1 flex-col-reverse items-center">
              {series.map(({ key, colour }, at) => (
                <div
                  key={key}
                  className="w-4/5 max-w-7 shrink-0"
                  style={{ height: `${((values[at] ?? 0) / top) * 100}%`, background: colour }}
                />
              ))}
              {(days.length - 1 - place) % each === 0 ? (
                <span
                  className={clsx(
                    'absolute top-full mt-2 whitespace-nowrap',
                    (days.length - 1 - place) % (2 * each) !== 0 && 'max-sm:hidden',
                  )}
                >
                  {label}
                </span>
              ) : null}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

const MOST_LABELS = 7;
