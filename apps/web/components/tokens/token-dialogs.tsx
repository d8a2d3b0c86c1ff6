'use client';

import type { TokenWire } from '@bailiff/engine/tokens/token-view';
import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { ConfirmDialog } from '#components/ui/confirm-dialog.tsx';
import { CheckField, TextField } from '#components/ui/field.tsx';
import { FormActions } from '#components/ui/form-actions.tsx';
import type { McpInstance } from '#src/mcp-clients.ts';
import { AllowlistField, allowlistOf } from './allowlist-field.tsx';
import { LifetimeField } from './lifetime-field.tsx';
import { SecretDialog } from './secret-dialog.tsx';

interface Props {
  token: TokenWire;
  open: boolean;
  onClose: () => void;
}

export function RenewToken({ token, open, onClose }: Props) {
  const t = useTranslations('tokens');
  const { id, name } = token;
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={t('renewTitle', { name })}
      description={t('renewText')}
      confirm={t('renew')}
      request={(form) => ({
        method: 'POST',
        path: `/api/api-tokens/${id}/renew`,
        body: { expires_in: form.get('expires_in') },
      })}
      done={t('renewed', { name })}
    >
      <LifetimeField label={t('extendBy')} />
    </ConfirmDialog>
  );
}

export function RotateToken({ token, instance, open, onClose }: Props & { instance: McpInstance }) {
  const t = useTranslations('tokens');
  const { id, name } = token;
  return (
    <SecretDialog
      open={open}
      onClose={onClose}
      title={t('rotateTitle', { name })}
      titleWithSecret={t('rotatedTitle', { name })}
      instance={instance}
    >
      {({ ask, busy, failure, cancel }) => (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const overlap = new FormData(event.currentTarget).get('overlap') === 'on';
            void ask(`/api/api-tokens/${id}/rotate`, { overlap });
          }}
          className="grid gap-4"
        >
          <p className="text-ink-soft">{t('rotateText')}</p>
          <CheckField name="overlap" label={t('overlap')} />
          <FormActions submit={t('rotate')} onCancel={cancel} busy={busy} failure={failure} />
        </form>
      )}
    </SecretDialog>
  );
}

export function EditToken({ token, myAddress, open, onClose }: Props & { myAddress: string | null }) {
  const t = useTranslations('tokens');
  const { id, name } = token;
  // What stays as it was when the dialog opened is not sent: it may have been changed elsewhere since.
  const [shown, setShown] = useState<TokenWire | null>(null);
  if (open !== (shown !== null)) setShown(open ? token : null);
  const before = shown ?? token;
  const changesIn = (form: FormData) => {
    const addresses = allowlistOf(form);
    return {
      ...(form.get('name') === before.name ? {} : { name: form.get('name') }),
      ...(addresses.join() === before.ip_allowlist.join() ? {} : { ip_allowlist: addresses }),
    };
  };
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={t('editTitle', { name })}
      confirm={t('save')}
      request={(form) => {
        const body = changesIn(form);
        return Object.keys(body).length === 0
          ? null
          : { method: 'PATCH', path: `/api/api-tokens/${id}`, body };
      }}
      done={t('saved', { name })}
    >
      {(failure) => (
        <>
          <TextField
            label={t('name')}
            name="name"
            required
            maxLength={64}
            autoComplete="off"
            defaultValue={before.name}
            error={failure?.issueOf('name')}
          />
          <AllowlistField stored={before.ip_allowlist} myAddress={myAddress} failure={failure} />
        </>
      )}
    </ConfirmDialog>
  );
}

export function MuteToken({ token, open, onClose }: Props) {
  const t = useTranslations('tokens');
  const { id, name } = token;
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={t('muteTitle', { name })}
      description={t('muteText')}
      confirm={t('mute')}
      request={() => ({ method: 'POST', path: `/api/api-tokens/${id}/mute` })}
      done={t('muteDone', { name })}
    />
  );
}

export function RevokeToken({ token, open, onClose }: Props) {
  const t = useTranslations('tokens');
  const { id, name } = token;
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={t('revokeTitle', { name })}
      description={t('revokeText')}
      confirm={t('revoke')}
      danger
      typed={name}
      request={() => ({ method: 'DELETE', path: `/api/api-tokens/${id}` })}
      done={t('revokedDone', { name })}
    />
  );
}
