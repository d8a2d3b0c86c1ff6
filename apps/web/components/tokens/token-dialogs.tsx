'use client';

import type { TokenWire } from '@bailiff/engine';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { CallFailure } from '../call-api.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CheckField, SelectField, TextAreaField, TextField } from '../ui/field.tsx';
import { useCall } from '../use-call.ts';
import { entriesOf, LIFETIME_OPTIONS } from './lifetimes.ts';
import { SecretOnce } from './secret-once.tsx';

interface Props {
  token: TokenWire;
  open: boolean;
  onClose: () => void;
}

/** The body of a dialog that changes a token: fields, what went wrong, and the two buttons. */
function ChangeForm({
  onSubmit,
  onCancel,
  submit,
  danger = false,
  disabledBecause = null,
  busy,
  failure,
  children,
}: {
  onSubmit: (form: FormData) => Promise<void>;
  onCancel: () => void;
  submit: string;
  danger?: boolean;
  disabledBecause?: string | null;
  busy: boolean;
  failure: CallFailure | null;
  children: ReactNode;
}) {
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void onSubmit(new FormData(event.currentTarget));
  };
  return (
    <form onSubmit={send} className="grid gap-4">
      {children}
      {failure === null || failure.issues.length > 0 ? null : (
        <p role="alert" className="text-danger">
          {failure.message}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button
          type="submit"
          look={danger ? 'danger' : 'primary'}
          disabled={busy || disabledBecause !== null}
          title={disabledBecause ?? undefined}
        >
          {submit}
        </Button>
      </div>
    </form>
  );
}

export function RenewToken({ token, open, onClose }: Props) {
  const { call, busy, failure } = useCall();
  const renew = async (form: FormData) => {
    const path = `/api/api-tokens/${token.id}/renew`;
    if ((await call('POST', path, { expires_in: form.get('expires_in') })) !== null) onClose();
  };
  return (
    <Dialog
      open={open}
      onOpenChange={onClose}
      title={`Renew ${token.name}`}
      description="The secret stays the same. An expired token is active again."
    >
      <ChangeForm onSubmit={renew} onCancel={onClose} submit="Renew" busy={busy} failure={failure}>
        <SelectField label="Extend by" name="expires_in" defaultValue="90d">
          {LIFETIME_OPTIONS.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
      </ChangeForm>
    </Dialog>
  );
}

export function RotateToken({ token, open, onClose }: Props) {
  const { call, busy, failure } = useCall();
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = async (form: FormData) => {
    const path = `/api/api-tokens/${token.id}/rotate`;
    const answer = await call<{ secret: string }>('POST', path, { overlap: form.get('overlap') === 'on' });
    if (answer !== null) setSecret(answer.secret);
  };
  const close = () => {
    setSecret(null);
    onClose();
  };
  return (
    <Dialog
      open={open}
      onOpenChange={close}
      mustAnswer={secret !== null}
      title={secret === null ? `Rotate ${token.name}` : `The new secret of ${token.name}`}
    >
      {secret === null ? (
        <ChangeForm onSubmit={rotate} onCancel={close} submit="Rotate" busy={busy} failure={failure}>
          <p className="text-ink-soft">The token gets a new secret. Name, capabilities and expiry stay.</p>
          <CheckField name="overlap" label="Let the old secret work for five more minutes" />
        </ChangeForm>
      ) : (
        <SecretOnce secret={secret} publicUrl={location.origin} onStored={close} />
      )}
    </Dialog>
  );
}

export function EditToken({ token, open, onClose }: Props) {
  const { call, busy, failure } = useCall();
  const save = async (form: FormData) => {
    const changes = {
      name: form.get('name'),
      ip_allowlist: entriesOf(String(form.get('ip_allowlist') ?? '')),
    };
    if ((await call('PATCH', `/api/api-tokens/${token.id}`, changes)) !== null) onClose();
  };
  return (
    <Dialog open={open} onOpenChange={onClose} title={`Edit ${token.name}`}>
      <ChangeForm onSubmit={save} onCancel={onClose} submit="Save" busy={busy} failure={failure}>
        <TextField
          label="Name"
          name="name"
          required
          maxLength={64}
          autoComplete="off"
          defaultValue={token.name}
          error={failure?.issueOf('name')}
        />
        <TextAreaField
          label="Allowed addresses"
          name="ip_allowlist"
          rows={4}
          className="font-mono"
          defaultValue={token.ip_allowlist.join('\n')}
          hint="One per line. Empty allows any address. The next call meets the new list."
          error={failure?.issueOf('ip_allowlist')}
        />
      </ChangeForm>
    </Dialog>
  );
}

export function RevokeToken({ token, open, onClose }: Props) {
  const { call, busy, failure } = useCall();
  const [typed, setTyped] = useState('');
  const revoke = async () => {
    if ((await call('DELETE', `/api/api-tokens/${token.id}`)) !== null) onClose();
  };
  return (
    <Dialog
      open={open}
      onOpenChange={onClose}
      title={`Revoke ${token.name}`}
      description="Its very next call is refused. This is final: a revoked token cannot be brought back."
    >
      <ChangeForm
        onSubmit={revoke}
        onCancel={onClose}
        submit="Revoke"
        danger
        disabledBecause={typed.trim() === token.name ? null : 'Type the name of the token first'}
        busy={busy}
        failure={failure}
      >
        <TextField
          label={`Type ${token.name} to confirm`}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      </ChangeForm>
    </Dialog>
  );
}
