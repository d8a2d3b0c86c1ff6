'use client';

import type { TokenWire } from '@bailiff/engine/tokens/token-view';
import { Plus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { Dialog } from '#components/ui/dialog.tsx';
import { CheckField, FieldError, SelectField, TextField } from '#components/ui/field.tsx';
import { FormActions } from '#components/ui/form-actions.tsx';
import { useCall } from '#components/use-call.ts';
import type { McpInstance } from '#src/mcp-clients.ts';
import { AllowlistField, allowlistOf } from './allowlist-field.tsx';
import { LifetimeField } from './lifetime-field.tsx';
import { SecretOnce } from './secret-once.tsx';

interface Props {
  guildId: string;
  /** The guilds that the viewer owns. */
  guilds: readonly { id: string; name: string }[];
  capabilities: readonly string[];
  instance: McpInstance;
  /** The viewer's address. */
  myAddress: string | null;
  /** Why no token can be created now; null if one can. */
  disabledBecause: string | null;
}

/** The button and dialog that create a token (spec §5.7). */
export function CreateToken(props: Props) {
  const t = useTranslations('tokens');
  const [open, setOpen] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => {
    setOpen(false);
    setSecret(null);
  };
  return (
    <>
      <Button
        variant="primary"
        disabled={props.disabledBecause !== null}
        title={props.disabledBecause ?? undefined}
        onClick={() => setOpen(true)}
      >
        <Plus aria-hidden size={16} />
        {t('create')}
      </Button>
      <Dialog
        open={open}
        onOpenChange={(next) => (next ? setOpen(true) : close())}
        mustAnswer={secret !== null}
        title={secret === null ? t('createTitle') : t('createdTitle')}
      >
        {secret === null ? (
          <CreateForm {...props} onCreated={setSecret} onCancel={close} />
        ) : (
          <SecretOnce secret={secret} instance={props.instance} onStored={close} />
        )}
      </Dialog>
    </>
  );
}

function CreateForm({
  guildId,
  guilds,
  capabilities,
  myAddress,
  onCreated,
  onCancel,
}: Props & { onCreated: (secret: string) => void; onCancel: () => void }) {
  const t = useTranslations('tokens');
  const { call, busy, failure } = useCall();
  const [chosen, setChosen] = useState<readonly string[]>(capabilities);
  const capabilitiesError = failure?.issueOf('capabilities');

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const answer = await call<{ token: TokenWire; secret: string }>('POST', '/api/api-tokens', {
      guild_id: form.get('guild'),
      name: form.get('name'),
      kind: 'rest',
      capabilities: chosen,
      expires_in: form.get('expires_in'),
      ip_allowlist: allowlistOf(form),
    });
    if (answer !== null) onCreated(answer.secret);
  };

  return (
    <form onSubmit={(event) => void submit(event)} className="grid gap-4">
      <TextField
        label={t('name')}
        name="name"
        required
        maxLength={64}
        autoComplete="off"
        placeholder="nightly-cleanup"
        hint={t('nameHint')}
        error={failure?.issueOf('name')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label={t('guild')} name="guild" defaultValue={guildId} hint={t('guildHint')}>
          {guilds.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <LifetimeField label={t('expiry')} hint={t('expiryHint')} />
      </div>
      <fieldset>
        <legend className="mb-1 font-medium">{t('capabilities')}</legend>
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
        <div className="text-ink-soft mt-1 text-xs">
          {capabilitiesError === undefined ? (
            t('capabilitiesHint')
          ) : (
            <FieldError>{capabilitiesError}</FieldError>
          )}
        </div>
      </fieldset>
      <AllowlistField myAddress={myAddress} failure={failure} />
      <FormActions
        submit={t('create')}
        onCancel={onCancel}
        busy={busy}
        failure={failure}
        disabledBecause={chosen.length === 0 ? t('chooseCapability') : null}
      />
    </form>
  );
}
