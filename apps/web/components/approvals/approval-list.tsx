'use client';

import { type ComponentProps, type MouseEvent, type ReactNode, useEffect, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { ApprovalCard } from './approval-card.tsx';

/** How long after a change of the list a click counts as meant for what stood there before. */
const SETTLES_MS = 500;

/**
 * The calls that wait, oldest first. They keep their places while the page is open: later ones are announced and come
 * to the end when the owner asks for them. So no caller can put a call under a finger that is about to approve another.
 */
export function ApprovalList({
  requests,
  waiting,
  children,
}: {
  requests: readonly ComponentProps<typeof ApprovalCard>[];
  /** How many calls wait, in words. */
  waiting: string;
  /** What stands here while no call waits. */
  children: ReactNode;
}) {
  const t = useTranslations('approvals');
  const [known, setKnown] = useState<ReadonlySet<string>>(() => idsOf(requests));
  const shown = requests.filter(({ id }) => known.has(id));
  const later = requests.length - shown.length;
  // Nothing can be clicked by mistake in an empty list.
  if (shown.length === 0 && later > 0) setKnown(idsOf(requests));

  const content = JSON.stringify(shown.map(({ lapsesInMs: _, ...request }) => request));
  const [settled, setSettled] = useState(content);
  const isSettling = content !== settled;
  useEffect(() => {
    if (!isSettling) return;
    const timer = setTimeout(() => setSettled(content), SETTLES_MS);
    return () => clearTimeout(timer);
  }, [content, isSettling]);
  const ignoreHasty = (event: MouseEvent) => {
    // Who uses the keyboard acts on what has the focus, wherever that is now.
    if (!isSettling || event.detail === 0) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      {/* Always there, because a screen reader does not read what comes together with its region. */}
      <p role="status" className="sr-only">
        {later === 0 ? waiting : t('showLater', { count: later })}
      </p>
      {requests.length === 0 ? (
        children
      ) : (
        <ul className="grid gap-3 2xl:grid-cols-2" aria-disabled={isSettling} onClickCapture={ignoreHasty}>
          {shown.map((request) => (
            <li key={request.id} className="min-w-0">
              <ApprovalCard {...request} />
            </li>
          ))}
        </ul>
      )}
      {later === 0 ? null : (
        <Button className="mt-3" onClick={() => setKnown(idsOf(requests))}>
          {t('showLater', { count: later })}
        </Button>
      )}
    </>
  );
}

function idsOf(requests: readonly { id: string }[]): ReadonlySet<string> {
  return new Set(requests.map(({ id }) => id));
}
