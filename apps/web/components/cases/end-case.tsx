'use client';

import type { Capability, OperationName } from '@bailiff/core';
import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { ConfirmDialog } from '#components/ui/confirm-dialog.tsx';
import { TextAreaField } from '#components/ui/field.tsx';

type Endable = 'strike' | 'ban' | 'mute';

const ENDING = {
  strike: { operation: 'strikes.remove', word: 'removeStrike', needs: 'strikes.write' },
  ban: { operation: 'bans.lift', word: 'liftBan', needs: 'bans.write' },
  mute: { operation: 'mutes.lift', word: 'liftMute', needs: 'mutes.write' },
} as const satisfies Record<Endable, { operation: OperationName; word: string; needs: Capability }>;

/** The button that removes a strike or lifts a ban or mute, and asks for the reason. */
export function EndCase({
  guildId,
  kind,
  caseId,
  number,
  userId,
  capabilities,
}: {
  guildId: string;
  kind: Endable;
  caseId: string;
  number: number;
  userId: string;
  capabilities: readonly Capability[];
}) {
  const t = useTranslations('cases');
  const [open, setOpen] = useState(false);
  const { operation, word, needs } = ENDING[kind];
  const may = capabilities.includes(needs);
  return (
    <>
      <Button
        disabled={!may}
        title={may ? undefined : t('needs', { capability: needs })}
        onClick={() => setOpen(true)}
      >
        <Undo2 aria-hidden size={16} />
        {t(word)}
      </Button>
      <ConfirmDialog
        open={open}
        onClose={() => setOpen(false)}
        title={`${t(word)} (#${number})`}
        description={t('endHint')}
        confirm={t(word)}
        done={t('endedNow', { number: String(number) })}
        request={(form) => {
          const reason = String(form.get('reason') ?? '').trim();
          const input = {
            ...(kind === 'strike' ? { strikeId: caseId } : { userId }),
            ...(reason === '' ? {} : { reason }),
          };
          return { method: 'POST', path: `/api/guilds/${guildId}/actions`, body: { operation, input } };
        }}
      >
        {(failure) => (
          <TextAreaField
            label={t('reasonOptional')}
            name="reason"
            rows={3}
            maxLength={512}
            error={failure?.issues.map(({ message }) => message)}
          />
        )}
      </ConfirmDialog>
    </>
  );
}
