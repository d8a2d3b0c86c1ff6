'use client';

import type { ServerWire } from '@bailiff/engine/servers/server-view';
import { Pencil, PlugZap, SquareTerminal, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button, LinkButton } from '#components/ui/button.tsx';
import { Failure } from '#components/ui/failure.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { Cell, Row, RowLink, Table, TableHead } from '#components/ui/table.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';
import { EditServer, RemoveServer } from './server-dialogs.tsx';
import { type SaidServer, ServerState } from './server-state.tsx';
import { useTestResult } from './use-test-result.ts';

/** The owner's game servers, with a menu of actions for each. */
export function ServerTable({ servers }: { servers: readonly SaidServer[] }) {
  const t = useTranslations('servers');
  return (
    <Table caption={t('caption')} cards>
      <TableHead columns={[t('name'), t('state'), t('lastChecked'), t('commands')]} buttons={t('actions')} />
      <tbody>
        {servers.map((server) => (
          <ServerRow key={server.id} server={server} />
        ))}
      </tbody>
    </Table>
  );
}

function ServerRow({ server }: { server: SaidServer }) {
  const t = useTranslations('servers');
  return (
    <Row>
      <Cell label={t('name')} className="wrap-anywhere sm:max-w-56">
        <RowLink href={`/guilds/${server.guild_id}/servers/${server.id}`}>{server.name}</RowLink>
        <span className="text-ink-soft block font-mono text-xs break-all">{addressOf(server)}</span>
      </Cell>
      <Cell label={t('state')}>
        <ServerState {...server} />
      </Cell>
      <Cell label={t('lastChecked')}>
        {server.checked_at === null ? t('never') : <RelativeTime iso={server.checked_at} />}
      </Cell>
      <Cell label={t('commands')}>
        <PolicyText server={server} />
      </Cell>
      <Cell>
        <Actions server={server} />
      </Cell>
    </Row>
  );
}

function addressOf({ host, port }: ServerWire): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function PolicyText({ server: { allow_patterns, deny_patterns } }: { server: ServerWire }) {
  const t = useTranslations('servers');
  const { length: allowed } = allow_patterns;
  const { length: denied } = deny_patterns;
  const only = allowed === 0 ? t('everyCommand') : t('onlyPatterns', { count: allowed });
  return denied === 0 ? only : t('deniedToo', { allowed: only, count: denied });
}

function Actions({ server }: { server: SaidServer }) {
  const t = useTranslations('servers');
  const { call, busy, failure } = useCall();
  const [open, setOpen] = useState<'edit' | 'remove' | null>(null);
  const close = () => setOpen(null);
  const { name } = server;
  const here = `/guilds/${server.guild_id}/servers/${server.id}`;
  const awaitResult = useTestResult(server);
  const test = async () => {
    if ((await call('POST', `/api${here}/check`)) === null) return;
    toast({ text: t('testing', { name }) });
    awaitResult();
  };
  return (
    <>
      <Failure failure={failure} />
      <div className="flex flex-wrap gap-1.5 sm:justify-end">
        <LinkButton size="small" href={here} aria-label={t('consoleOf', { name })}>
          <SquareTerminal aria-hidden size={14} />
          {t('console')}
        </LinkButton>
        <Button size="small" disabled={busy} aria-label={t('testName', { name })} onClick={() => void test()}>
          <PlugZap aria-hidden size={14} />
          {t('test')}
        </Button>
        <Button size="small" aria-label={t('editName', { name })} onClick={() => setOpen('edit')}>
          <Pencil aria-hidden size={14} />
          {t('edit')}
        </Button>
        <Button
          size="small"
          variant="quiet"
          aria-label={t('removeName', { name })}
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
