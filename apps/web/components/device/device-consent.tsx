'use client';

import type { Capability } from '@bailiff/core';
import { type FormEvent, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { type Presets, TokenFields, tokenFieldsOf } from '#components/tokens/token-fields.tsx';
import { Button, LinkButton } from '#components/ui/button.tsx';
import { Countdown } from '#components/ui/countdown.tsx';
import { Failure } from '#components/ui/failure.tsx';
import { SelectField, TextField } from '#components/ui/field.tsx';
import { FormFailure } from '#components/ui/form-failure.tsx';
import { Callout, Fact, Facts, Panel } from '#components/ui/panel.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { useCall } from '#components/use-call.ts';
import type { DeviceWire } from '#src/dashboard-api/device.ts';

interface Guild {
  id: string;
  name: string;
  /** Why no token can be issued for it now; null if one can. */
  unavailableReason: string | null;
  /** What the viewer can give a token of it. */
  capabilities: readonly Capability[];
}

/** What the form of the owner's choices needs. */
interface Choices {
  guilds: readonly Guild[];
  presets: Presets;
  /** The viewer's address. */
  myAddress: string | null;
}

type Step =
  | { at: 'code' }
  | { at: 'decision'; device: DeviceWire }
  | { at: 'lapsed' }
  | { at: 'refused'; client: string }
  | { at: 'authorised'; client: string; guild: Guild };

/** The panel of the device flow: the owner enters a client's code, checks the request and decides. */
export function DeviceConsent({
  givenCode,
  codeMinutes,
  ...choices
}: Choices & {
  /** The code in the link to this page; empty if there is none. */
  givenCode: string;
  codeMinutes: number;
}) {
  const t = useTranslations('device');
  const [step, setStep] = useState<Step>({ at: 'code' });
  const lapse = useCallback(() => setStep({ at: 'lapsed' }), []);
  switch (step.at) {
    case 'code':
      return (
        <CodeForm
          givenCode={givenCode}
          codeMinutes={codeMinutes}
          onFound={(device) => setStep({ at: 'decision', device })}
        />
      );
    case 'decision':
      return <Decision device={step.device} {...choices} onLapsed={lapse} onDecided={setStep} />;
    case 'lapsed':
      return (
        <End
          title={t('lapsed')}
          action={<Button onClick={() => setStep({ at: 'code' })}>{t('another')}</Button>}
        >
          {t('lapsedText', { minutes: codeMinutes })}
        </End>
      );
    case 'refused':
      return <End title={t('refused')}>{t('refusedText', { client: step.client })}</End>;
    case 'authorised':
      return (
        <End
          title={t('authorised')}
          action={
            <LinkButton href={`/guilds/${step.guild.id}/tokens`}>
              {t('seeTokens', { guild: step.guild.name })}
            </LinkButton>
          }
        >
          {t('authorisedText', { client: step.client, guild: step.guild.name })}
        </End>
      );
  }
}

function CodeForm({
  givenCode,
  codeMinutes,
  onFound,
}: {
  givenCode: string;
  codeMinutes: number;
  onFound: (device: DeviceWire) => void;
}) {
  const t = useTranslations('device');
  const { call, busy, failure } = useCall();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const code = String(new FormData(event.currentTarget).get('user_code') ?? '');
    const device = await call<DeviceWire>('POST', '/api/device/lookup', { user_code: code });
    if (device !== null) onFound(device);
  };
  return (
    <Panel className="p-4">
      <form onSubmit={(event) => void submit(event)} className="grid gap-4">
        <TextField
          label={t('code')}
          name="user_code"
          required
          maxLength={64}
          defaultValue={givenCode}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          className="py-2.5 text-center font-mono text-lg tracking-widest uppercase"
          placeholder="XXXX-XXXX"
          hint={givenCode === '' ? t('codeHint', { minutes: codeMinutes }) : t('codeGiven')}
        />
        <Failure failure={failure} />
        <Button type="submit" variant="primary" disabled={busy}>
          {busy ? t('looking') : t('continue')}
        </Button>
      </form>
    </Panel>
  );
}

