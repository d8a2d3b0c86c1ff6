'use client';

import { clsx } from 'clsx';
import { type ReactNode, useId, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { CallFailure } from '#components/call-api.ts';
import { Button } from '#components/ui/button.tsx';
import { Countdown } from '#components/ui/countdown.tsx';
import { Failure } from '#components/ui/failure.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useApi } from '#components/use-call.ts';
import { useRefresh } from '#components/use-refresh.ts';
import { OpenWindowDialog } from './open-window-dialog.tsx';
import { SubjectFacts, type SubjectView } from './subject-facts.tsx';

const DECISION_TOASTS = { call: 'allowedCall', refuse: 'refusedDone' } as const;

/** One pending call: its exact effect, who sent it, and the three possible decisions. */
export function ApprovalCard(props: {
  id: string;
  sentence: string;
  operation: string;
  /** The call as JSON. */
  input: string;
  tokenName: string;
  address: string;
  requestId: string;
  /** The person whom it is about; null if it is about nobody. */
  subject: SubjectView | null;
  /** How many people are in the list that it acts on: 0 if it acts on none. */
  count: number;
  /** The people. Empty if the page shows those of other calls: then it leads to them. */
  people: readonly string[];
  createdAt: string;
  lapsesInMs: number;
  windowMinutes: number;
  highlighted: boolean;
}) {
  const t = useTranslations('approvals');
  const heading = useId();
  const api = useApi();
  const refresh = useRefresh();
  const [busy, setBusy] = useState(false);
  const [opening, setOpening] = useState(false);
  const [failure, setFailure] = useState<CallFailure | null>(null);
  const decide = async (decision: 'call' | 'refuse') => {
    setBusy(true);
    const answer = await api('POST', `/api/approvals/${props.id}`, { decision });
    setBusy(false);
    if (answer instanceof CallFailure && !answer.outdated) {
      setFailure(answer);
      return;
    }
    // The card disappears in both cases, so the message is a toast.
    if (answer instanceof CallFailure) toast({ text: t('waitsNoMore'), tone: 'bad' });
    else toast({ text: t(DECISION_TOASTS[decision]) });
    refresh();
  };
  return (
    <article
      aria-labelledby={heading}
      className={clsx('bg-surface rounded-lg border', props.highlighted ? 'border-accent' : 'border-line')}
    >
      <div className="px-4 py-3.5">
        <h3 id={heading} className="text-base font-medium wrap-anywhere">
          {props.sentence}
        </h3>
        {props.subject === null ? null : <SubjectFacts subject={props.subject} />}
        {props.count > 0 && props.people.length === 0 ? (
          <p className="mt-2">
            <a href={`?approval=${props.id}`} className="text-accent">
              {t('people', { count: props.count })}
            </a>
          </p>
        ) : null}
        {props.people.length === 0 ? null : (
          <details className="mt-2">
            <summary className="text-ink-soft cursor-pointer">{t('people', { count: props.count })}</summary>
            <ul className="mt-2 gap-x-5 text-xs sm:columns-2">
              {props.people.map((person) => (
                <li key={person} className="wrap-anywhere">
                  {person}
                </li>
              ))}
            </ul>
          </details>
        )}
        <dl className="text-ink-soft mt-2 flex flex-wrap gap-x-5 gap-y-1">
          <Fact name={t('token')}>{props.tokenName}</Fact>
          <Fact name={t('from')}>
            <span className="font-mono wrap-anywhere">{props.address}</span>
          </Fact>
          <Fact name={t('asked')}>
            <RelativeTime iso={props.createdAt} />
          </Fact>
          <Fact name={t('lapsesIn')}>
            <Countdown leftMs={props.lapsesInMs} />
          </Fact>
        </dl>
        <details className="mt-3" open>
          <summary className="text-ink-soft cursor-pointer">
            {t('exactCall')} <span className="font-mono">{props.operation}</span>
          </summary>
          <pre className="bg-canvas border-line mt-2 rounded-md border p-3 font-mono text-xs wrap-anywhere whitespace-pre-wrap">
            {props.input}
          </pre>
          <p className="text-ink-soft mt-1 font-mono text-xs break-all">{props.requestId}</p>
        </details>
        <div className="mt-3 empty:hidden">
          <Failure failure={failure} />
        </div>
      </div>
      <div className="border-line flex flex-wrap gap-2 border-t px-4 py-3">
        <Button variant="primary" disabled={busy} onClick={() => void decide('call')}>
          {t('thisCallOnly')}
        </Button>
        <Button disabled={busy} onClick={() => setOpening(true)}>
          {t('allowEverything', { count: props.windowMinutes })}
        </Button>
        <Button variant="quiet" className="sm:ml-auto" disabled={busy} onClick={() => void decide('refuse')}>
          {t('refuse')}
        </Button>
      </div>
      <OpenWindowDialog
        tokenName={props.tokenName}
        windowMinutes={props.windowMinutes}
        request={{ method: 'POST', path: `/api/approvals/${props.id}`, body: { decision: 'window' } }}
        open={opening}
        onClose={() => setOpening(false)}
      />
    </article>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex gap-1.5">
      <dt>{name}</dt>
      <dd className="text-ink min-w-0 wrap-anywhere">{children}</dd>
    </div>
  );
}
