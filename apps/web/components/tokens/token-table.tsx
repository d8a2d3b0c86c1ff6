'use client';

import type { TokenWire } from '@bailiff/engine/tokens/token-view';
import { clsx } from 'clsx';
import { Ellipsis, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { OpenWindowDialog } from '#components/approvals/open-window-dialog.tsx';
import { Badge } from '#components/ui/badge.tsx';
import { Button } from '#components/ui/button.tsx';
import { Failure } from '#components/ui/failure.tsx';
import { Menu } from '#components/ui/menu.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { Cell, Table, TableHead } from '#components/ui/table.tsx';
import { useCall } from '#components/use-call.ts';
import type { McpInstance } from '#src/mcp-clients.ts';
import { RotationReminder } from './rotation-warnings.tsx';
import { EditToken, MuteToken, RenewToken, RevokeToken, RotateToken } from './token-dialogs.tsx';

/** The message for each reason why a token was revoked. */
const REVOKED = {
  owner: 'revokedBecause.owner',
  issuer_left: 'revokedBecause.issuerLeft',
  capabilities_lost: 'revokedBecause.capabilitiesLost',
  tier_lost: 'revokedBecause.tierLost',
  operator: 'revokedBecause.operator',
  client: 'revokedBecause.client',
} as const;

/** The values that the dialogs of a row need. */
interface TokenRowContext {
  viewerId: string;
  instance: McpInstance;
  /** The viewer's address. */
  myAddress: string | null;
  /** How long a window stays open. */
  windowMinutes: number;
  /** The number of all capabilities. */
  allCapabilities: number;
}

export function TokenTable({ tokens, ...context }: TokenRowContext & { tokens: readonly TokenWire[] }) {
  const t = useTranslations('tokens');
  return (
    <Table caption={t('caption')} cards>
      <TableHead
        columns={[t('name'), t('state'), t('capabilities'), t('expires'), t('lastUsed'), t('addresses')]}
        buttons={t('actions')}
      />
      <tbody>
        {tokens.map((token) => (
          <TokenRow key={token.id} token={token} {...context} />
        ))}
      </tbody>
    </Table>
  );
}

function TokenRow({ token, ...context }: TokenRowContext & { token: TokenWire }) {
  const t = useTranslations('tokens');
  return (
    <tr id={token.id} className={clsx('target:bg-accent-tint', token.state === 'revoked' && 'text-ink-soft')}>
      <Cell>
        <span className="block truncate font-medium sm:max-w-56" title={token.name}>
          {token.name}
        </span>
        <span className="text-ink-soft font-mono text-xs whitespace-nowrap">
          {token.kind} · {token.secret_hint}
        </span>
        {token.client_id === null ? null : (
          <span className="text-ink-soft block text-xs wrap-anywhere sm:max-w-56">
            {t('connectedAs', { client: token.client_id })}
          </span>
        )}
        {token.issuer_id === context.viewerId ? (
          <RotationReminder token={token} />
        ) : token.state === 'revoked' ? null : (
          <span className="text-warn mt-1 block text-xs sm:max-w-56">{t('ofFormerOwner')}</span>
        )}
      </Cell>
      <Cell label={t('state')}>
        <State token={token} />
      </Cell>
      <Cell label={t('capabilities')} className="max-w-64">
        <Capabilities names={token.capabilities} all={context.allCapabilities} />
      </Cell>
      <Cell label={t('expires')}>
        {token.expires_at === null ? t('never') : <RelativeTime iso={token.expires_at} />}
      </Cell>
      <Cell label={t('lastUsed')}>
        {token.last_used_at === null ? t('never') : <RelativeTime iso={token.last_used_at} />}
      </Cell>
      <Cell label={t('addresses')}>
        {token.ip_allowlist.length === 0 ? (
          t('anyAddress')
        ) : (
          <span className="font-mono text-xs">
            {token.ip_allowlist.map((entry) => (
              <span key={entry} className="block">
                {entry}
              </span>
            ))}
          </span>
        )}
      </Cell>
      <Cell>{token.state === 'revoked' ? null : <Actions token={token} {...context} />}</Cell>
    </tr>
  );
}

function State({ token }: { token: TokenWire }) {
  const t = useTranslations('tokens');
  if (token.state === 'revoked') {
    return (
      <span>
        <Badge tone="off">{t('revoked')}</Badge>
        <span className="mt-1 block text-xs">
          {token.revoked_reason === null ? null : t(REVOKED[token.revoked_reason])}
        </span>
      </span>
    );
  }
  return (
    <span className="flex flex-wrap gap-1">
      {token.state === 'expired' ? (
        <Badge tone="bad">{t('expired')}</Badge>
      ) : (
        <Badge tone="good">{t('active')}</Badge>
      )}
      {token.window === null ? null : <Badge tone="warn">{t('windowOpen')}</Badge>}
      {token.is_muted ? <Badge tone="off">{t('muted')}</Badge> : null}
      {token.previous_secret_expires_at === null ? null : <Badge tone="waiting">{t('twoSecrets')}</Badge>}
    </span>
  );
}

function Capabilities({ names, all }: { names: readonly string[]; all: number }) {
  const t = useTranslations('tokens');
  if (names.length >= all) return t('all');
  return (
    <details>
      <summary className="cursor-pointer whitespace-nowrap">
        {t('someOf', { count: names.length, all })}
      </summary>
      <span className="font-mono text-xs">{names.join(', ')}</span>
    </details>
  );
}

type Open = 'renew' | 'rotate' | 'edit' | 'mute' | 'revoke' | 'window' | null;

function Actions({ token, ...context }: TokenRowContext & { token: TokenWire }) {
  const { viewerId, instance, myAddress, windowMinutes } = context;
  const t = useTranslations('tokens');
  const { call, busy, failure } = useCall();
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const windowPath = `/api/api-tokens/${token.id}/reauth-window`;
  return (
    <>
      <Failure failure={failure} />
      <div className="flex flex-wrap gap-1.5 max-sm:mt-1.5 sm:justify-end">
        {token.state === 'active' && token.window === null ? (
          <Button size="small" onClick={() => setOpen('window')}>
            <ShieldCheck aria-hidden size={14} />
            {t('approveNext')}
          </Button>
        ) : null}
        {token.window === null ? null : (
          <Button size="small" disabled={busy} onClick={() => void call('DELETE', windowPath)}>
            {t('closeWindow')}
          </Button>
        )}
        <Menu
          label={t('more', { name: token.name })}
          button={<Ellipsis aria-hidden size={14} />}
          items={[
            // Those of a former owner act in their name, so neither is for anybody else.
            ...(token.issuer_id === viewerId
              ? [
                  { label: t('renewItem'), onSelect: () => setOpen('renew') },
                  { label: t('rotateItem'), onSelect: () => setOpen('rotate') },
                ]
              : []),
            { label: t('editItem'), onSelect: () => setOpen('edit') },
            token.is_muted
              ? {
                  label: t('unmuteItem'),
                  onSelect: () => void call('POST', `/api/api-tokens/${token.id}/unmute`),
                }
              : { label: t('muteItem'), onSelect: () => setOpen('mute') },
            { label: t('revokeItem'), onSelect: () => setOpen('revoke'), danger: true },
          ]}
        />
        <RenewToken token={token} open={open === 'renew'} onClose={close} />
        <RotateToken token={token} instance={instance} open={open === 'rotate'} onClose={close} />
        <EditToken token={token} myAddress={myAddress} open={open === 'edit'} onClose={close} />
        <MuteToken token={token} open={open === 'mute'} onClose={close} />
        <RevokeToken token={token} open={open === 'revoke'} onClose={close} />
        <OpenWindowDialog
          tokenName={token.name}
          windowMinutes={windowMinutes}
          request={{ method: 'POST', path: windowPath }}
          open={open === 'window'}
          onClose={close}
        />
      </div>
    </>
  );
}
