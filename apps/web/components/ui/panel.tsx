import { clsx } from 'clsx';
import { CircleAlert, Info, TriangleAlert } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { Link } from './link.tsx';
import { Obstacles } from './obstacles.tsx';

/** The title of a page with its actions. */
export function PageHeader({
  title,
  children,
  actions,
  obstacles = [],
}: {
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
  /** Why actions are impossible now. */
  obstacles?: ComponentProps<typeof Obstacles>['because'];
}) {
  return (
    <div className="mb-5 flex flex-wrap items-start justify-between gap-3">
      <div className="max-w-prose min-w-0 wrap-anywhere">
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {children === undefined ? null : <p className="text-ink-soft mt-1">{children}</p>}
      </div>
      {/* A long button breaks its text on a phone, and no page scrolls sideways. */}
      {actions === undefined ? null : (
        <div className="flex flex-wrap gap-2 max-sm:*:whitespace-normal">{actions}</div>
      )}
      <div className="-mt-3 basis-full empty:hidden">
        <Obstacles because={obstacles} />
      </div>
    </div>
  );
}

export function Panel({
  className,
  children,
  ...props
}: {
  className?: string;
  children: ReactNode;
  id?: string;
}) {
  return (
    <section {...props} className={clsx('border-line bg-surface rounded-lg border', className)}>
      {children}
    </section>
  );
}

/** The id of a section's heading, by which its anchor is known. */
export function headingId(title: string): string {
  return `part-${title.replace(/[^\p{L}\p{N}]+/gu, '-')}`;
}

/** A section of a page with a heading. */
export function Section({
  title,
  lead,
  actions,
  id,
  children,
}: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  id?: string;
  children: ReactNode;
}) {
  // Not useId: the server counts ids per request, so a section that is loaded later could repeat an id.
  const heading = id ?? headingId(title);
  return (
    <section aria-labelledby={heading} className="mb-7">
      <div className="mb-2 flex flex-wrap items-end justify-between gap-x-3 gap-y-1">
        <div className="max-w-prose">
          <h2 id={heading} className="scroll-mt-4 font-semibold">
            {title}
          </h2>
          {lead === undefined ? null : <p className="text-ink-soft">{lead}</p>}
        </div>
        {actions === undefined ? null : <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** A list of names and values, side by side if there is room. */
export function Facts({ children }: { children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-x-4 gap-y-1.5 sm:grid-cols-[fit-content(45%)_minmax(0,1fr)]">
      {children}
    </dl>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-soft hyphens-auto wrap-anywhere sm:min-w-24">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}

const STATS = { plain: 'text-ink', good: 'text-good', warn: 'text-warn', bad: 'text-danger' } as const;

/** A number with its label; with `href` it links to the items it counts. */
export function Stat({
  label,
  value,
  hint,
  href,
  tone = 'plain',
}: {
  label: string;
  value: ReactNode;
  hint?: ReactNode;
  href?: string;
  tone?: keyof typeof STATS;
}) {
  const style = 'border-line bg-surface flex h-full flex-col rounded-lg border px-4 py-3';
  const text = (
    <>
      <span className="text-ink-soft text-xs font-medium">{label}</span>
      <span className={clsx('text-2xl font-semibold tracking-tight tabular-nums', STATS[tone])}>{value}</span>
      {hint === undefined ? null : <span className="text-ink-soft text-xs">{hint}</span>}
    </>
  );
  if (href === undefined) return <div className={style}>{text}</div>;
  return (
    <Link href={href} className={clsx(style, 'hover:border-line-strong no-underline')}>
      {text}
    </Link>
  );
}

const CALLOUT_STYLES = {
  info: { style: 'border-line bg-raised', icon: 'text-accent', Icon: Info },
  warn: { style: 'border-warn/40 bg-warn-tint', icon: 'text-warn', Icon: TriangleAlert },
  danger: { style: 'border-danger/40 bg-danger-tint', icon: 'text-danger', Icon: CircleAlert },
} as const;

/** A highlighted message that people should read before they go on. */
export function Callout({
  tone = 'info',
  title,
  children,
  action,
}: {
  tone?: keyof typeof CALLOUT_STYLES;
  title?: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  const { style, icon, Icon } = CALLOUT_STYLES[tone];
  return (
    <div className={clsx('flex flex-wrap items-start gap-3 rounded-lg border px-3.5 py-3', style)}>
      <Icon aria-hidden size={18} className={clsx('mt-px shrink-0', icon)} />
      <div className="min-w-0 flex-1 basis-52">
        {title === undefined ? null : <p className="font-medium">{title}</p>}
        {children === undefined ? null : <div className="text-ink-soft">{children}</div>}
      </div>
      {action}
    </div>
  );
}

/** The message in place of an empty list: why it is empty, and the next step. */
export function EmptyState({
  title,
  children,
  action,
}: {
  title: string;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-10 text-center">
      <p className="font-medium">{title}</p>
      <div className="text-ink-soft max-w-prose">{children}</div>
      {action === undefined ? null : <div className="mt-2">{action}</div>}
    </div>
  );
}
