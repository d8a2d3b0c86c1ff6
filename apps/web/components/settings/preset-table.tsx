'use client';

import type { PresetWire } from '@bailiff/engine/cases/presets';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { kindName } from '#components/cases/case-labels.ts';
import { Button } from '#components/ui/button.tsx';
import { ConfirmDialog } from '#components/ui/confirm-dialog.tsx';
import { Failure } from '#components/ui/failure.tsx';
import { Obstacles } from '#components/ui/obstacles.tsx';
import { EmptyState, Panel } from '#components/ui/panel.tsx';
import { Cell, Table, TableHead } from '#components/ui/table.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useFormatDuration } from '#components/ui/use-format-duration.ts';
import { useCall } from '#components/use-call.ts';
import { PresetDialog } from './preset-dialog.tsx';

/** The preset reasons of a guild, with the buttons that edit and remove them. */
export function PresetTable({
  guildId,
  presets,
  most,
  starting,
}: {
  guildId: string;
  presets: readonly PresetWire[];
  most: number;
  /** Reasons to begin with, as the API takes them. */
  starting: readonly ({ readonly name: string } & object)[];
}) {
  const t = useTranslations('settings.presets');
  const [adding, setAdding] = useState(false);
  const isFull = presets.length >= most;
  const add = (
    <Button disabled={isFull} onClick={() => setAdding(true)}>
      <Plus aria-hidden size={16} />
      {t('add')}
    </Button>
  );
  return (
    <Panel>
      {presets.length === 0 ? (
        <EmptyState
          title={t('none')}
          action={
            <div className="flex flex-wrap justify-center gap-2">
              <StartingReasons guildId={guildId} reasons={starting} />
              {add}
            </div>
          }
        >
          {t('noneLead')} {t('startLead', { names: starting.map(({ name }) => name).join(', ') })}
        </EmptyState>
      ) : (
        <>
          <Table caption={t('caption')} cards>
            <TableHead columns={[t('name'), t('kind'), t('reason'), t('with')]} buttons={t('actions')} />
            <tbody>
              {presets.map((preset) => (
                <PresetRow key={preset.id} guildId={guildId} preset={preset} />
              ))}
            </tbody>
          </Table>
          <div className="border-line border-t px-3.5 py-3">
            {add}
            <Obstacles because={[isFull ? t('full', { count: most }) : null]} />
          </div>
        </>
      )}
      <PresetDialog guildId={guildId} preset={null} open={adding} onClose={() => setAdding(false)} />
    </Panel>
  );
}

/** A button that adds reasons to begin with. */
function StartingReasons({ guildId, reasons }: { guildId: string; reasons: readonly object[] }) {
  const t = useTranslations('settings.presets');
  const { call, busy, failure } = useCall();
  const count = reasons.length;
  const add = async () => {
    for (const reason of reasons) {
      if ((await call('POST', `/api/guilds/${guildId}/presets`, reason)) === null) return;
    }
    toast({ text: t('startDone', { count }) });
  };
  return (
    <>
      <Button variant="primary" disabled={busy} onClick={() => void add()}>
        {t('startAdd', { count })}
      </Button>
      <Failure failure={failure} />
    </>
  );
}

function PresetRow({ guildId, preset }: { guildId: string; preset: PresetWire }) {
  const t = useTranslations('settings.presets');
  const common = useTranslations('common');
  const say = useTranslations('operations');
  const formatDuration = useFormatDuration();
  const [open, setOpen] = useState<'edit' | 'remove' | null>(null);
  const close = () => setOpen(null);
  const { name } = preset;
  const details =
    preset.severity === null
      ? formatDuration(preset.duration_minutes)
      : common(preset.severity === 'major' ? 'severityMajor' : 'severityMinor');
  return (
    <tr>
      <Cell className="font-medium wrap-anywhere">{name}</Cell>
      <Cell label={t('kind')}>{say(kindName(preset.kind))}</Cell>
      <Cell label={t('reason')} className="max-w-96 wrap-anywhere">
        {preset.reason}
      </Cell>
      <Cell label={t('with')}>{details}</Cell>
      <Cell>
        <div className="flex gap-1.5 max-sm:mt-1 sm:justify-end">
          <Button
            size="small"
            variant="quiet"
            aria-label={t('editNamed', { name })}
            onClick={() => setOpen('edit')}
          >
            <Pencil aria-hidden size={14} />
          </Button>
          <Button
            size="small"
            variant="quiet"
            aria-label={t('removeNamed', { name })}
            onClick={() => setOpen('remove')}
          >
            <Trash2 aria-hidden size={14} />
          </Button>
        </div>
        <PresetDialog guildId={guildId} preset={preset} open={open === 'edit'} onClose={close} />
        <ConfirmDialog
          open={open === 'remove'}
          onClose={close}
          title={t('removeTitle', { name })}
          description={t('removeLead')}
          confirm={t('removeNamed', { name })}
          danger
          request={() => ({ method: 'DELETE', path: `/api/guilds/${guildId}/presets/${preset.id}` })}
          done={t('removed', { name })}
        />
      </Cell>
    </tr>
  );
}
