'use client';

import { Download } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { saveFile } from '#components/save-file.ts';
import { Button } from '#components/ui/button.tsx';
import { Dialog } from '#components/ui/dialog.tsx';
import { Callout } from '#components/ui/panel.tsx';
import { useCall } from '#components/use-call.ts';
import type { AuditParameters } from '#src/audit-query.ts';

/**
 * A menu that downloads all rows that match the filters of the page.
 *
 * @param given null while a filter is wrong: without it, the file would have more than was asked for
 */
export function ExportMenu({ guildId, given }: { guildId: string; given: AuditParameters | null }) {
  const t = useTranslations('audit');
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button disabled={given === null} onClick={() => setOpen(true)}>
        <Download aria-hidden size={16} />
        {t('export')}
      </Button>
      <Dialog open={open} onOpenChange={setOpen} title={t('export')} description={t('exportHint')}>
        {given === null ? null : <Formats guildId={guildId} given={given} onBegun={() => setOpen(false)} />}
      </Dialog>
    </>
  );
}

/** A button for each format. */
function Formats({
  guildId,
  given,
  onBegun,
}: {
  guildId: string;
  given: AuditParameters;
  onBegun: () => void;
}) {
  const t = useTranslations('audit');
  const { call, busy, failure, isShown } = useCall();
  const begin = async (format: 'csv' | 'jsonl') => {
    const path = `/api/guilds/${guildId}/exports`;
    const begun = await call<{ href: string }>('POST', path, { format, filters: given });
    if (begun === null) return;
    if (isShown()) onBegun();
    saveFile(begun.href);
  };
  return (
    <div className="grid gap-2">
      {failure === null ? null : (
        <Callout tone="danger" title={t('exportFailed')}>
          {failure.message}
        </Callout>
      )}
      <Button disabled={busy} onClick={() => void begin('csv')}>
        {t('exportCsv')}
      </Button>
      <Button disabled={busy} onClick={() => void begin('jsonl')}>
        {t('exportJsonl')}
      </Button>
    </div>
  );
}
