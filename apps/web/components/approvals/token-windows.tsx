'use client';

import type { ActionState } from '@bailiff/core';
import { clsx } from 'clsx';
import { LockKeyhole, LockKeyholeOpen } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Badge } from '#components/ui/badge.tsx';
import { Button } from '#components/ui/button.tsx';
import { Countdown } from '#components/ui/countdown.tsx';
import { Failure } from '#components/ui/failure.tsx';
import { EmptyState, Panel, Section } from '#components/ui/panel.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { useCall } from '#components/use-call.ts';
import { OpenWindowDialog } from './open-window-dialog.tsx';

/** A call that was made in an open window. */
interface WindowCall {
  id: string;
  sentence: string;
  state: ActionState;
  at: string;
}

interface TokenWindow {
  id: string;
  name: string;
  kind: string;
  hint: string;
  /** The open window: how long it stays open, and the calls made in it. Null while none is open. */
  open: { leftMs: number; calls: readonly WindowCall[] } | null;
  highlighted: boolean;
}

const TONES = {
  pending: 'waiting',
  running: 'waiting',
  done: 'good',
  failed: 'bad',
  unknown: 'warn',
  cancelled: 'off',
} as const;

/** The tokens of a guild with their windows. The owner can open a window, follow its calls, and close it early. */
export function TokenWindows({
  tokens,
  windowMinutes,
  help,
  toTokens,
}: {
  tokens: readonly TokenWindow[];
  windowMinutes: number;
  /** Stands behind the text that says what a window is. */
  help: ReactNode;
  /** Leads to where tokens are created. */
  toTokens: ReactNode;
}) {
  const t = useTranslations('approvals');
  return (
    <Section
      title={t('windows')}
      lead={
        <>
          {t('windowsLead', { count: windowMinutes })} {help}
        </>
      }
    >
      <Panel>
        {tokens.length === 0 ? (
          <EmptyState title={t('noToken')} action={toTokens}>
            {t('noTokenText')}
          </EmptyState>
        ) : (
          <ul>
            {tokens.map((token) => (
              <TokenRow key={token.id} token={token} windowMinutes={windowMinutes} />
            ))}
          </ul>
        )}
      </Panel>
    </Section>
  );
}

function TokenRow({ token, windowMinutes }: { token: TokenWindow; windowMinutes: number }) {
  const t = useTranslations('approvals');
  const { call, busy, failure } = useCall();
  const path = `/api/api-tokens/${token.id}/reauth-window`;
  const { open } = token;
  const [opening, setOpening] = useState(false);
  const means = useId();
  return (
    <li
      className={clsx(
        'border-line border-b px-3.5 py-2.5 last:border-b-0',
        token.highlighted && 'bg-accent-tint first:rounded-t-lg last:rounded-b-lg',
      )}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {open === null ? (
          <LockKeyhole aria-hidden size={18} className="text-ink-soft" />
        ) : (
          <LockKeyholeOpen aria-hidden size={18} className="text-warn" />
        )}
        <div className="min-w-0 flex-1 basis-40">
          <p className="truncate font-medium">{token.name}</p>
          <p className="text-ink-soft font-mono text-xs">
            {token.kind} · {token.hint}
          </p>
          {open === null ? (
            <p id={means} className="text-ink-soft text-xs">
              {t('opens', { count: windowMinutes })}
            </p>
          ) : null}
        </div>
        {open === null ? (
          <Button onClick={() => setOpening(true)} aria-describedby={means}>
            {t('approveNext')}
          </Button>
        ) : (
          <>
            <p className="text-warn">
              {t('openFor')} <Countdown leftMs={open.leftMs} />
            </p>
            <Button disabled={busy} onClick={() => void call('DELETE', path)}>
              {t('close')}
            </Button>
          </>
        )}
      </div>
      <Failure failure={failure} />
      <OpenWindowDialog
        tokenName={token.name}
        windowMinutes={windowMinutes}
        request={{ method: 'POST', path }}
        open={opening}
        onClose={() => setOpening(false)}
      />
      {open === null ? null : <Calls name={token.name} calls={open.calls} />}
    </li>
  );
}

/** The calls made in the window, newest first. A screen reader announces new calls, and how they end. */
function Calls({ name, calls }: { name: string; calls: readonly WindowCall[] }) {
  const t = useTranslations('approvals');
  return (
    <section
      aria-label={t('callsOf', { name })}
      aria-live="polite"
      aria-relevant="additions"
      className="mt-2 sm:ml-7.5"
    >
      {calls.length === 0 ? (
        <p className="text-ink-soft">{t('noCalls')}</p>
      ) : (
        <ol className="border-line grid gap-1.5 border-l pl-3">
          {calls.map(({ id, sentence, state, at }) => (
            <li key={id} className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
              {/* A new state is a new badge, and so an addition. */}
              <Badge key={state} tone={TONES[state]}>
                {t(`state.${state}`)}
              </Badge>
              <span className="min-w-0 flex-1 basis-52 wrap-anywhere">{sentence}</span>
              <span className="text-ink-soft text-xs">
                <RelativeTime iso={at} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
