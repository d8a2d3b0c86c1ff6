'use client';

import type { CAPABILITY_PRESETS, Capability } from '@bailiff/core';
import type { TokenWire } from '@bailiff/engine/tokens/token-view';
import { Plus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { byArea } from '#components/capabilities.ts';
import { CapabilityName } from '#components/capability-name.tsx';
import { Button } from '#components/ui/button.tsx';
import { Dialog } from '#components/ui/dialog.tsx';
import { CheckField, FieldError, SelectField, TextField } from '#components/ui/field.tsx';
import { FormActions } from '#components/ui/form-actions.tsx';
import { useCall } from '#components/use-call.ts';
import type { McpInstance } from '#src/mcp-clients.ts';
import { AllowlistField, allowlistOf } from './allowlist-field.tsx';
import { LifetimeField } from './lifetime-field.tsx';
import { SecretOnce } from './secret-once.tsx';

type PresetName = keyof typeof CAPABILITY_PRESETS;
const PRESETS: readonly PresetName[] = ['read', 'moderation', 'everything'];

interface Props {
  guildId: string;
  /** The guilds that the viewer owns. */
  guilds: readonly { id: string; name: string }[];
  capabilities: readonly Capability[];
  /** Sets of capabilities to pick. */
  presets: Readonly<Record<PresetName, readonly Capability[]>>;
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
  const say = useTranslations('capabilities');
  const { call, busy, failure } = useCall();
  const [chosen, setChosen] = useState<readonly Capability[]>(presets.everything);
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
        <div className="mb-2 flex flex-wrap items-center gap-1.5">
          <span className="text-ink-soft text-xs">{say('choose')}</span>
          {PRESETS.map((preset) => (
            <Button key={preset} size="small" onClick={() => setChosen(presets[preset])}>
              {say(`presets.${preset}`)}
            </Button>
          ))}
        </div>
        <div className="border-line grid gap-x-4 gap-y-2.5 rounded-md border p-3 sm:grid-cols-2">
          {byArea(capabilities).map((group) => (
            <fieldset key={group.area}>
              <legend className="text-ink-soft text-xs font-medium">{say(`areas.${group.area}`)}</legend>
              {group.capabilities.map((capability) => (
                <CheckField
                  key={capability}
                  label={<CapabilityName name={capability} />}
                  checked={chosen.includes(capability)}
                  onChange={({ target }) =>
                    setChosen(
                      target.checked ? [...chosen, capability] : chosen.filter((name) => name !== capability),
                    )
                  }
                />
              ))}
            </fieldset>
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
