import { clsx } from 'clsx';

/** A dot in a colour of Discord's, whose 0 is none. */
export function ColorDot({ color }: { color: number }) {
  const isColored = color !== 0;
  return (
    <span
      aria-hidden
      className={clsx('mr-2 inline-block size-2.5 shrink-0 rounded-full', isColored || 'bg-line-strong')}
      style={isColored ? { backgroundColor: `#${color.toString(16).padStart(6, '0')}` } : undefined}
    />
  );
}
