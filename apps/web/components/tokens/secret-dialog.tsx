'use client';

import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { CallFailure } from '#components/call-api.ts';
import { Dialog } from '#components/ui/dialog.tsx';
import { useCall } from '#components/use-call.ts';
import { holdRefreshes } from '#components/use-refresh.ts';
import type { McpInstance } from '#src/mcp-clients.ts';
import { SecretOnce } from './secret-once.tsx';

/** What the form of a SecretDialog needs. */
export interface Asking {
  /** Asks the dashboard's API for the secret. */
  ask: (path: string, body: object) => Promise<void>;
  busy: boolean;
  failure: CallFailure | null;
  /** Closes the dialog. Undefined while it must stay open. */
  cancel: (() => void) | undefined;
}

/**
 * A dialog whose form asks for a secret, which is then shown once. It stays open while the secret is on its way: nobody
 * would see it, and the secret before it may be dead. Until it is stored, the page is not brought up to date: if that
 * failed, Next would load another page in its place.
 */
export function SecretDialog({
  open,
  onClose,
  title,
  titleWithSecret,
  instance,
  children,
}: {
  open: boolean;
  onClose: () => void;
  title: string;
  titleWithSecret: string;
  instance: McpInstance;
  children: (asking: Asking) => ReactNode;
}) {
  const { call, busy, failure, forget } = useCall();
  const [secret, setSecret] = useState<string | null>(null);
  const release = useRef(() => {});
  useEffect(() => () => release.current(), []);
  const ask = async (path: string, body: object) => {
    release.current = holdRefreshes();
    const answer = await call<{ secret: string }>('POST', path, body);
    if (answer === null) release.current();
    else setSecret(answer.secret);
  };
  const close = () => {
    release.current();
    setSecret(null);
    forget();
    onClose();
  };
  return (
    <Dialog
      open={open}
      onOpenChange={close}
      mustAnswer={busy || secret !== null}
      title={secret === null ? title : titleWithSecret}
    >
      {secret === null ? (
        children({ ask, busy, failure, cancel: busy ? undefined : close })
      ) : (
        <SecretOnce secret={secret} instance={instance} onStored={close} />
      )}
    </Dialog>
  );
}