function Decision({
  device,
  guilds,
  presets,
  myAddress,
  onLapsed,
  onDecided,
}: Choices & {
  device: DeviceWire;
  onLapsed: () => void;
  onDecided: (step: Step) => void;
}) {
  const t = useTranslations('device');
  const tokens = useTranslations('tokens');
  const { call, busy, failure } = useCall();
  const [guildId, setGuildId] = useState(
    guilds.find(({ unavailableReason }) => unavailableReason === null)?.id ?? '',
  );
  /** Null: everything that can be given. */
  const [picked, setPicked] = useState<readonly Capability[] | null>(null);
  const { user_code, client, scope } = device;
  const guild = guilds.find(({ id }) => id === guildId);
  const possible = guild?.capabilities.filter((name) => scope?.includes(name) ?? true) ?? [];
  const chosen = picked === null ? possible : possible.filter((name) => picked.includes(name));
  const authorise = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const answer = await call('POST', '/api/device/confirm', {
      user_code,
      guild_id: guildId,
      ...tokenFieldsOf(new FormData(event.currentTarget), chosen),
    });
    if (answer !== null && guild !== undefined) onDecided({ at: 'authorised', client, guild });
  };
  const refuse = async () => {
    const answer = await call('POST', '/api/device/deny', { user_code });
    if (answer !== null) onDecided({ at: 'refused', client });
  };
  return (
    <Panel>
      <form onSubmit={(event) => void authorise(event)}>
        <div className="grid gap-4 p-4">
          <Title>{t('asks', { client })}</Title>
          <DeviceFacts device={device} onLapsed={onLapsed} />
          <Callout tone="warn" title={t('didYou')}>
            {t('didYouText')}
          </Callout>
          <TokenFields
            name={device.token_name}
            guild={
              <SelectField
                label={t('guild')}
                value={guildId}
                onChange={({ target }) => setGuildId(target.value)}
                hint={t('guildHint')}
              >
                {guilds.map(({ id, name, unavailableReason }) => (
                  <option key={id} value={id} disabled={unavailableReason !== null}>
                    {unavailableReason === null ? name : `${name} (${unavailableReason})`}
                  </option>
                ))}
              </SelectField>
            }
            capabilities={possible}
            presets={presets}
            chosen={chosen}
            onChosen={setPicked}
            capabilitiesHint={
              possible.length === 0
                ? t('asksNothing')
                : scope === null
                  ? t('asksAll')
                  : t('asksThese', { count: possible.length })
            }
            addresses={{ myAddress, clientAddress: device.address }}
            failure={failure}
          />
          <FormFailure failure={failure} />
        </div>
        <div className="border-line flex flex-wrap gap-2 border-t px-4 py-3">
          <Button
            type="submit"
            variant="primary"
            disabled={busy || chosen.length === 0}
            title={chosen.length === 0 ? tokens('chooseCapability') : undefined}
          >
            {t('authorise')}
          </Button>
          <Button variant="quiet" className="ml-auto" disabled={busy} onClick={() => void refuse()}>
            {t('refuse')}
          </Button>
        </div>
      </form>
    </Panel>
  );
}

/** Who asks, from where, and how long the code lives. */
function DeviceFacts({ device, onLapsed }: { device: DeviceWire; onLapsed: () => void }) {
  const t = useTranslations('device');
  return (
    <Facts>
      <Fact name={t('code')}>
        <span className="font-mono">{device.user_code}</span>
      </Fact>
      <Fact name={t('client')}>
        {device.client} <span className="text-ink-soft font-mono text-xs">{device.client_id}</span>
      </Fact>
      {device.claimed_name === null ? null : (
        <Fact name={t('callsItself')}>
          <span className="wrap-anywhere">{device.claimed_name}</span>{' '}
          <span className="text-ink-soft text-xs">({t('unverified')})</span>
        </Fact>
      )}
      <Fact name={t('fromAddress')}>
        <span className="font-mono wrap-anywhere">{device.address}</span>
      </Fact>
      <Fact name={t('asked')}>
        <RelativeTime iso={device.created_at} />
      </Fact>
      <Fact name={t('lapsesIn')}>
        <Countdown leftMs={device.expires_in * 1000} onEnd={onLapsed} />
      </Fact>
    </Facts>
  );
}

function End({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <Panel className="p-6 text-center">
      <Title>{title}</Title>
      <p className="text-ink-soft mt-1">{children}</p>
      {action === undefined ? null : <div className="mt-4">{action}</div>}
    </Panel>
  );
}

/** The title of a step. It gets the focus when the step begins, so that a screen reader reads it. */
function Title({ children }: { children: ReactNode }) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  return (
    <h2 ref={title} tabIndex={-1} className="text-base font-semibold">
      {children}
    </h2>
  );
}
