'use client';

import { clsx } from 'clsx';
import { Button } from './ui/button.tsx';
import { Countdown } from './ui/countdown.tsx';
import { RelativeTime } from './ui/relative-time.tsx';
import { useCall } from './use-call.ts';

/** One call that waits: what exactly it does, who asks, and the three answers. */
export function ApprovalCard(props: {
  id: string;
  sentence: string;
  operation: string;
  /** The call as JSON. */
  input: string;
  tokenName: string;
  address: string;
  requestId: string;
  createdAt: string;
  lapsesInMs: number;
  windowMinutes: number;
  highlighted: boolean;
}) {
  const { call, busy, failure } = useCall();
  const decide = (decision: 'call' | 'window' | 'refuse') =>
    void call('POST', `/api/approvals/${props.id}`, { decision });
  return (
    <article
      aria-labelledby={`${props.id}-call`}
      className={clsx('bg-surface rounded-lg border', props.highlighted ? 'border-accent' : 'border-line')}
    >
      <div className="px-4 py-3.5">
        <h3 id={`${props.id}-call`} className="text-base font-medium wrap-break-word">
          {props.sentence}
        </h3>
        <dl className="text-ink-soft mt-2 flex flex-wrap gap-x-5 gap-y-1">
          <Fact name="Token">{props.tokenName}</Fact>
          <Fact name="From">
            <span className="font-mono">{props.address}</span>
          </Fact>
          <Fact name="Asked">
            <RelativeTime iso={props.createdAt} />
          </Fact>
          <Fact name="Lapses in">
            <Countdown leftMs={props.lapsesInMs} />
          </Fact>
        </dl>
        <details className="mt-3" open>
          <summary className="text-ink-soft cursor-pointer">
            The exact call <span className="font-mono">{props.operation}</span>
          </summary>
          <pre className="bg-canvas border-line mt-2 rounded-md border p-3 font-mono text-xs wrap-anywhere whitespace-pre-wrap">
            {props.input}
          </pre>
          <p className="text-ink-soft mt-1 font-mono text-xs break-all">{props.requestId}</p>
        </details>
        {failure === null ? null : (
          <p role="alert" className="text-danger mt-3">
            {failure.message}
          </p>
        )}
      </div>
      <div className="border-line flex flex-wrap gap-2 border-t px-4 py-3">
        <Button look="primary" disabled={busy} onClick={() => decide('call')}>
          This call only
        </Button>
        <Button disabled={busy} onClick={() => decide('window')}>
          {props.windowMinutes} minutes
        </Button>
        <Button look="quiet" className="sm:ml-auto" disabled={busy} onClick={() => decide('refuse')}>
          Refuse
        </Button>
      </div>
    </article>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="flex gap-1.5">
      <dt>{name}</dt>
      <dd className="text-ink">{children}</dd>
    </div>
  );
}
