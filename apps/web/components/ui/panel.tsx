import { clsx } from 'clsx';
import { CircleAlert, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

/** The title of a page, and what can be done on it. */
export function PageHeader({
  title,
  children,
  actions,
}: {
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <div className="mb-5 flex flex-wrap items-start justify-between gap-3">
      <div className="max-w-prose">
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {children === undefined ? null : <p className="text-ink-soft mt-1">{children}</p>}
      </div>
      {actions === undefined ? null : <div className="flex flex-wrap gap-2">{actions}</div>}
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

const NOTICES = {
  info: { look: 'border-line bg-raised', icon: 'text-accent', Icon: Info },
  warn: { look: 'border-warn/40 bg-warn-tint', icon: 'text-warn', Icon: TriangleAlert },
  danger: { look: 'border-danger/40 bg-danger-tint', icon: 'text-danger', Icon: CircleAlert },
} as const;

/** Something a person should know before going on. */
export function Notice({
  tone = 'info',
  title,
  children,
  action,
}: {
  tone?: keyof typeof NOTICES;
  title?: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  const { look, icon, Icon } = NOTICES[tone];
  return (
    <div className={clsx('flex flex-wrap items-start gap-3 rounded-lg border px-3.5 py-3', look)}>
      <Icon aria-hidden size={18} className={clsx('mt-px shrink-0', icon)} />
      <div className="min-w-0 flex-1 basis-52">
        {title === undefined ? null : <p className="font-medium">{title}</p>}
        {children === undefined ? null : <div className="text-ink-soft">{children}</div>}
      </div>
      {action}
    </div>
  );
}

/** What stands in place of an empty list: why it is empty and the next step. */
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
