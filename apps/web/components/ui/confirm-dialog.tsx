'use client';

import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import type { CallFailure } from '#components/call-api.ts';
import { useCall } from '#components/use-call.ts';
import { Dialog } from './dialog.tsx';
import { TextField } from './field.tsx';
import { FormActions } from './form-actions.tsx';
import { toast } from './toast.tsx';

interface Props<Answer> {
  open: boolean;
  onClose: () => void;
  title: string;
  description?: string;
  /** The text of the confirm button. */
  confirm: string;
  danger?: boolean;
  /** A text that must be typed first, for actions that cannot be undone. */
  typed?: string;
  /** The call to the dashboard's API, from the form's data; null if there is nothing to do. */
  request: (form: FormData) => { method: string; path: string; body?: object } | null;
  /** The message after success. Use a function if it depends on the answer. */
  done: string | ((answer: Answer) => string);
  onDone?: (answer: Answer) => void;
  /** More fields. Use a function to show the errors of the call at its fields. */
  children?: ReactNode | ((failure: CallFailure | null) => ReactNode);
}

/**
 * A dialog that confirms an action, performs it and shows the result. If the call is refused, the typed values stay.
 */
export function ConfirmDialog<Answer>({ open, onClose, title, description, ...form }: Props<Answer>) {
  return (
    <Dialog
      open={open}
      onOpenChange={onClose}
      title={title}
      {...(description === undefined ? {} : { description })}
    >
      <ConfirmForm onClose={onClose} {...form} />
    </Dialog>
  );
}

function ConfirmForm<Answer>({
  onClose,
  confirm,
  danger = false,
  typed,
  request,
  done,
  onDone,
  children,
}: Omit<Props<Answer>, 'open' | 'title' | 'description'>) {
  const t = useTranslations('ui');
  const { call, busy, failure, isShown } = useCall();
  const [repeated, setRepeated] = useState('');
  const isTyped = typed === undefined || repeated.trim() === typed.trim();
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!isTyped) return;
    const wanted = request(new FormData(event.currentTarget));
    if (wanted === null) return onClose();
    const { method, path, body } = wanted;
    const answer = await call<Answer>(method, path, body);
    if (answer === null) return;
    if (isShown()) onClose();
    toast({ text: typeof done === 'string' ? done : done(answer) });
    onDone?.(answer);
  };
  return (
    <form onSubmit={(event) => void send(event)} className="grid gap-4">
      {typeof children === 'function' ? children(failure) : children}
      {typed === undefined ? null : (
        <TextField
          label={t('typeToConfirm', { text: typed })}
          value={repeated}
          onChange={({ target }) => setRepeated(target.value)}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      <FormActions
        submit={confirm}
        onCancel={onClose}
        danger={danger}
        busy={busy}
        failure={failure}
        disabledBecause={isTyped ? null : t('typeFirst')}
      />
    </form>
  );
}
