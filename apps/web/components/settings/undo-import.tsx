'use client';

import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { CallFailure } from '#components/call-api.ts';
import { Button } from '#components/ui/button.tsx';
import { Dialog } from '#components/ui/dialog.tsx';
import { Failure } from '#components/ui/failure.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useApi } from '#components/use-call.ts';
import { useRefresh } from '#components/use-refresh.ts';

interface Props {
  readonly guildId: string;
  readonly importId: string;
  /** Null for an import of Discord's bans. */
  readonly file: string | null;
}

/** A button that removes what an import brought, step by step, after a question. */
export function UndoImport({ guildId, importId, file }: Props) {
  const t = useTranslations('settings');
  const api = useApi();
  const refresh = useRefresh();
  const [open, setOpen] = useState(false);
  const [removed, setRemoved] = useState<number | null>(null);
  const [failure, setFailure] = useState<CallFailure | null>(null);
  const title = file === null ? t('bans.undo') : t('imports.undo', { file });
  const undo = async () => {
    setFailure(null);
    let kept: number | null = null;
    for (let total = 0; kept === null; ) {
      setRemoved(total);
      const step = await api<{ removed: number; kept: number | null }>(
        'POST',
        `/api/guilds/${guildId}/imports/${importId}/undo`,
        {},
      );
      if (step instanceof CallFailure) {
        setRemoved(null);
        setFailure(step);
        return;
      }
      total += step.removed;
      kept = step.kept;
    }
    setRemoved(null);
    setOpen(false);
    toast({ text: t('imports.undone', { count: kept }) });
    refresh();
  };
  return (
    <>
      <Button variant="risky" size="small" onClick={() => setOpen(true)}>
        {title}
      </Button>
      <Dialog
        open={open}
        onOpenChange={() => setOpen(false)}
        mustAnswer={removed !== null}
        title={title}
        description={t(file === null ? 'bans.undoWhat' : 'imports.undoWhat')}
      >
        <div className="grid gap-3">
          <Failure failure={failure} />
          <Button variant="danger" disabled={removed !== null} onClick={() => void undo()}>
            {removed === null
              ? t('imports.undoNow')
              : t(file === null ? 'bans.progress' : 'imports.progress', { count: removed })}
          </Button>
        </div>
      </Dialog>
    </>
  );
}
