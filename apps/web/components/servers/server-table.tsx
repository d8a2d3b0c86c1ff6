'use client';

import type { ServerWire } from '@bailiff/engine';
import { Pencil, PlugZap, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { Cell, HeaderCell, Table } from '../ui/table.tsx';
import { useCall } from '../use-call.ts';
import { EditServer, RemoveServer } from './server-dialogs.tsx';

export function ServerTable({ servers }: { servers: readonly ServerWire[] }) {
  return (
    <Table caption="Game servers of this guild">
      <thead>
        <tr>
          <HeaderCell>Name</HeaderCell>
          <HeaderCell>State</HeaderCell>
          <HeaderCell>Last checked</HeaderCell>
          <HeaderCell>Commands</HeaderCell>
          <HeaderCell>
            <span className="sr-only">Actions</span>
          </HeaderCell>
        </tr>
      </thead>
      <tbody>
        {servers.map((server) => (
          <ServerRow key={server.id} server={server} />
        ))}
      </tbody>
    </Table>
  );
}

function ServerRow({ server }: { server: ServerWire }) {
  return (
    <tr>
      <Cell>
        <span className="block max-w-32 truncate font-medium sm:max-w-56" title={server.name}>
          {server.name}
        </span>
        <span className="text-ink-soft block max-w-32 font-mono text-xs break-all sm:max-w-56">
          {addressOf(server)}
        </span>
      </Cell>
      <Cell className="min-w-44">
        <State server={server} />
      </Cell>
      <Cell>{server.checked_at === null ? 'never' : <RelativeTime iso={server.checked_at} />}</Cell>
      <Cell className="whitespace-nowrap">{policyInWords(server)}</Cell>
      <Cell>
        <Actions server={server} />
      </Cell>
    </tr>
  );
}

function addressOf({ host, port }: ServerWire): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function State({ server }: { server: ServerWire }) {
  if (server.reachable === null) return <Badge tone="waiting">not checked yet</Badge>;
  if (server.reachable) return <Badge tone="good">reachable</Badge>;
  return (
    <>
      <Badge tone="bad">not reachable</Badge>
      <span className="text-ink-soft mt-1 block max-w-72 text-xs">{server.problem}</span>
    </>
  );
}

function policyInWords({ allow_patterns, deny_patterns }: ServerWire): string {
  const { length: allowed } = allow_patterns;
  const { length: denied } = deny_patterns;
  if (allowed === 0 && denied === 0) return 'every command';
  const only = allowed === 0 ? 'every command' : `only ${allowed} ${allowed === 1 ? 'pattern' : 'patterns'}`;
  return denied === 0 ? only : `${only}, but ${denied} denied`;
}

function Actions({ server }: { server: ServerWire }) {
  const { call, busy, failure } = useCall();
  const [open, setOpen] = useState<'edit' | 'remove' | null>(null);
  const close = () => setOpen(null);
  const test = () => void call('POST', `/api/guilds/${server.guild_id}/servers/${server.id}/check`);
  return (
    <>
      {failure === null ? null : (
        <p role="alert" className="text-danger mb-1 text-right">
          {failure.message}
        </p>
      )}
      <div className="flex justify-end gap-1.5">
        <Button size="small" disabled={busy} aria-label={`Test ${server.name}`} onClick={test}>
          <PlugZap aria-hidden size={14} />
          Test
        </Button>
        <Button size="small" aria-label={`Edit ${server.name}`} onClick={() => setOpen('edit')}>
          <Pencil aria-hidden size={14} />
          Edit
        </Button>
        <Button
          size="small"
          look="quiet"
          aria-label={`Remove ${server.name}`}
          onClick={() => setOpen('remove')}
        >
          <Trash2 aria-hidden size={14} />
        </Button>
      </div>
      <EditServer server={server} open={open === 'edit'} onClose={close} />
      <RemoveServer server={server} open={open === 'remove'} onClose={close} />
    </>
  );
}
