'use client';

import { clsx } from 'clsx';
import { LockKeyhole, LockKeyholeOpen } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useCallback } from 'react';
import { Button } from './ui/button.tsx';
import { Countdown } from './ui/countdown.tsx';
import { EmptyState, Panel } from './ui/panel.tsx';
import { useCall } from './use-call.ts';

interface TokenWindow {
  id: string;
  name: string;
  kind: string;
  hint: string;
  /** Of an open window, how long it stays open; null while none is. */
  leftMs: number | null;
  highlighted: boolean;
}

/** The tokens of a guild with their windows: open one beforehand, watch it run out, close it early. */
export function TokenWindows({
  tokens,
  windowMinutes,
}: {
  tokens: readonly TokenWindow[];
  windowMinutes: number;
}) {
  return (
    <section aria-labelledby="windows" className="mb-7">
      <h2 id="windows" className="mb-2 font-semibold">
        Windows
      </h2>
      <Panel>
        {tokens.length === 0 ? (
          <EmptyState title="No token is active">
            Windows are opened for tokens. Create one under API &amp; MCP.
          </EmptyState>
        ) : (
          <ul>
            {tokens.map((token) => (
              <TokenRow key={token.id} token={token} windowMinutes={windowMinutes} />
            ))}
          </ul>
        )}
      </Panel>
    </section>
  );
}

function TokenRow({ token, windowMinutes }: { token: TokenWindow; windowMinutes: number }) {
  const { call, busy, failure } = useCall();
  const router = useRouter();
  const lookAgain = useCallback(() => router.refresh(), [router]);
  const path = `/api/api-tokens/${token.id}/reauth-window`;
  const open = token.leftMs !== null;
  return (
    <li
      className={clsx(
        'border-line flex flex-wrap items-center gap-x-3 gap-y-2 border-b px-3.5 py-2.5 last:border-b-0',
        token.highlighted && 'bg-accent-tint first:rounded-t-lg last:rounded-b-lg',
      )}
    >
      {open ? (
        <LockKeyholeOpen aria-hidden size={18} className="text-warn" />
      ) : (
        <LockKeyhole aria-hidden size={18} className="text-ink-soft" />
      )}
      <div className="min-w-0 flex-1 basis-40">
        <p className="truncate font-medium">{token.name}</p>
        <p className="text-ink-soft font-mono text-xs">
          {token.kind} · {token.hint}
        </p>
      </div>
      {token.leftMs === null ? (
        <Button
          disabled={busy}
          onClick={() => void call('POST', path)}
          title={`Opens a window of ${windowMinutes} minutes`}
        >
          Approve next destructive action
        </Button>
      ) : (
        <>
          <p className="text-warn">
            Open for <Countdown leftMs={token.leftMs} onEnd={lookAgain} />
          </p>
          <Button disabled={busy} onClick={() => void call('DELETE', path)}>
            Close
          </Button>
        </>
      )}
      {failure === null ? null : (
        <p role="alert" className="text-danger w-full">
          {failure.message}
        </p>
      )}
    </li>
  );
}
