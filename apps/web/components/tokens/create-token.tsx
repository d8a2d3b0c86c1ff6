'use client';

import type { TokenWire } from '@bailiff/engine';
import { Plus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CheckField, SelectField, TextAreaField, TextField } from '../ui/field.tsx';
import { useCall } from '../use-call.ts';
import { entriesOf, LIFETIME_OPTIONS } from './lifetimes.ts';
import { SecretOnce } from './secret-once.tsx';

interface Props {
  guildId: string;
  /** Guilds the viewer owns. */
  guilds: readonly { id: string; name: string }[];
  capabilities: readonly string[];
  publicUrl: string;
  /** Why no token can be created now; null when one can. */
  disabledBecause: string | null;
}

/** The button and dialog that mint a token (spec §5.7). */
export function CreateToken(props: Props) {
  const [open, setOpen] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => {
    setOpen(false);
    setSecret(null);
  };
  return (
    <>
      <Button
        look="primary"
        disabled={props.disabledBecause !== null}
        title={props.disabledBecause ?? undefined}
        onClick={() => setOpen(true)}
      >
        <Plus aria-hidden size={16} />
        Create token
      </Button>
      <Dialog
        open={open}
        onOpenChange={(next) => (next ? setOpen(true) : close())}
        mustAnswer={secret !== null}
        title={secret === null ? 'Create a token' : 'Your new token'}
      >
        {secret === null ? (
          <CreateForm {...props} onCreated={setSecret} onCancel={close} />
        ) : (
          <SecretOnce secret={secret} publicUrl={props.publicUrl} onStored={close} />
        )}
      </Dialog>
    </>
  );
}

function CreateForm({
  guildId,
  guilds,
  capabilities,
  onCreated,
  onCancel,
}: Props & { onCreated: (secret: string) => void; onCancel: () => void }) {
  const { call, busy, failure } = useCall();
  const [chosen, setChosen] = useState<readonly string[]>(capabilities);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const answer = await call<{ token: TokenWire; secret: string }>('POST', '/api/api-tokens', {
      guild_id: form.get('guild'),
      name: form.get('name'),
      kind: 'rest',
      capabilities: chosen,
      expires_in: form.get('expires_in'),
      ip_allowlist: entriesOf(String(form.get('ip_allowlist') ?? '')),
    });
    if (answer !== null) onCreated(answer.secret);
  };

  return (
    <form onSubmit={(event) => void submit(event)} className="grid gap-4">
      <TextField
        label="Name"
        name="name"
        required
        maxLength={64}
        autoComplete="off"
        placeholder="nightly-cleanup"
        hint="It stands on every audit row and in Discord's audit log."
        error={failure?.issueOf('name')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label="Guild" name="guild" defaultValue={guildId} hint="A token is for one guild.">
          {guilds.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <SelectField label="Expiry" name="expires_in" defaultValue="90d" hint="You can renew it later.">
          {LIFETIME_OPTIONS.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
      </div>
      <fieldset>
        <legend className="mb-1 font-medium">Capabilities</legend>
        <div className="border-line grid gap-x-4 gap-y-1.5 rounded-md border p-3 font-mono text-xs sm:grid-cols-3">
          {capabilities.map((capability) => (
            <CheckField
              key={capability}
              label={capability}
              checked={chosen.includes(capability)}
              onChange={({ target }) =>
                setChosen(
                  target.checked ? [...chosen, capability] : chosen.filter((name) => name !== capability),
                )
              }
            />
          ))}
        </div>
        <p
          className={
            failure?.issueOf('capabilities') ? 'text-danger mt-1 text-xs' : 'text-ink-soft mt-1 text-xs'
          }
        >
          {failure?.issueOf('capabilities') ??
            'The token can never do more than this, nor more than you can at the time.'}
        </p>
      </fieldset>
      <TextAreaField
        label="Allowed addresses"
        name="ip_allowlist"
        rows={2}
        className="font-mono"
        placeholder="203.0.113.0/24"
        hint="Addresses or networks, one per line. Empty allows any address."
        error={failure?.issueOf('ip_allowlist')}
      />
      {failure === null || failure.issues.length > 0 ? null : (
        <p role="alert" className="text-danger">
          {failure.message}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button
          type="submit"
          look="primary"
          disabled={busy || chosen.length === 0}
          title={chosen.length === 0 ? 'Choose at least one capability' : undefined}
        >
          {busy ? 'Creating …' : 'Create token'}
        </Button>
      </div>
    </form>
  );
}
