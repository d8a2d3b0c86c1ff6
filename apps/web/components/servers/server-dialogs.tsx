'use client';

import type { ServerWire } from '@bailiff/engine';
import { Plus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { useCall } from '../use-call.ts';
import { PolicyEditor, patternsOf } from './policy-editor.tsx';

/** The button and dialog that add a game server. */
export function AddServer({ guildId, disabledBecause }: { guildId: string; disabledBecause: string | null }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        look="primary"
        disabled={disabledBecause !== null}
        title={disabledBecause ?? undefined}
        onClick={() => setOpen(true)}
      >
        <Plus aria-hidden size={16} />
        Add server
      </Button>
      <Dialog open={open} onOpenChange={setOpen} title="Add a game server">
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
  return (
    <Dialog open={open} onOpenChange={onClose} title={`Edit ${server.name}`}>
      <ServerForm guildId={server.guild_id} server={server} onClose={onClose} />
    </Dialog>
  );
}

/** Fields of a new server, or of one that is there; its password is written and never read. */
function ServerForm({
  guildId,
  server,
  onClose,
}: {
  guildId: string;
  server: ServerWire | null;
  onClose: () => void;
}) {
  const { call, busy, failure } = useCall();
  const [host, setHost] = useState(server?.host ?? '');
  const [port, setPort] = useState(String(server?.port ?? ''));
  const moved =
    server !== null && (host.trim().toLowerCase() !== server.host || Number(port) !== server.port);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const textOf = (name: string) => String(form.get(name) ?? '');
    const password = textOf('password');
    const fields = {
      name: textOf('name'),
      host,
      port: Number(port),
      ...(password === '' ? {} : { password }),
      allow_patterns: patternsOf(textOf('allow_patterns')),
      deny_patterns: patternsOf(textOf('deny_patterns')),
    };
    const servers = `/api/guilds/${guildId}/servers`;
    const answer =
      server === null
        ? await call('POST', servers, fields)
        : await call('PATCH', `${servers}/${server.id}`, fields);
    if (answer !== null) onClose();
  };

  return (
    <form onSubmit={(event) => void submit(event)} className="grid gap-4">
      <TextField
        label="Name"
        name="name"
        required
        maxLength={64}
        autoComplete="off"
        placeholder="Survival"
        defaultValue={server?.name}
        error={failure?.issueOf('name')}
      />
      <div className="grid gap-4 sm:grid-cols-[1fr_8rem]">
        <TextField
          label="Host"
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
          label="RCON port"
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
        label="RCON password"
        name="password"
        type="password"
        required={server === null || moved}
        maxLength={256}
        autoComplete="new-password"
        hint={passwordHint(server, moved)}
        error={failure?.issueOf('password')}
      />
      <PolicyEditor
        guildId={guildId}
        allow={server?.allow_patterns ?? []}
        deny={server?.deny_patterns ?? []}
        failure={failure}
      />
      {failure === null || failure.issues.length > 0 ? null : (
        <p role="alert" className="text-danger">
          {failure.message}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={busy}>
          {server === null ? 'Add server' : 'Save'}
        </Button>
      </div>
    </form>
  );
}

function passwordHint(server: ServerWire | null, moved: boolean): string {
  if (server === null) return 'Sealed for the bot at once; nobody can read it here again.';
  return moved
    ? 'Enter it again: it will be sent to the new address.'
    : 'Leave it empty to keep the one that is stored.';
}

export function RemoveServer({ server, open, onClose }: Props) {
  const { call, busy, failure } = useCall();
  const remove = async () => {
    const path = `/api/guilds/${server.guild_id}/servers/${server.id}`;
    if ((await call('DELETE', path)) !== null) onClose();
  };
  return (
    <Dialog
      open={open}
      onOpenChange={onClose}
      title={`Remove ${server.name}`}
      description="Its password and command policy are deleted, and scripts that use its id are refused. What was run on it stays in the audit log."
    >
      {failure === null ? null : (
        <p role="alert" className="text-danger mb-4">
          {failure.message}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" disabled={busy} onClick={() => void remove()}>
          Remove server
        </Button>
      </div>
    </Dialog>
  );
}
