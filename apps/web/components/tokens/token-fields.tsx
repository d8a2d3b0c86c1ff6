'use client';

import type { CAPABILITY_PRESETS, Capability } from '@bailiff/core';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl/react';
import type { CallFailure } from '#components/call-api.ts';
import { byArea } from '#components/capabilities.ts';
import { CapabilityName } from '#components/capability-name.tsx';
import { Button } from '#components/ui/button.tsx';
import { CheckField, FieldError, TextField } from '#components/ui/field.tsx';
import { Obstacles } from '#components/ui/obstacles.tsx';
import { AllowlistField, allowlistOf } from './allowlist-field.tsx';
import { LifetimeField } from './lifetime-field.tsx';

type PresetName = keyof typeof CAPABILITY_PRESETS;
export type Presets = Readonly<Record<PresetName, readonly Capability[]>>;
const PRESETS: readonly PresetName[] = ['read', 'moderation', 'everything'];

interface Props {
  /** The proposed name. */
  name?: string;
  /** The field for the guild, beside that for the lifetime. */
  guild: ReactNode;
  /** The capabilities that the token can have. */
  capabilities: readonly Capability[];
  presets: Presets;
  chosen: readonly Capability[];
  onChosen: (chosen: readonly Capability[]) => void;
  capabilitiesHint: string;
  addresses: Pick<Parameters<typeof AllowlistField>[0], 'myAddress' | 'clientAddress'>;
  failure: CallFailure | null;
}

/** The fields of a new token: its name, lifetime, capabilities and addresses. */
export function TokenFields({ name, guild, addresses, failure, ...choice }: Props) {
  const t = useTranslations('tokens');
  return (
    <>
      <TextField
        label={t('name')}
        name="name"
        required
        maxLength={64}
        autoComplete="off"
        placeholder="nightly-cleanup"
        defaultValue={name}
        hint={t('nameHint')}
        error={failure?.issueOf('name')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        {guild}
        <LifetimeField label={t('expiry')} hint={t('expiryHint')} />
      </div>
      <CapabilityChoice {...choice} error={failure?.issueOf('capabilities')} />
      <AllowlistField {...addresses} failure={failure} />
    </>
  );
}

/** The values of {@link TokenFields} in a form, for the API. */
export function tokenFieldsOf(form: FormData, chosen: readonly Capability[]) {
  return {
    name: form.get('name'),
    capabilities: chosen,
    expires_in: form.get('expires_in'),
    ip_allowlist: allowlistOf(form),
  };
}

function CapabilityChoice({
  capabilities,
  presets,
  chosen,
  onChosen,
  capabilitiesHint,
  error,
}: Pick<Props, 'capabilities' | 'presets' | 'chosen' | 'onChosen' | 'capabilitiesHint'> & {
  error: string | undefined;
}) {
  const t = useTranslations('tokens');
  const say = useTranslations('capabilities');
  return (
    <fieldset>
      <legend className="mb-1 font-medium">{t('capabilities')}</legend>
      {capabilities.length === 1 ? null : (
        <div className="mb-2 flex flex-wrap items-center gap-1.5">
          <span className="text-ink-soft text-xs">{say('choose')}</span>
          {presetsWithin(presets, capabilities).map(([preset, names]) => (
            <Button key={preset} size="small" onClick={() => onChosen(names)}>
              {say(`presets.${preset}`)}
            </Button>
          ))}
        </div>
      )}
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
                  onChosen(
                    target.checked ? [...chosen, capability] : chosen.filter((name) => name !== capability),
                  )
                }
              />
            ))}
          </fieldset>
        ))}
      </div>
      <div className="text-ink-soft mt-1 text-xs">
        {error === undefined ? capabilitiesHint : <FieldError>{error}</FieldError>}
      </div>
      <Obstacles because={[capabilities.length > 0 && chosen.length === 0 ? t('chooseCapability') : null]} />
    </fieldset>
  );
}

/** What each preset picks among some capabilities; those that pick the same as a later one, or nothing, are left out. */
function presetsWithin(
  presets: Presets,
  capabilities: readonly Capability[],
): readonly (readonly [PresetName, readonly Capability[]])[] {
  const picks = PRESETS.map(
    (preset) => [preset, presets[preset].filter((name) => capabilities.includes(name))] as const,
  );
  return picks.filter(
    ([, names], n) =>
      names.length > 0 && !picks.slice(n + 1).some(([, others]) => others.length === names.length),
  );
}
