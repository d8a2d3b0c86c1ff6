'use client';

import type { ServerWire } from '@bailiff/engine/servers/server-view';
import { Plus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { ConfirmDialog } from '#components/ui/confirm-dialog.tsx';
import { Dialog } from '#components/ui/dialog.tsx';
import { TextField } from '#components/ui/field.tsx';
import { FormActions } from '#components/ui/form-actions.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';
import { PolicyEditor, patternsOf } from './policy-editor.tsx';

/** The button and dialog that add a game server. */
export function AddServer({ guildId, disabledBecause }: { guildId: string; disabledBecause: string | null }) {
  const t = useTranslations('servers');
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="primary"
        disabled={disabledBecause !== null}
        title={disabledBecause ?? undefined}
        onClick={() => setOpen(true)}
      >
        <Plus aria-hidden size={16} />
        {t('add')}
      </Button>
      <Dialog open={open} onOpenChange={setOpen} title={t('addTitle')}>
        <ServerForm guildId={guildId} server={null} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

interface Props {
  server: ServerWire;
  open: boolean;
  onClose: () => void;
}

export function EditServer({ server, open, onClose }: Props) {
  const t = useTranslations('servers');
  return (
    <Dialog open={open} onOpenChange={onClose} title={t('editTitle', { name: server.name })}>
      <ServerForm guildId={server.guild_id} server={server} onClose={onClose} />
    </Dialog>
  );
}

/** The fields of a new or existing server. Its password can be set but is never shown. */
function ServerForm({
  guildId,
  server,
  onClose,
}: {
  guildId: string;
  server: ServerWire | null;
  onClose: () => void;
}) {
  const t = useTranslations('servers');
  const { call, busy, failure, isShown } = useCall();
  // What stays as it was when the dialog opened is not sent: it may have been changed elsewhere since.
  const [before] = useState(server);
  const [host, setHost] = useState(before?.host ?? '');
  const [port, setPort] = useState(String(before?.port ?? ''));
  const moved =
    before !== null && (host.trim().toLowerCase() !== before.host || Number(port) !== before.port);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const textOf = (name: string) => String(form.get(name) ?? '');
    const password = textOf('password');
    const name = textOf('name');
    const allow = patternsOf(textOf('allow_patterns'));
    const deny = patternsOf(textOf('deny_patterns'));
    const fields = {
      ...(name === before?.name ? {} : { name }),
      // A password is sent to the address that is shown beside it.
      ...(password === '' ? {} : { host, port: Number(port), password }),
      ...(isSame(allow, before?.allow_patterns) ? {} : { allow_patterns: allow }),
      ...(isSame(deny, before?.deny_patterns) ? {} : { deny_patterns: deny }),
    };
    if (Object.keys(fields).length === 0) return onClose();
    const servers = `/api/guilds/${guildId}/servers`;
    const answer =
      before === null
        ? await call('POST', servers, fields)
        : await call('PATCH', `${servers}/${before.id}`, fields);
    if (answer === null) return;
    if (isShown()) onClose();
    toast({ text: t(before === null ? 'added' : 'saved', { name }) });
  };

  return (
    <form onSubmit={(event) => void submit(event)} className="grid gap-4">
      <TextField
        label={t('name')}
        name="name"
        required
        maxLength={64}
        autoComplete="off"
        placeholder="Survival"
        defaultValue={before?.name}
        error={failure?.issueOf('name')}
      />
      <div className="grid gap-4 sm:grid-cols-[1fr_8rem]">
        <TextField
          label={t('host')}
          required
          maxLength={253}
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
          placeholder="play.example.com"
          value={host}
          onChange={({ target }) => setHost(target.value)}
          error={failure?.issueOf('host')}
        />
        <TextField
          label={t('port')}
          required
          inputMode="numeric"
          pattern="[0-9]{1,5}"
          autoComplete="off"
          className="font-mono"
          placeholder="25575"
          value={port}
          onChange={({ target }) => setPort(target.value)}
          error={failure?.issueOf('port')}
        />
      </div>
      <TextField
        label={t('password')}
        name="password"
        type="password"
        required={server === null || moved}
        maxLength={256}
        autoComplete="new-password"
        hint={t(server === null ? 'passwordNew' : moved ? 'passwordAgain' : 'passwordKeep')}
        error={failure?.issueOf('password')}
      />
      <PolicyEditor
        guildId={guildId}
        allow={before?.allow_patterns ?? []}
        deny={before?.deny_patterns ?? []}
        failure={failure}
      />
      <FormActions
        submit={t(server === null ? 'add' : 'save')}
        onCancel={onClose}
        busy={busy}
        failure={failure}
      />
    </form>
  );
}

function isSame(patterns: readonly string[], others: readonly string[] = []): boolean {
  return patterns.join('\n') === others.join('\n');
}

export function RemoveServer({ server, open, onClose }: Props) {
  const t = useTranslations('servers');
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={t('removeName', { name: server.name })}
      description={t('removeHint')}
      confirm={t('remove')}
      danger
      done={t('removed', { name: server.name })}
      request={() => ({ method: 'DELETE', path: `/api/guilds/${server.guild_id}/servers/${server.id}` })}
    />
  );
}
