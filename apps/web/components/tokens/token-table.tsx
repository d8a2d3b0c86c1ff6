'use client';

import type { TokenWire } from '@bailiff/engine';
import { Menu } from '@base-ui/react/menu';
import { Ellipsis, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../ui/badge.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { Cell, HeaderCell, Table } from '../ui/table.tsx';
import { useCall } from '../use-call.ts';
import { RotationReminder } from './rotation-warnings.tsx';
import { EditToken, RenewToken, RevokeToken, RotateToken } from './token-dialogs.tsx';

/** Why a token was revoked, as people read it. */
const REVOKED: Readonly<Record<NonNullable<TokenWire['revoked_reason']>, string>> = {
  owner: 'by the owner',
  issuer_left: 'its issuer left the guild',
  capabilities_lost: 'its issuer lost the capabilities',
  tier_lost: 'the guild left the paid tier',
  operator: 'by the operator',
};

export function TokenTable({ tokens }: { tokens: readonly TokenWire[] }) {
  return (
    <Table caption="Tokens of this guild">
      <thead>
        <tr>
          <HeaderCell>Name</HeaderCell>
          <HeaderCell>State</HeaderCell>
          <HeaderCell>Capabilities</HeaderCell>
          <HeaderCell>Expires</HeaderCell>
          <HeaderCell>Last used</HeaderCell>
          <HeaderCell>Addresses</HeaderCell>
          <HeaderCell>
            <span className="sr-only">Actions</span>
          </HeaderCell>
        </tr>
      </thead>
      <tbody>
        {tokens.map((token) => (
          <TokenRow key={token.id} token={token} />
        ))}
      </tbody>
    </Table>
  );
}

function TokenRow({ token }: { token: TokenWire }) {
  return (
    <tr className={token.state === 'revoked' ? 'text-ink-soft' : undefined}>
      <Cell>
        <span className="block max-w-56 truncate font-medium" title={token.name}>
          {token.name}
        </span>
        <span className="text-ink-soft font-mono text-xs whitespace-nowrap">
          {token.kind} · {token.secret_hint}
        </span>
        <RotationReminder token={token} />
      </Cell>
      <Cell>
        <State token={token} />
      </Cell>
      <Cell className="max-w-64">
        <Capabilities names={token.capabilities} />
      </Cell>
      <Cell>{token.expires_at === null ? 'never' : <RelativeTime iso={token.expires_at} />}</Cell>
      <Cell>{token.last_used_at === null ? 'never' : <RelativeTime iso={token.last_used_at} />}</Cell>
      <Cell className="font-mono text-xs">
        {token.ip_allowlist.length === 0 ? (
          <span className="font-sans text-sm">any</span>
        ) : (
          token.ip_allowlist.map((entry) => (
            <span key={entry} className="block whitespace-nowrap">
              {entry}
            </span>
          ))
        )}
      </Cell>
      <Cell>{token.state === 'revoked' ? null : <Actions token={token} />}</Cell>
    </tr>
  );
}

function State({ token }: { token: TokenWire }) {
  if (token.state === 'revoked') {
    return (
      <>
        <Badge tone="off">revoked</Badge>
        <span className="mt-1 block text-xs">
          {token.revoked_reason === null ? null : REVOKED[token.revoked_reason]}
        </span>
      </>
    );
  }
  return (
    <span className="flex flex-wrap gap-1">
      {token.state === 'expired' ? <Badge tone="bad">expired</Badge> : <Badge tone="good">active</Badge>}
      {token.window === null ? null : <Badge tone="warn">window open</Badge>}
      {token.previous_secret_expires_at === null ? null : <Badge tone="waiting">two secrets</Badge>}
    </span>
  );
}

const ALL = 13;

function Capabilities({ names }: { names: readonly string[] }) {
  if (names.length >= ALL) return 'all';
  return (
    <details>
      <summary className="cursor-pointer whitespace-nowrap">
        {names.length} of {ALL}
      </summary>
      <span className="font-mono text-xs">{names.join(', ')}</span>
    </details>
  );
}

type Open = 'renew' | 'rotate' | 'edit' | 'revoke' | null;

function Actions({ token }: { token: TokenWire }) {
  const { call, busy, failure } = useCall();
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <>
      {failure === null ? null : (
        <p role="alert" className="text-danger mb-1 text-right">
          {failure.message}
        </p>
      )}
      <div className="flex justify-end gap-1.5">
        {token.state === 'active' && token.window === null ? (
          <Button
            size="small"
            disabled={busy}
            onClick={() => void call('POST', `/api/api-tokens/${token.id}/reauth-window`)}
          >
            <ShieldCheck aria-hidden size={14} />
            Approve next destructive action
          </Button>
        ) : null}
        {token.window === null ? null : (
          <Button
            size="small"
            disabled={busy}
            onClick={() => void call('DELETE', `/api/api-tokens/${token.id}/reauth-window`)}
          >
            Close window
          </Button>
        )}
        <Menu.Root>
          <Menu.Trigger className={buttonClass('plain', 'small')} aria-label={`More for ${token.name}`}>
            <Ellipsis aria-hidden size={14} />
          </Menu.Trigger>
          <Menu.Portal>
            <Menu.Positioner align="end" sideOffset={4} className="z-30">
              <Menu.Popup className="border-line bg-surface text-ink min-w-36 rounded-md border p-1 shadow-xl">
                <Item onClick={() => setOpen('renew')}>Renew …</Item>
                <Item onClick={() => setOpen('rotate')}>Rotate …</Item>
                <Item onClick={() => setOpen('edit')}>Edit …</Item>
                <Item danger onClick={() => setOpen('revoke')}>
                  Revoke …
                </Item>
              </Menu.Popup>
            </Menu.Positioner>
          </Menu.Portal>
        </Menu.Root>
        <RenewToken token={token} open={open === 'renew'} onClose={close} />
        <RotateToken token={token} open={open === 'rotate'} onClose={close} />
        <EditToken token={token} open={open === 'edit'} onClose={close} />
        <RevokeToken token={token} open={open === 'revoke'} onClose={close} />
      </div>
    </>
  );
}

function Item({
  danger = false,
  onClick,
  children,
}: {
  danger?: boolean;
  onClick: () => void;
  children: string;
}) {
  return (
    <Menu.Item
      onClick={onClick}
      className={`data-highlighted:bg-raised cursor-pointer rounded px-2.5 py-1.5 ${danger ? 'text-danger' : ''}`}
    >
      {children}
    </Menu.Item>
  );
}
