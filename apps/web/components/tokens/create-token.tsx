'use client';

import type { Capability } from '@bailiff/core';
import { Plus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { SelectField } from '#components/ui/field.tsx';
import { FormActions } from '#components/ui/form-actions.tsx';
import type { McpInstance } from '#src/mcp-clients.ts';
import { type Asking, SecretDialog } from './secret-dialog.tsx';
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
      <SecretDialog
        open={open}
        onClose={() => setOpen(false)}
        title={t('createTitle')}
        titleWithSecret={t('createdTitle')}
        instance={props.instance}
      >
        {(asking) => <CreateForm {...props} {...asking} />}
      </SecretDialog>
    </>
  );
}

function CreateForm({
  guildId,
  guilds,
  capabilities,
  presets,
  myAddress,
  ask,
  busy,
  failure,
  cancel,
}: Props & Asking) {
  const t = useTranslations('tokens');
  const [chosen, setChosen] = useState<readonly Capability[]>(presets.everything);

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void ask('/api/api-tokens', {
      guild_id: form.get('guild'),
      kind: 'rest',
      ...tokenFieldsOf(form, chosen),
    });
  };

  return (
    <form onSubmit={submit} className="grid gap-4">
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
        onCancel={cancel}
        busy={busy}
        failure={failure}
        disabledBecause={chosen.length === 0 ? t('chooseCapability') : null}
      />
    </form>
  );
}
