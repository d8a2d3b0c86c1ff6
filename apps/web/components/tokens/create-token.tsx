'use client';

import type { Capability } from '@bailiff/core';
import type { TokenWire } from '@bailiff/engine/tokens/token-view';
import { Plus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { Dialog } from '#components/ui/dialog.tsx';
import { SelectField } from '#components/ui/field.tsx';
import { FormActions } from '#components/ui/form-actions.tsx';
import { useCall } from '#components/use-call.ts';
import type { McpInstance } from '#src/mcp-clients.ts';
import { SecretOnce } from './secret-once.tsx';
import { type Presets, TokenFields, tokenFieldsOf } from './token-fields.tsx';

interface Props {
  guildId: string;
  /** The guilds that the viewer owns. */
  guilds: readonly { id: string; name: string }[];
  capabilities: readonly Capability[];
  /** Sets of capabilities to pick. */
  presets: Presets;
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
  presets,
  myAddress,
  onCreated,
  onCancel,
}: Props & { onCreated: (secret: string) => void; onCancel: () => void }) {
  const t = useTranslations('tokens');
  const { call, busy, failure } = useCall();
  const [chosen, setChosen] = useState<readonly Capability[]>(presets.everything);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const answer = await call<{ token: TokenWire; secret: string }>('POST', '/api/api-tokens', {
      guild_id: form.get('guild'),
      kind: 'rest',
      ...tokenFieldsOf(form, chosen),
    });
    if (answer !== null) onCreated(answer.secret);
  };

  return (
    <form onSubmit={(event) => void submit(event)} className="grid gap-4">
      <TokenFields
        guild={
          <SelectField label={t('guild')} name="guild" defaultValue={guildId} hint={t('guildHint')}>
            {guilds.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
        }
        capabilities={capabilities}
        presets={presets}
        chosen={chosen}
        onChosen={setChosen}
        capabilitiesHint={t('capabilitiesHint')}
        addresses={{ myAddress }}
        failure={failure}
      />
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
